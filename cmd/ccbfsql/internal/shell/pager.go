package shell

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// errPagerLeft is the error of writing to a pager that the user has left.
var errPagerLeft = errors.New("the pager was left")

// pager shows what is written to it: as it is where that fits the screen, and
// else with the program that PAGER names, or less.
type pager struct {
	out    io.Writer
	argv   []string
	height int
	width  int
	held   bytes.Buffer // until there is more than fits
	begun  int          // bytes held before the line that has begun
	lines  int          // of the screen that those before take
	ended  int          // lines that have ended, however long
	cmd    *exec.Cmd
	pipe   io.WriteCloser
	left   bool
}

// pageSize is held back at most before the pager starts, however few lines it
// has.
const pageSize = 1 << 20

// paged runs what prints something, with a pager if someone is there to read.
func (sh *Shell) paged(do func() error) error {
	argv := pagerCommand()
	f, ok := sh.stdout.(*os.File)
	if !sh.interactive || !sh.Pager || sh.file() != nil || sh.pager != nil || !ok || argv == nil {
		return do()
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return do()
	}
	sh.pager = &pager{out: f, argv: argv, height: height, width: max(width, 1)}
	defer func() { sh.pager = nil }()
	err = do()
	if closeErr := sh.pager.close(sh.signals); err == nil {
		err = closeErr
	}
	if errors.Is(err, errPagerLeft) {
		return nil
	}
	return err
}

// pagerCommand is the program and its arguments, or nil where there is none:
// PAGER is set to nothing or to cat, or it is not installed.
func pagerCommand() []string {
	pager, ok := os.LookupEnv("PAGER")
	if !ok {
		pager = "less"
	}
	words := strings.Fields(pager)
	if len(words) == 0 || words[0] == "cat" {
		return nil
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil
	}
	return words
}

// Write implements io.Writer.
func (p *pager) Write(b []byte) (int, error) {
	switch {
	case p.left:
		return 0, errPagerLeft
	case p.pipe != nil:
		return p.feed(b)
	}
	p.held.Write(b)
	if p.count(); p.lines < p.height && p.held.Len() < pageSize {
		return len(b), nil
	}
	if err := p.start(); err != nil {
		return 0, err
	}
	if _, err := p.feed(p.held.Bytes()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// count brings lines up to what is held. A line that is wider than the screen takes
// several of it.
func (p *pager) count() {
	for {
		rest := p.held.Bytes()[p.begun:]
		n := bytes.IndexByte(rest, '\n')
		if n < 0 {
			return
		}
		p.lines += max(1, (ansi.StringWidth(string(rest[:n]))+p.width-1)/p.width)
		p.ended++
		p.begun += n + 1
	}
}

// wide reports whether the pager cuts long lines, and scrolls to the right.
func (p *pager) wide() bool {
	_, own := os.LookupEnv("LESS")
	return !own && filepath.Base(p.argv[0]) == "less"
}

func (p *pager) start() error {
	p.cmd = exec.Command(p.argv[0], p.argv[1:]...)
	p.cmd.Stdout, p.cmd.Stderr = p.out, os.Stderr
	if _, ok := os.LookupEnv("LESS"); !ok {
		// Long lines are cut and can be scrolled, the text stays on the screen. Where
		// nothing but long lines is too much for the screen they are not cut: less
		// would find that they fit, and leave with the rest of them unread.
		flags := "LESS=FRSX"
		if p.ended < p.height {
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

func (p *pager) feed(b []byte) (int, error) {
	n, err := p.pipe.Write(b)
	if err != nil {
		p.left = true
		return n, errPagerLeft
	}
	return n, nil
}

// close shows what is still held, or waits until the user leaves the pager.
func (p *pager) close(signals *interrupts) error {
	if p.pipe == nil {
		_, err := p.out.Write(p.held.Bytes())
		return err
	}
	// Ctrl-C belongs to the pager now.
	defer signals.leaveAlone()()
	_ = p.pipe.Close()
	var exit *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		return err
	}
	return nil
}
