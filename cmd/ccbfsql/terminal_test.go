package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/cockroachdb/datadriven"
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

// send types text, with keys in angle brackets.
func (term *terminal) send(text string) {
	term.t.Helper()
	if _, err := term.tty.WriteString(keys.Replace(text)); err != nil {
		term.t.Fatal(err)
	}
}

// wait waits until all the texts have been printed in their order.
func (term *terminal) wait(texts ...string) {
	term.t.Helper()
	if !term.until(term.come(texts)) {
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

// press sends a key every second until the text is printed.
func (term *terminal) press(key, text string) {
	term.t.Helper()
	again := time.NewTicker(time.Second)
	defer again.Stop()
	term.send(key)
	for come := term.come([]string{text}); !come(); {
		select {
		case <-term.news:
		case <-again.C:
			term.send(key)
		}
	}
}

// until calls a condition after every output, until it holds, the program ends, or the patience is
// over.
func (term *terminal) until(done func() bool) bool {
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

// end types text that ends the program, and checks its exit code.
func (term *terminal) end(text string, want int) {
	term.t.Helper()
	term.send(text)
	_ = term.cmd.Wait() // the exit code says enough
	if code := term.cmd.ProcessState.ExitCode(); code != want {
		term.t.Errorf("exit status %d, want %d", code, want)
	}
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

// TestScreens types the input in testdata/screens and compares the screens that a person would see.
// █ is the cursor. -rewrite writes new expectations: read them, because they are pictures of the
// program.
//
//	start [cols=80] [rows=24] [args=(...)] [needs=program]
//	    runs ccbfsql; the input is more environment
//	type [wait=(text)] [colours]
//	    types the input, keys in angle brackets
//	fresh
//	    drops the input and clears the screen
//	sh
//	    a shell script in the folder of ccbfsql
//
// If a text to wait for is given, -rewrite waits for it.
func TestScreens(t *testing.T) {
	datadriven.Walk(t, "testdata/screens", func(t *testing.T, path string) {
		dir := t.TempDir()
		var term *terminal
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "sh":
				return shell(t, dir, d.Input)
			case "start":
				cols, rows := 80, 24
				var args []string
				var program string
				if d.MaybeScanArgs(t, "needs", &program); program != "" {
					if _, err := exec.LookPath(program); err != nil {
						t.Skip(err)
					}
				}
				d.MaybeScanArgs(t, "cols", &cols)
				d.MaybeScanArgs(t, "rows", &rows)
				for _, arg := range d.CmdArgs {
					if arg.Key == "args" {
						args = arg.Vals
					}
				}
				cmd := exec.Command(command, args...)
				cmd.Dir = dir
				cmd.Env = append(environment(filepath.Join(dir, ".history")), strings.Fields(d.Input)...)
				term = start(t, cols, rows, cmd)
				term.wait("ccbfsql> ")
				return ""
			case "fresh":
				term.t = t
				term.forget()
				term.send("<Ctrl-C>")
				term.wait("^C", "ccbfsql> ")
				term.send("<Ctrl-L>")
				term.wait(ansi.EraseEntireScreen, "ccbfsql> ")
				return ""
			case "type":
				term.t = t
				term.send(strings.ReplaceAll(d.Input, "\n", ""))
				var wait string
				d.MaybeScanArgs(t, "wait", &wait)
				return term.expect(d, wait)
			}
			t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
			return ""
		})
	})
}

var keys = strings.NewReplacer(
	"<Enter>", "\r", "<Tab>", "\t", "<Esc>", "\x1b", "<BS>", "\x7f",
	"<Up>", "\x1b[A", "<Down>", "\x1b[B", "<Right>", "\x1b[C", "<Left>", "\x1b[D",
	"<Home>", "\x1b[H", "<End>", "\x1b[F", "<Delete>", "\x1b[3~",
	"<Ctrl-C>", "\x03", "<Ctrl-D>", "\x04", "<Ctrl-L>", "\x0c", "<Ctrl-R>", "\x12", "<Ctrl-U>", "\x15",
	"<Paste>", "\x1b[200~", "</Paste>", "\x1b[201~", "<LF>", "\n",
)

// expect waits until the screen is the expected one or the patience is over, and returns the
// screen.
func (term *terminal) expect(d *datadriven.TestData, wait string) string {
	look := func() string { return term.screen(d.HasArg("colours")) }
	if !d.Rewrite {
		term.until(func() bool { return look() == d.Expected })
		return look()
	}
	term.until(func() bool { return strings.Contains(look(), wait) })
	term.settle()
	return look()
}

// changing matches what differs from run to run or with every version.
var changing = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`ccbfsql \S+ with DuckDB v\S+`), "ccbfsql V with DuckDB V"},
	{regexp.MustCompile(`real \d+\.\d{3} s`), "real N s"},
}

