// Package terminal draws pictures on terminals: by kitty's graphics protocol, as
// sixels, or with half blocks, two pixels to a character, on any terminal.
package terminal

import (
	"errors"
	"fmt"
	"image/color"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"
)

// Graphics is a way to draw.
type Graphics uint8

// The ways to draw, the worst first.
const (
	Blocks Graphics = iota
	Sixel
	Kitty
)

// Ways are the names of the ways to draw, in their order.
var Ways = []string{"blocks", "sixel", "kitty"}

// Parse returns the way to draw of that name.
func Parse(name string) (Graphics, error) {
	i := slices.Index(Ways, name)
	if i < 0 {
		return 0, fmt.Errorf("must be one of %s", strings.Join(Ways, ", "))
	}
	return Graphics(i), nil
}

// Screen is what is known of a terminal.
type Screen struct {
	Graphics      Graphics
	columns, rows int
	cell          size        // of a character in pixels
	ground        color.Color // behind the text
	profile       colorprofile.Profile
}

type size struct{ width, height int }

// ErrNone says that a file is no terminal.
var ErrNone = errors.New("no terminal")

// Plain is a screen of the usual size of which nothing else is known.
func Plain() Screen {
	return Screen{columns: 80, rows: 24, cell: size{8, 16}, ground: color.Black, profile: colorprofile.Env(os.Environ())}
}

// Of asks the terminal that f writes to what it is. The error is ErrNone where f
// is something else.
func Of(f *os.File) (Screen, error) {
	if !term.IsTerminal(int(f.Fd())) {
		return Screen{}, ErrNone
	}
	s := Plain()
	s.profile = colorprofile.Detect(f, os.Environ())
	// Now, not with the answers: windows change their size.
	if columns, rows, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 && rows > 0 {
		s.columns, s.rows = columns, rows
	}
	a := answered()
	s.Graphics = a.graphics
	if a.cell.width > 0 && a.cell.height > 0 {
		s.cell = a.cell
	}
	if a.ground != nil {
		s.ground = a.ground
	}
	return s, nil
}

// answered asks once: what a terminal can do does not change, and one that does
// not answer takes a second to find out.
var answered = sync.OnceValue(askTTY)

// Room is how many pixels wide and high a picture may be so that some lines of
// text below it fit on the screen too.
func (s *Screen) Room(lines int) (width, height int) {
	rows := max(s.rows-lines, 1)
	if s.Graphics == Blocks {
		return s.columns, 2 * rows
	}
	return s.columns * s.cell.width, rows * s.cell.height
}
