package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

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

	// The next shell knows it still. The first statement back has two lines,
	// and the second Up goes to the upper one.
	term = open(t, history)
	term.send(up + up + up)
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
			term := start(t, 100, 40, exec.Command(command, args...))
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
