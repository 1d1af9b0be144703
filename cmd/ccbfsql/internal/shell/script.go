package shell

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/session"
	"github.com/charmbracelet/x/ansi"
)

const maxDepth = 16 // of scripts that .read others

// scriptError says where in a script an error happened.
type scriptError struct {
	name string
	line int
	err  error
}

func (e *scriptError) Error() string {
	return fmt.Sprintf("%s:%d: %v", e.name, e.line, e.err)
}

func (e *scriptError) Unwrap() error { return e.err }

// RunText runs statements and dot commands from a flag or an argument.
func (sh *Shell) RunText(text string) error {
	return sh.runLines(strings.NewReader(text), "")
}

// RunFile runs a script.
func (sh *Shell) RunFile(path string) error {
	return sh.read(path)
}

// RunOwn runs the file that a user has for every start. What is wrong in it is told,
// and no reason not to start.
func (sh *Shell) RunOwn(path string) error {
	bail := sh.Bail
	sh.Bail = false
	err := sh.read(path)
	sh.Bail = sh.Bail || bail
	sh.failed = false
	return err
}

// RunReader runs a script that comes in piece by piece; statements run as
// soon as they are complete.
func (sh *Shell) RunReader(r io.Reader, name string) error {
	return sh.runLines(r, name)
}

// Quit reports that an error is the wish to leave.
func Quit(err error) bool { return errors.Is(err, errQuit) }

// Failed reports that a statement failed and the script went on.
func (sh *Shell) Failed() bool { return sh.failed }

// read runs a script file. Paths inside it are relative to its folder.
func (sh *Shell) read(path string) error {
	if sh.depth == maxDepth {
		return fmt.Errorf("%s: scripts may be nested at most %d deep", path, maxDepth)
	}
	full := path
	if !filepath.IsAbs(path) && sh.dir != "" {
		full = filepath.Join(sh.dir, path)
	}
	f, err := os.Open(full)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read

	outer := sh.dir
	sh.dir = filepath.Dir(full)
	sh.depth++
	defer func() {
		sh.dir = outer
		sh.depth--
	}()
	return sh.runLines(f, full)
}

// runLines runs what a reader gives, line by line. An error carries name and
// line unless name is empty.
func (sh *Shell) runLines(r io.Reader, name string) error {
	var split lexer.Splitter
	in := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		text, readErr := in.ReadString('\n')
		if readErr != nil && readErr != io.EOF {
			return readErr
		}
		if word := spoken(text); word != "" && split.Idle() {
			text = word
		}
		if err := foreign(text); err != nil && split.Idle() {
			if err := sh.at(name, line, err); err != nil {
				return err
			}
			split.Skip(1)
		} else if split.Idle() && isDot(text) {
			if err := sh.echo(text); err != nil {
				return err
			}
			if err := sh.at(name, line, sh.dot(text)); err != nil {
				return err
			}
			split.Skip(1)
		} else {
			split.Feed(text)
			for {
				st, ok := split.Next()
				if !ok {
					break
				}
				if err := sh.statement(name, st); err != nil {
					return err
				}
			}
		}
		if readErr == io.EOF {
			if st, ok := split.Rest(); ok {
				return sh.statement(name, st)
			}
			return nil
		}
	}
}

func isDot(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " \t"), ".")
}

func (sh *Shell) statement(name string, st lexer.Statement) error {
	if st.Blank {
		return nil
	}
	if err := sh.echo(st.SQL()); err != nil {
		return err
	}
	return sh.at(name, st.Line, sh.execute(st.SQL()))
}

// echo prints what runs next, where that is wanted.
func (sh *Shell) echo(text string) error {
	if !sh.Echo {
		return nil
	}
	return sh.printf("%s\n", strings.TrimSpace(text))
}

// spoken is the dot command for a line that is no SQL and that everybody tries;
// empty for any other.
func spoken(line string) string {
	switch strings.ToLower(strings.TrimRight(strings.TrimSpace(line), "; \t\r\n")) {
	case "help", `\?`, `\h`:
		return ".help"
	case "quit", "exit", `\q`:
		return ".quit"
	}
	return ""
}

// at gives an error its place. With bail off it prints it and goes on.
func (sh *Shell) at(name string, line int, err error) error {
	if err == nil || errors.Is(err, errQuit) || errors.Is(err, ErrClosedPipe) {
		return err
	}
	var placed *scriptError
	if name != "" && !errors.As(err, &placed) {
		err = &scriptError{name, line, err}
	}
	if sh.Bail || errors.Is(err, session.ErrInterrupted) {
		return err
	}
	sh.failed = true
	sh.Complain(err)
	return nil
}

// Complain prints an error, on a terminal with its kind in red.
func (sh *Shell) Complain(err error) {
	text := err.Error()
	if f, ok := sh.stderr.(*os.File); ok && colourful(f) {
		if kind, rest, ok := strings.Cut(text, "Error: "); ok && !strings.Contains(kind, "\n") {
			text = painted(ansi.AttrRedForegroundColor, kind+"Error:") + " " + rest
		}
	}
	fmt.Fprintln(sh.stderr, text)
}