// screen returns the screen that a person would see, without blanks at the ends of lines.
func (term *terminal) screen(colours bool) string {
	term.vt.Lock()
	defer term.vt.Unlock()
	cols, rows := term.vt.Size()
	cursor := term.vt.Cursor()
	var lines, painted []string
	for y := range rows {
		var line, word strings.Builder
		paint := ""
		for x := range cols {
			cell := term.vt.Cell(x, y)
			if p := paintOf(cell); p != paint || cell.Char == ' ' && p == "" {
				if word.Len() > 0 && paint != "" {
					painted = append(painted, fmt.Sprintf("%s: %s", paint, strings.TrimSpace(word.String())))
				}
				word.Reset()
				paint = p
			}
			word.WriteRune(cell.Char)
			at := x == cursor.X && y == cursor.Y && term.vt.CursorVisible()
			switch {
			case at && cell.Char == ' ':
				line.WriteRune('█')
			case at:
				line.WriteString(string(cell.Char) + "\u0332") // underlined
			default:
				line.WriteRune(cell.Char)
			}
		}
		text := strings.TrimRight(line.String(), " ")
		for _, c := range changing {
			text = c.pattern.ReplaceAllString(text, c.name)
		}
		lines = append(lines, text)
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if colours {
		slices.Sort(painted)
		lines = append(append(lines, "--"), slices.Compact(painted)...)
	}
	return strings.Join(lines, "\n") + "\n"
}

// paintOf returns the name of a cell's colour, or "" for the usual one.
func paintOf(cell vt10x.Glyph) string {
	names := map[vt10x.Color]string{
		vt10x.Red: "red", vt10x.Green: "green", vt10x.Yellow: "yellow", vt10x.Blue: "blue",
		vt10x.Magenta: "magenta", vt10x.Cyan: "cyan", vt10x.LightGrey: "white", vt10x.DarkGrey: "grey",
		vt10x.LightRed: "red", vt10x.LightGreen: "green", vt10x.LightYellow: "yellow", vt10x.LightBlue: "blue",
		vt10x.LightMagenta: "magenta", vt10x.LightCyan: "cyan",
	}
	if cell.FG == vt10x.DefaultFG || cell.Char == ' ' {
		return ""
	}
	if cell.FG == vt10x.DefaultBG {
		return "reversed"
	}
	if name, ok := names[cell.FG]; ok {
		return name
	}
	return fmt.Sprintf("colour %d", cell.FG)
}

// TestHistory checks that two shells share a history, in which a statement of two lines is one, and that
// both end without an error. testdata/screens has what happens within a shell.
func TestHistory(t *testing.T) {
	history := filepath.Join(t.TempDir(), "state", "history")
	term := open(t, history)
	term.send("SELECT 'a;<Enter>b' AS text;<Enter>")
	term.wait("│   text  │", `│ a;\nb   │`, "ccbfsql> ")
	term.end("<Ctrl-D>", 0)

	term = open(t, history)
	term.send("<Up>")
	term.wait("SELECT 'a;", "b' AS text;")
	term.send("<Enter>")
	term.wait(`│ a;\nb   │`, "ccbfsql> ")
	term.end(".quit<Enter>", 0)
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
			term.send(".map -units plane SELECT ccbf_agg(x, x, 1) FROM range(10) t(x);<Enter>")
			term.wait("\x1b[c") // the last query to the terminal
			term.send(c.answer)
			term.wait(append(c.picture, "x 0 to 10, y 0 to 10; sketch total 10, cells of 1, up to 1 per cell", "ccbfsql> ")...)

			// The terminal's mode is restored, and the terminal is not queried again.
			term.send(".map -size 10x10 SELECT ccbf_agg(7, 8, 1);<Enter>")
			term.wait("x 7 to 8, y 8 to 9; sketch total 1, ", "ccbfsql> ")
			term.end(".quit<Enter>", 0)
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
			term.end("<Ctrl-C>", 130)
			if term.come([]string{"after"})() {
				t.Error("went on")
			}
		})
	}
}

// TestProgress checks that a long statement shows a progress bar, which disappears at its end.
func TestProgress(t *testing.T) {
	term := open(t, "")
	term.send("CREATE TABLE t AS FROM range(1000000) r(i);<Enter>")
	term.wait("ccbfsql> ")
	term.forget()
	term.send("SELECT count(*) FROM t a, t b WHERE a.i + b.i = -1;<Enter>")
	term.wait("%", "[", "]") // percentage, and the time so far
	if screen := term.screen(false); strings.Contains(screen, ":0s]") {
		t.Errorf("nothing is done, and no time is left:\n%s", screen)
	}
	term.press("<Ctrl-C>", "Interrupted")
	term.wait("ccbfsql> ")
	if screen := term.screen(false); strings.Contains(screen, "%") {
		t.Errorf("the bar is still there:\n%s", screen)
	}
}
