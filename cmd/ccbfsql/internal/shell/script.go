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

const maxDepth = 16 // how deep .read can be nested

// scriptError adds the file and line of a script to an error.
type scriptError struct{ error }

func (e scriptError) Unwrap() error { return e.error }

// RunOwn runs the user's start file (~/.ccbfsqlrc or -init). Errors of its statements are printed
// and do not end the program.
func (sh *Shell) RunOwn(path string) error {
	bail := sh.bail
	sh.bail = false
	err := sh.RunFile(path)
	sh.bail = sh.bail || bail
	sh.failed = false
	return err
}

// ends reports whether an error ends the shell: the user left it, or the reader of the output closed it.
func ends(err error) bool { return errors.As(err, new(*QuitError)) || errors.Is(err, ErrClosedPipe) }

// Failed reports whether a statement failed while bail was off.
func (sh *Shell) Failed() bool { return sh.failed }

// RunFile runs a script file. Paths within it are relative to its folder.
func (sh *Shell) RunFile(path string) error {
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
	for _, to := range []*os.File{sh.file(), sh.log} {
		if isSame(f, to) {
			return fmt.Errorf("%s: the shell writes to this file (.output, .once or .log): reading it would never end", path)
		}
	}

	outer := sh.dir
	sh.dir = filepath.Dir(full)
	sh.depth++
	defer func() {
		sh.dir = outer
		sh.depth--
	}()
	return sh.RunReader(f, full)
}

// isSame reports whether two open files are one regular file. b may be nil.
func isSame(a, b *os.File) bool {
	x, err := a.Stat()
	y, err2 := b.Stat() // of nil an error
	return err == nil && err2 == nil && x.Mode().IsRegular() && os.SameFile(x, y)
}

// RunReader runs the statements and dot commands of a reader, each as soon as it is complete. Errors get
// the name and the line, unless the name is empty.
func (sh *Shell) RunReader(r io.Reader, name string) error {
	var split lexer.Splitter
	in := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		text, readErr := in.ReadString('\n')
		if readErr != nil && readErr != io.EOF {
			return readErr
		}
		if command, ok := commandIn(text); ok && split.Idle() {
			if err := sh.run(name, line, command, sh.dot); err != nil {
				return err
			}
			text = ""
		}
		if strings.HasPrefix(text, "#") && split.Idle() { // a comment, such as the #! of a script
			text = ""
		}
		statements := split.Feed(text)
		if readErr == io.EOF {
			statements = append(statements, split.Rest()...)
		}
		for _, st := range statements {
			if st.Line == 0 {
				continue // there is nothing to run
			}
			if err := sh.run(name, st.Line, st.SQL(), sh.execute); err != nil {
				return err
			}
		}
		if readErr == io.EOF {
			return nil
		}
	}
}

// run runs a statement or a dot command, and adds file and line to its error. With bail off, it prints the
// error and returns nil.
func (sh *Shell) run(name string, line int, text string, do func(text string) error) (err error) {
	if sh.ctx.Err() != nil { // Ctrl-C came after the statement before
		return session.ErrInterrupted
	}
	if sh.echo {
		err = sh.printf("%s\n", strings.TrimSpace(text))
	}
	if err == nil {
		err = do(text)
	}
	if err == nil || ends(err) {
		return err
	}
	var placed scriptError
	if name != "" && !errors.As(err, &placed) {
		err = scriptError{fmt.Errorf("%s:%d: %w", name, line, err)}
	}
	if sh.bail || errors.Is(err, session.ErrInterrupted) {
		return err
	}
	sh.failed = true
	sh.complain(err)
	return nil
}

func isDot(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " \t"), ".")
}

// spoken returns the dot command for words that many users try, such as "help" and "exit". It
// returns "" for any other line.
func spoken(line string) string {
	switch strings.ToLower(strings.TrimRight(strings.TrimSpace(line), "; \t\r\n")) {
	case "help", `\?`, `\h`:
		return ".help"
	case "quit", "exit", `\q`:
		return ".quit"
	}
	return ""
}

// commandIn returns the command in a line that is no SQL: a dot command, or a command of psql, for which
// dot returns an error.
func commandIn(line string) (command string, ok bool) {
	if word := spoken(line); word != "" {
		return word, true
	}
	return line, isDot(line) || foreign(line) != nil
}

// complain prints an error. On a terminal the kind of the error is red.
func (sh *Shell) complain(err error) {
	if kind, rest, ok := strings.Cut(err.Error(), "Error: "); ok && !strings.Contains(kind, "\n") {
		sh.remark(ansi.AttrRedForegroundColor, kind+"Error:", rest)
		return
	}
	fmt.Fprintln(os.Stderr, err)
}
