package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

const patience = 30 * time.Second // before a test gives up waiting

// terminal is a running ccbfsql with a terminal of its own.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	news chan struct{} // something came in

	mu   sync.Mutex
	text string // what came in and was not yet waited for
	eof  bool
}

func open(t *testing.T, history string, args ...string) *terminal {
	t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "TERM=xterm", "INPUTRC="+os.DevNull, "CCBFSQL_HISTORY="+history)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 100})
	if err != nil {
		t.Skip("no terminal here:", err)
	}
	term := &terminal{t: t, cmd: cmd, tty: tty, news: make(chan struct{}, 1)}
	go term.listen()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		tty.Close()
	})
	term.wait("ccbfsql> ")
	return term
}

func (term *terminal) listen() {
	buf := make([]byte, 4096)
	for {
		n, err := term.tty.Read(buf)
		term.mu.Lock()
		term.text += string(buf[:n])
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

func (term *terminal) send(keys string) {
	term.t.Helper()
	if _, err := term.tty.WriteString(keys); err != nil {
		term.t.Fatal(err)
	}
}

// wait reads on until all the texts have come, in their order.
func (term *terminal) wait(texts ...string) {
	term.t.Helper()
	if !term.poll(patience, texts...) {
		term.mu.Lock()
		defer term.mu.Unlock()
		term.t.Fatalf("waited for %q, there is\n%q", texts, term.text)
	}
}

func (term *terminal) poll(patience time.Duration, texts ...string) bool {
	deadline := time.After(patience)
	for {
		term.mu.Lock()
		rest, found, eof := term.text, true, term.eof
		for _, text := range texts {
			var ok bool
			if _, rest, ok = strings.Cut(rest, text); !ok {
				found = false
				break
			}
		}
		if found {
			term.text = rest
		}
		term.mu.Unlock()
		if found || eof {
			return found
		}
		select {
		case <-term.news:
		case <-deadline:
			return false
		}
	}
}

// leave waits for the end of the program and returns its exit code.
func (term *terminal) leave() int {
	term.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- term.cmd.Wait() }()
	select {
	case <-ended:
		return term.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		term.t.Fatal("the shell does not end")
		return -1
	}
}

const (
	enter = "\r"
	ctrlC = "\x03"
	ctrlD = "\x04"
	up    = "\x1b[A"
)

func TestInteractive(t *testing.T) {
	history := filepath.Join(t.TempDir(), "state", "history")
	term := open(t, history)

	// A statement of two lines, with a semicolon that does not end it.
	term.send("SELECT 'a;" + enter)
	term.send("b' AS text;" + enter)
	term.wait("│   text  │", `│ a;\nb   │`, "ccbfsql> ")

	// An error is shown, and the shell goes on.
	term.send("SELEC;" + enter)
	term.wait("Parser Error", "ccbfsql> ")
	term.send(".nonsense" + enter)
	term.wait("unknown command .nonsense", "ccbfsql> ")

	// Ctrl-C clears what is typed.
	term.send("SELECT 'never")
	term.wait("never")
	term.send(ctrlC)
	term.wait("ccbfsql> ")

	// Ctrl-C ends a long query, not the shell. The first statement shows that
	// the second is about to run.
	term.send("SELECT 'be' || 'gun' AS x; SELECT count(*) FROM range(100000000000) a, range(100000) b;" + enter)
	term.wait("begun")
	for !term.poll(time.Second, "Interrupted") {
		term.send(ctrlC) // it may have come between the statements
	}
	term.wait("ccbfsql> ")
	term.send("SELECT 'still ' || 'here';" + enter)
	term.wait("still here", "ccbfsql> ")

	// The history, a statement of two lines at once.
	term.send(up + up + up + up + up)
	term.wait("SELECT 'a;", "b' AS text;")
	term.send(enter)
	term.wait(`│ a;\nb   │`, "ccbfsql> ")

	// Ctrl-D leaves.
	term.send(ctrlD)
	if code := term.leave(); code != 0 {
		t.Errorf("exit status %d", code)
	}

	// The next shell knows it still.
	term = open(t, history)
	term.send(up + up)
	term.wait("SELECT 'still ' || 'here';")
	term.send(enter)
	term.wait("still here", "ccbfsql> ")
	term.send(".quit" + enter)
	if code := term.leave(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	if info, err := os.Stat(history); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("history: %v, %v", info, err)
	}
}

// TestInterruptScript checks that Ctrl-C ends a script.
func TestInterruptScript(t *testing.T) {
	for i, args := range [][]string{
		{"-c", "SELECT 'be' || 'gun' AS x; SELECT count(*) FROM range(100000000000) a, range(100000) b; SELECT 'after'"},
		{"-csv", "-c", "SELECT 'be' || 'gun' AS x; SELECT [range] FROM range(1000000000000) WHERE range % 1000000000 = 1"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			cmd := exec.Command(command, args...)
			tty, err := pty.Start(cmd)
			if err != nil {
				t.Skip("no terminal here:", err)
			}
			defer tty.Close()
			term := &terminal{t: t, cmd: cmd, tty: tty, news: make(chan struct{}, 1)}
			go term.listen()
			term.wait("begun")
			term.send(ctrlC)
			if code := term.leave(); code != 130 {
				t.Errorf("exit status %d", code)
			}
			if term.poll(0, "after") {
				t.Error("went on")
			}
		})
	}
}
