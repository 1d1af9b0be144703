// Package terminal draws pictures on terminals: with kitty's graphics protocol, as sixels, or as
// half blocks, which every terminal has, with two pixels per character.
package terminal

import (
	"cmp"
	"errors"
	"image/color"
	"os"
	"sync"

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

// ErrNone means that a file is not a terminal.
var ErrNone = errors.New("no terminal")

// Plain returns a screen of the usual size, without graphics.
func Plain() Screen {
	return Screen{Graphics: Blocks, columns: 80, rows: 24, cell: size{8, 16}, ground: color.Black, profile: colorprofile.Env(os.Environ())}
}

// Detect queries the terminal that f writes to. It returns ErrNone if f is not a terminal.
func Detect(f *os.File) (Screen, error) {
	if !term.IsTerminal(int(f.Fd())) {
		return Screen{}, ErrNone
	}
	s := Plain()
	s.profile = colorprofile.Detect(f, os.Environ())
	// The size is read now and not with the cached replies, because windows can change.
	if columns, rows, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 && rows > 0 {
		s.columns, s.rows = columns, rows
	}
	a := answered()
	s.Graphics = cmp.Or(a.graphics, Blocks)
	if a.cell.width > 0 && a.cell.height > 0 {
		s.cell = a.cell
	}
	if a.ground != nil {
		s.ground = a.ground
	}
	return s, nil
}

// answered queries the terminal once per process: its abilities do not change, and a terminal that
// does not reply costs a second.
var answered = sync.OnceValue(askTTY)

// Room returns the largest size of a picture in pixels that leaves a number of lines of text below
// it.
func (s *Screen) Room(lines int) (width, height int) {
	rows := max(s.rows-lines, 1)
	if s.Graphics == Blocks {
		return s.columns, 2 * rows
	}
	return s.columns * s.cell.width, rows * s.cell.height
}
