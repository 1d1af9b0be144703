package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	enter = "\r"
	ctrlC = "\x03"
	ctrlD = "\x04"
	up    = "\x1b[A"
)

// TestHistory checks that two shells share a history, in which a statement of two lines is one, and that
// both end without an error. testdata/screens has what happens within a shell.
func TestHistory(t *testing.T) {
	history := filepath.Join(t.TempDir(), "state", "history")
	leave := func(term *terminal, keys string) {
		t.Helper()
		term.send(keys)
		if code := term.leave(); code != 0 {
			t.Errorf("exit status %d", code)
		}
	}
	term := open(t, history)
	term.send("SELECT 'a;" + enter + "b' AS text;" + enter)
	term.wait("│   text  │", `│ a;\nb   │`, "ccbfsql> ")
	leave(term, ctrlD)

	term = open(t, history)
	term.send(up)
	term.wait("SELECT 'a;", "b' AS text;")
	term.send(enter)
	term.wait(`│ a;\nb   │`, "ccbfsql> ")
	leave(term, ".quit"+enter)
	if info, err := os.Stat(history); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("history: %v, %v", info, err)
	}
}

// TestMap checks that .map draws in the way that the terminal supports.
func TestMap(t *testing.T) {
	for name, c := range map[string]struct {
		answer  string
		picture []string
	}{
		"kitty":  {"\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?62;c", []string{"\x1b_Gf=100,q=2,a=T", "\x1b\\"}},
		"sixel":  {"\x1b]11;rgb:0000/0000/0000\x07\x1b[6;20;10t\x1b[?64;4c", []string{"\x1bP0;1q\"1;1;720;720", "\x1b\\"}},
		"blocks": {"\x1b[?1;2c", []string{"█"}},
	} {
		t.Run(name, func(t *testing.T) {
			term := open(t, "")
			term.send(".map -units plane SELECT ccbf_agg(x, x, 1) FROM range(10) t(x);" + enter)
			term.wait("\x1b[c") // the last query to the terminal
			term.send(c.answer)
			term.wait(append(c.picture, "x 0 to 10, y 0 to 10; sketch total 10, cells of 1, up to 1 per cell", "ccbfsql> ")...)

			// The terminal's mode is restored, and the terminal is not queried again.
			term.send(".map -size 10x10 SELECT ccbf_agg(7, 8, 1);" + enter)
			term.wait("x 7 to 8, y 8 to 9; sketch total 1, ", "ccbfsql> ")
			term.send(".quit" + enter)
			if code := term.leave(); code != 0 {
				t.Errorf("exit status %d", code)
			}
		})
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
			if term.come([]string{"after"})() {
				t.Error("went on")
			}
		})
	}
}

// TestProgress checks that a long statement shows a progress bar, which disappears at its end.
func TestProgress(t *testing.T) {
	term := open(t, "")
	term.send("CREATE TABLE t AS FROM range(1000000) r(i);" + enter)
	term.wait("ccbfsql> ")
	term.forget()
	term.send("SELECT count(*) FROM t a, t b WHERE a.i + b.i = -1;" + enter)
	term.wait("%", "[", "]") // percentage, and the time so far
	if screen := term.screen(false); strings.Contains(screen, ":0s]") {
		t.Errorf("nothing is done, and no time is left:\n%s", screen)
	}
	term.press(ctrlC, "Interrupted")
	term.wait("ccbfsql> ")
	if screen := term.screen(false); strings.Contains(screen, "%") {
		t.Errorf("the bar is still there:\n%s", screen)
	}
}
