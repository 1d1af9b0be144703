// Package terminal draws pictures on terminals: with kitty's graphics protocol, as sixels, or as
// half blocks, which every terminal has, with two pixels per character.
package terminal

import (
	"image/color"
	"io"
	"os"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"
)

// Ways to draw a picture.
const (
	Blocks = "blocks"
	Sixel  = "sixel"
	Kitty  = "kitty"
)

// Ways are all ways to draw, in order of quality.
var Ways = []string{Blocks, Sixel, Kitty}

// Screen describes a terminal.
type Screen struct {
	Graphics      string // one of Ways
	columns, rows int
	cell          size        // size of a character in pixels
	ground        color.Color // background colour
	profile       colorprofile.Profile
}

// size is a width and a height in pixels.
type size struct{ width, height int }

// Detect queries the terminal that w writes to. ok is false if w is no terminal. The screen then has the
// usual size and no graphics.
func Detect(w io.Writer) (s Screen, ok bool) {
	s = Screen{Graphics: Blocks, cell: size{8, 16}, ground: color.Black, profile: colorprofile.Env(os.Environ())}
	f, ok := w.(*os.File)
	s.columns, s.rows = Size(f)
	if !ok || !Is(f) {
		return s, false
	}
	s.profile = colorprofile.Detect(f, os.Environ())
	s.read(replies())
	return s, true
}

// Is reports whether a file is a terminal.
func Is(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Size returns the size of a terminal in characters, or 80 by 24 if f is none. It can change at any time.
func Size(f *os.File) (columns, rows int) {
	columns, rows, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 || rows <= 0 {
		return 80, 24
	}
	return columns, rows
}

// Room returns the largest size of a picture in pixels that leaves a number of lines of text below
// it.
func (s *Screen) Room(lines int) (width, height int) {
	rows := max(s.rows-lines, 1)
	if s.Graphics == Blocks {
		return s.columns, 2 * rows
	}
	return s.columns * s.cell.width, rows * s.cell.height
}
