package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/cockroachdb/datadriven"
	"github.com/hinshun/vt10x"
)

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
				term.send(keys.Replace("<Ctrl-C>"))
				term.wait("^C", "ccbfsql> ")
				term.send(keys.Replace("<Ctrl-L>"))
				term.wait(ansi.EraseEntireScreen, "ccbfsql> ")
				return ""
			case "type":
				term.t = t
				term.send(keys.Replace(strings.ReplaceAll(d.Input, "\n", "")))
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
	"<Home>", "\x1b[H", "<End>", "\x1b[F",
	"<Ctrl-C>", "\x03", "<Ctrl-D>", "\x04", "<Ctrl-L>", "\x0c", "<Ctrl-R>", "\x12", "<Ctrl-U>", "\x15",
	"<Paste>", "\x1b[200~", "</Paste>", "\x1b[201~", "<LF>", "\n",
)

// expect waits until the screen is the expected one or the patience is over, and returns the
// screen.
func (term *terminal) expect(d *datadriven.TestData, wait string) string {
	look := func() string { return term.screen(d.HasArg("colours")) }
	if !d.Rewrite {
		term.until(patience, func() bool { return look() == d.Expected })
		return look()
	}
	term.until(patience, func() bool { return strings.Contains(look(), wait) })
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
