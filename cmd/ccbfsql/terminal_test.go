package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// patience is how many times in a row, a second apart, a test finds the program asleep before it
// gives up. A program that works is not asleep, even on a busy machine. If it never sleeps, the
// time limit of go test ends the test.
const patience = 30

// terminal is a running ccbfsql with a terminal of its own.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	vt   vt10x.Terminal // the screen
	news chan struct{}  // signals new output

	mu   sync.Mutex
	text string // output that no call has waited for yet
	eof  bool
}

// start runs a command in a terminal.
func start(t *testing.T, cols, rows int, cmd *exec.Cmd) *terminal {
	t.Helper()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(rows), Cols: uint16(cols)})
	if err != nil {
		t.Skip("no terminal here:", err)
	}
	// The screen answers no questions of the program: a test sends the answers.
	term := &terminal{t: t, cmd: cmd, tty: tty, news: make(chan struct{}, 1), vt: vt10x.New(vt10x.WithSize(cols, rows))}
	go term.listen()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		tty.Close()
	})
	return term
}

// open starts ccbfsql and waits for its prompt.
func open(t *testing.T, history string, args ...string) *terminal {
	t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(environment(history), "NO_COLOR=1") // output arrives in whole words
	term := start(t, 100, 40, cmd)
	term.wait("ccbfsql> ")
	return term
}

// environment returns the test's environment without variables that change the shell.
func environment(history string) []string {
	var env []string
	for _, setting := range os.Environ() {
		switch name, _, _ := strings.Cut(setting, "="); name {
		case "NO_COLOR", "PAGER", "LESS", "COLORTERM", "FORCE_COLOR":
		default:
			env = append(env, setting)
		}
	}
	return append(env, "TERM=xterm", "PAGER=cat", "COLORTERM=", "NO_COLOR=", "TERM_PROGRAM=", "INPUTRC="+os.DevNull, "CCBFSQL_HISTORY="+history)
}

func (term *terminal) listen() {
	in := bufio.NewReader(io.TeeReader(term.tty, term))
	for {
		err := term.vt.Parse(in)
		term.mu.Lock()
		term.eof = err != nil
		term.mu.Unlock()
		select {
		case term.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// Write stores the program's output.
func (term *terminal) Write(p []byte) (int, error) {
	term.mu.Lock()
	defer term.mu.Unlock()
	term.text += string(p)
	return len(p), nil
}

func (term *terminal) send(keys string) {
	term.t.Helper()
	if _, err := term.tty.WriteString(keys); err != nil {
		term.t.Fatal(err)
	}
}

// wait waits until all the texts have been printed in their order.
func (term *terminal) wait(texts ...string) {
	term.t.Helper()
	if !term.until(patience, term.come(texts)) {
		term.mu.Lock()
		defer term.mu.Unlock()
		term.t.Fatalf("waited for %q, there is\n%q", texts, term.text)
	}
}

// forget drops the output so far, so that only later output is waited for.
func (term *terminal) forget() {
	term.mu.Lock()
	defer term.mu.Unlock()
	term.text = ""
}

// come reports whether all the texts have been printed in their order, and removes them from the
// output.
func (term *terminal) come(texts []string) func() bool {
	return func() bool {
		term.mu.Lock()
		defer term.mu.Unlock()
		rest := term.text
		for _, text := range texts {
			var ok bool
			if _, rest, ok = strings.Cut(rest, text); !ok {
				return false
			}
		}
		term.text = rest
		return true
	}
}

// press sends keys every second until the text is printed.
func (term *terminal) press(keys, text string) {
	term.t.Helper()
	again := time.NewTicker(time.Second)
	defer again.Stop()
	term.send(keys)
	for come := term.come([]string{text}); !come(); {
		select {
		case <-term.news:
		case <-again.C:
			term.send(keys)
		}
	}
}

// until calls a condition after every output, until it holds, the program ends, or the patience is
// over.
func (term *terminal) until(patience int, done func() bool) bool {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for asleep := 0; asleep < patience; {
		term.mu.Lock()
		eof := term.eof
		term.mu.Unlock()
		if ok := done(); ok || eof {
			return ok
		}
		select {
		case <-term.news:
			asleep = 0
		case <-look.C:
			if asleep++; !term.asleep() {
				asleep = 0
			}
		}
	}
	return false
}

// asleep reports whether all threads of the program sleep. It returns true if that is unknown.
func (term *terminal) asleep() bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", term.cmd.Process.Pid))
	if err != nil {
		return true
	}
	for _, thread := range threads {
		// The state follows the name, which is in parentheses and can contain any character.
		stat, err := os.ReadFile(thread)
		if i := strings.LastIndexByte(string(stat), ')'); err == nil && i+2 < len(stat) && stat[i+2] != 'S' {
			return false
		}
	}
	return true
}

// leave waits for the end of the program and returns its exit code.
func (term *terminal) leave() int {
	term.t.Helper()
	_ = term.cmd.Wait() // the exit code says enough
	return term.cmd.ProcessState.ExitCode()
}

// settle is used by -rewrite. It waits until the program has drawn: until it sleeps, or computes
// for some seconds without output, as during a query to interrupt.
func (term *terminal) settle() {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for quiet := 0; quiet < 5; {
		select {
		case <-term.news:
			quiet = 0
		case <-look.C:
			if quiet++; term.asleep() {
				return
			}
		}
	}
}
