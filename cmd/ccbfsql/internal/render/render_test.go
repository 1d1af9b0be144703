package render

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// fixture is a result for tests. It knows of every second row that another one follows.
type fixture struct {
	columns []Column
	rows    [][]Cell
	fail    error // error after the last row; nil: none
}

func (t *fixture) result() Rows {
	return Rows{t.columns, func(yield func(Row, error) bool) {
		for len(t.rows) > 0 {
			row := t.rows[0]
			t.rows = t.rows[1:]
			if !yield(Row{func(col int) Cell { return row[col] }, len(t.rows) % 2}, nil) {
				return
			}
		}
		if t.fail != nil {
			yield(Row{}, t.fail)
		}
	}}
}

// parse reads a table: a line with name:type for each column, then the rows. " | " separates
// values. NULL stands for itself; Go's escapes are allowed.
func parse(t *testing.T, text string) *fixture {
	unescape := func(s string) string {
		s, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	out := &fixture{}
	for n, line := range strings.Split(text, "\n") {
		var row []Cell
		for _, field := range strings.Split(line, " | ") {
			if n > 0 {
				row = append(row, Cell{Text: unescape(field), Null: field == "NULL"})
				continue
			}
			name, typ, _ := strings.Cut(field, ":")
			c := Column{Name: unescape(name), Type: typ}
			switch {
			case typ == "blob":
				c.Kind = Blob
			case typ == "boolean":
				c.Kind = Bool
			case typ == "json":
				c.Kind = JSON
			case strings.HasPrefix(typ, "int"), typ == "double":
				c.Kind = Number
			}
			out.columns = append(out.columns, c)
		}
		if n > 0 {
			out.rows = append(out.rows, row)
		}
	}
	return out
}

// TestModes runs the examples in testdata. "table" sets the table for the modes after it. "numbers"
// sets a table of numbered rows, "wide" one of many columns.
func TestModes(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var source func() *fixture
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch {
			case d.Cmd == "table" && d.Input != "":
				text := d.Input
				source = func() *fixture { return parse(t, text) }
				return ""
			case d.Cmd == "numbers":
				var n int
				d.ScanArgs(t, "rows", &n)
				source = func() *fixture { return numbers(n) }
				return ""
			case d.Cmd == "wide":
				var n int
				d.ScanArgs(t, "columns", &n)
				source = func() *fixture { return wide(n) }
				return ""
			}
			mode, err := Find(d.Cmd)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Header: !d.HasArg("noheader"), Null: mode.Null, MaxRows: 40, Width: 80, Short: mode.Short || d.HasArg("short"), Turned: d.HasArg("turned")}
			if d.HasArg("page") {
				o.Page = Page{Lines: 24, Wide: true}
			}
			if d.HasArg("described") {
				o.Describe = func(bytes string) (string, bool) { return "a sketch", strings.HasPrefix(bytes, "abc") }
			}
			if d.HasArg("widths") {
				o.Widths = []int{3, -8}
			}
			d.MaybeScanArgs(t, "table", &o.Table)
			d.MaybeScanArgs(t, "null", &o.Null)
			d.MaybeScanArgs(t, "separator", &o.Separator)
			d.MaybeScanArgs(t, "rows", &o.MaxRows)
			d.MaybeScanArgs(t, "width", &o.Width)
			var b strings.Builder
			if err := mode.Render(&b, source().result(), o); err != nil {
				t.Fatal(err)
			}
			return b.String()
		})
	})
}

func numbers(n int) *fixture {
	out := &fixture{columns: []Column{{Name: "n", Type: "int64", Kind: Number}}}
	for i := range n {
		out.rows = append(out.rows, []Cell{{Text: strconv.Itoa(i)}})
	}
	return out
}

func wide(n int) *fixture {
	out := &fixture{rows: [][]Cell{nil}}
	for i := range n {
		out.columns = append(out.columns, Column{Name: "column" + strconv.Itoa(i), Type: "varchar"})
		out.rows[0] = append(out.rows[0], Cell{Text: "value " + strconv.Itoa(i)})
	}
	return out
}

func TestFailure(t *testing.T) {
	broken := errors.New("broken")
	for _, mode := range Modes {
		in := parse(t, "a:int32 | b:varchar\n1 | x\n2 | y\n3 | z")
		in.fail = broken
		var b strings.Builder
		if err := mode.Render(&b, in.result(), Options{Header: true}); !errors.Is(err, broken) {
			t.Errorf("%s: error %v", mode.Name, err)
		}
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") && !strings.HasSuffix(b.String(), "\x1e") {
			t.Errorf("%s: the last line is not ended: %q", mode.Name, b.String())
		}
	}
}

// TestClosed checks that every mode stops when a write fails.
func TestClosed(t *testing.T) {
	for _, mode := range Modes {
		if mode.Name == "trash" { // writes nothing
			continue
		}
		in := numbers(100_000)
		if err := mode.Render(closed{}, in.result(), Options{Header: true}); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s: error %v", mode.Name, err)
		}
		if len(in.rows) == 0 && !slices.Contains([]string{"duckbox", "box", "table", "column", "markdown"}, mode.Name) {
			t.Errorf("%s: read to the end", mode.Name)
		}
	}
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func FuzzFit(f *testing.F) {
	f.Add([]byte{3, 30, 200}, 20)
	f.Add([]byte{}, 1)
	f.Fuzz(func(t *testing.T, lengths []byte, width int) {
		if width < 1 || width > 1000 || len(lengths) > 500 {
			return
		}
		natural := make([]int, len(lengths))
		for i, n := range lengths {
			natural[i] = int(n) + 1
		}
		widths, from, to := fit(natural, width)
		visible := len(natural) - (to - from)
		if from > to || len(natural) > 0 && visible == 0 {
			t.Errorf("%d columns, all from %d to %d are left out", len(natural), from, to)
		}
		for i, w := range widths {
			if w < 1 || w > natural[i] {
				t.Errorf("column %d of %d is %d wide", i, natural[i], w)
			}
		}
		line := 1
		for _, w := range leaveOut(widths, from, to, 1) {
			line += w + 3
		}
		if visible > 1 && line > width {
			t.Errorf("%d columns take %d of %d", visible, line, width)
		}
	})
}
