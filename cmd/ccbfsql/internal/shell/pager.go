package shell

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/terminal"
	"github.com/charmbracelet/x/ansi"
)

// errPagerLeft is the error of a write after the user has left the pager.
var errPagerLeft = errors.New("the pager was left")

// pager prints text directly if it fits the screen. Otherwise it starts the program that PAGER
// names, or less.
type pager struct {
	cmd           *exec.Cmd
	width, height int            // size of the screen in characters
	held          bytes.Buffer   // The text so far, until it exceeds the screen and the pager starts.
	pipe          io.WriteCloser // nil: the pager has not started.
}

// pageSize is how many bytes are held at most before the pager starts.
const pageSize = 1 << 20

// paged calls do, whose output goes to a pager if a person reads it at a prompt.
func (sh *Shell) paged(do func() error) error {
	if !sh.interactive || !sh.paging || sh.file() != nil || sh.pager != nil {
		return do()
	}
	cmd := pagerCommand()
	if cmd == nil {
		return do()
	}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	sh.pager = &pager{cmd: cmd}
	sh.pager.width, sh.pager.height = terminal.Size(os.Stdout)
	defer func() { sh.pager = nil }()
	err := cmp.Or(do(), sh.pager.close())
	if errors.Is(err, errPagerLeft) {
		return nil
	}
	return err
}

// pagerCommand returns the pager's program. It returns nil if PAGER is empty or cat, or if the program is
// not installed.
func pagerCommand() *exec.Cmd {
	pager, ok := os.LookupEnv("PAGER")
	if !ok {
		pager = "less"
	}
	words := strings.Fields(pager)
	if len(words) == 0 || words[0] == "cat" {
		return nil
	}
	if cmd := exec.Command(words[0], words[1:]...); cmd.Err == nil {
		return cmd
	}
	return nil
}

// Write implements io.Writer. An error of the pipe means that the user has left the pager.
func (p *pager) Write(b []byte) (int, error) {
	if p.pipe != nil {
		n, err := p.pipe.Write(b)
		if err != nil {
			err = errPagerLeft
		}
		return n, err
	}
	p.held.Write(b)
	rows, lines := p.count()
	if rows < p.height && p.held.Len() < pageSize {
		return len(b), nil
	}
	if err := p.start(lines < p.height); err != nil {
		return 0, err
	}
	if _, err := p.Write(p.held.Bytes()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// count returns the number of complete lines in held, and of rows of the screen that they take. A line
// that is wider than the screen takes several rows.
func (p *pager) count() (rows, lines int) {
	for line := range bytes.Lines(p.held.Bytes()) {
		if text, ended := bytes.CutSuffix(line, []byte("\n")); ended {
			rows += max(1, (ansi.StringWidth(string(text))+p.width-1)/p.width)
			lines++
		}
	}
	return rows, lines
}

// wide reports whether the pager cuts long lines and scrolls to the right.
func (p *pager) wide() bool {
	_, own := os.LookupEnv("LESS")
	return !own && filepath.Base(p.cmd.Args[0]) == "less"
}

// start starts the pager's program with a pipe to it. isLong is true if only long lines exceed the
// screen.
func (p *pager) start(isLong bool) error {
	if _, ok := os.LookupEnv("LESS"); !ok {
		// less cuts long lines (S) and can scroll them, and the text stays on the screen afterwards
		// (X). S is left out if only long lines exceed the screen. With it, less would find that
		// all lines fit, and exit with the ends of the lines unread.
		flags := "LESS=FRSX"
		if isLong {
			flags = "LESS=FRX"
		}
		p.cmd.Env = append(os.Environ(), flags)
	}
	pipe, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.pipe = pipe
	return nil
}

// close prints the text if it fitted the screen, or waits until the user leaves the pager.
func (p *pager) close() error {
	if p.pipe == nil {
		_, err := p.cmd.Stdout.Write(p.held.Bytes())
		return err
	}
	_ = p.pipe.Close()
	var exit *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		return err
	}
	return nil
}
