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

// patience is how often in a row, a second apart, a test finds the program asleep
// before it gives up waiting. On a busy machine a program that has something to do
// is not asleep, however long it takes; where it never sleeps, the time limit of
// go test ends the test.
const patience = 30

// terminal is a running ccbfsql with a terminal of its own.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	vt   vt10x.Terminal // what a person would see
	news chan struct{}  // something came in

	mu    sync.Mutex
	text  string // what came in and was not yet waited for
	eof   bool
	quiet bool // the test answers for the terminal
}

// start runs a command in a terminal.
func start(t *testing.T, cols, rows int, cmd *exec.Cmd) *terminal {
	t.Helper()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(rows), Cols: uint16(cols)})
	if err != nil {
		t.Skip("no terminal here:", err)
	}
	term := &terminal{
		t: t, cmd: cmd, tty: tty, news: make(chan struct{}, 1),
	}
	term.vt = vt10x.New(vt10x.WithSize(cols, rows), vt10x.WithWriter(replies{term}))
	go term.listen()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		tty.Close()
	})
	return term
}

// open runs ccbfsql until it asks for a statement.
func open(t *testing.T, history string, args ...string) *terminal {
	t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(environment(history), "NO_COLOR=1") // words arrive whole
	term := start(t, 100, 40, cmd)
	term.wait("ccbfsql> ")
	return term
}

// environment is the test's own without what changes how the shell looks.
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

// replies are what the terminal itself answers.
type replies struct{ term *terminal }

func (r replies) Write(p []byte) (int, error) {
	r.term.mu.Lock()
	quiet := r.term.quiet
	r.term.mu.Unlock()
	if quiet {
		return len(p), nil
	}
	return r.term.tty.Write(p)
}

// Write takes note of what comes in.
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

// wait reads on until all the texts have come, in their order.
func (term *terminal) wait(texts ...string) {
	term.t.Helper()
	if !term.until(patience, term.come(texts)) {
		term.mu.Lock()
		defer term.mu.Unlock()
		term.t.Fatalf("waited for %q, there is\n%q", texts, term.text)
	}
}

// forget drops what has come in, so that only what follows is waited for.
func (term *terminal) forget() {
	term.mu.Lock()
	defer term.mu.Unlock()
	term.text = ""
}

// come reports whether all the texts have come, in their order, and takes them
// away.
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

// press sends keys again every second until the text comes.
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

// until asks again whenever something came in, up to the end of the program or of
// the patience.
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

// asleep reports whether all threads of the program wait for something to happen.
// Where that cannot be known, it is said to.
func (term *terminal) asleep() bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", term.cmd.Process.Pid))
	if err != nil {
		return true
	}
	for _, thread := range threads {
		// The state comes after the name, which is in parentheses and may hold any.
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
	_ = term.cmd.Wait() // its error says no more than the code
	return term.cmd.ProcessState.ExitCode()
}

// settle waits, where -rewrite does not know what comes, until the program has drawn: until it
// sleeps, or computes for some seconds and says nothing, as a query does that is to be
// interrupted.
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
