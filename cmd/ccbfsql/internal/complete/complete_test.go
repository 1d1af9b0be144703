package complete

import (
	"cmp"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// db is a database that returns the same suggestions for every text.
var db = &Database{
	Suggest: func(text string) (out []Suggestion) {
		for _, s := range suggestions {
			s.Start = strings.LastIndexAny(text, " (,.'") + 1
			if isFile := s.Type == "file_name" || s.Type == "directory"; isFile == (strings.Count(text, "'")%2 == 1) {
				out = append(out, s)
			}
		}
		return out
	},
	Keywords: map[string]bool{"order": true},
	Internal: map[string]bool{"columns": true},
	Commands: []Command{
		{Name: "help", Args: "[NAME]"}, {Name: "headers", Args: "on|off"}, {Name: "quit"},
		{Name: "read", Args: "FILE"}, {Name: "import", Args: "FILE TABLE"}, {Name: "mode", Args: "[MODE]"},
		{Name: "print", Args: "TEXT..."},
		{Name: "map", Args: "[OPTIONS] QUERY", Options: []Option{
			{Name: "-o", Value: "FILE.png"}, {Name: "-scale", Value: "NAME", Values: []string{"log", "sqrt", "linear"}}, {Name: "-size", Value: "WxH"},
		}},
	},
	Modes: []string{"csv", "json"},
	Functions: []ccbfsql.Function{
		{Name: "ccbf_get", Signatures: []string{"ccbf_get(s BLOB) -> UBIGINT"}, Summary: "Reads."},
		{Name: "make", Signatures: []string{"make(x DOUBLE, options STRUCT) -> BLOB"}, Options: []sketch.Option{
			{Name: "bytes", Kind: sketch.WholeKind, Range: "from 1 to 9", Default: "5", Summary: "Size."},
			{Name: "mode", Kind: sketch.TextKind, Choices: []string{"mi", "standard"}, Default: "'mi'"},
			{Name: "exact", Kind: sketch.FlagKind, Default: "true"},
		}},
	},
}

var suggestions = []Suggestion{
	{Text: "lon", Type: "column"},
	{Text: `"Lower Saxony"`, Type: "column"},
	{Text: `"order"`, Type: "column"},
	{Text: `"months"`, Type: "table"},
	{Text: `"columns"`, Type: "table"},
	{Text: "main.", Type: "schema"},
	{Text: "local ", Type: "keyword"},
	{Text: "<= ", Type: "keyword"},
	{Text: `"left"`, Type: "scalar_function"},
	{Text: `"%"`, Type: "scalar_function"},
	{Text: "ccbf_get", Type: "scalar_function"},
	{Text: "threads", Type: "setting"},
	{Text: "points.csv'", Type: "file_name"},
	{Text: "data/", Type: "directory"},
}

func texts(candidates []Candidate) string {
	var out []string
	for _, c := range candidates {
		out = append(out, c.Text)
	}
	return strings.Join(out, ",")
}

// completes checks the completions of a text, which must go on with what is typed. want "?" means any.
func completes(t *testing.T, text, want string, complete func(text string, db *Database) (int, []Candidate)) {
	t.Helper()
	start, got := complete(text, db)
	if want != "?" && texts(got) != want {
		t.Errorf("%s: %s, want %s", text, texts(got), want)
	}
	for _, c := range got {
		if !hasPrefix(c.Text, text[start:]) {
			t.Errorf("%s: %q does not go on with %q", text, c.Text, text[start:])
		}
	}
}

func TestStatement(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"SELECT lo", "lon,local "},
		{"SELECT LO", "lon,local "}, // case does not matter
		{"SELECT le", "left("},      // a function needs no quotes
		{"SELECT ccb", "ccbf_get("},
		{`SELECT "lo`, `"Lower Saxony"`},
		{"SELECT or", ""}, // needs a quote first
		{`SELECT "or`, `"order"`},
		{"FROM mo", "months"},
		{"SET th", "threads"},
		{"FROM co", "columns"},
		// Before a letter is typed, functions, keywords and DuckDB's own tables are left out.
		{"SELECT ", `"Lower Saxony","order",lon,months,threads`},
		{"SELECT 1 -- lo", ""},
		{"SELECT /* lo", ""},
		{"SELECT 'lo", ""},
		{"FROM 'poi", "points.csv'"},
		{"FROM 'data/", "data/"},
	} {
		completes(t, tt.text, tt.want, Statement)
	}
}

// In the braces of a function's options, option names and their values are completed.
func TestOptions(t *testing.T) {
	const columns = `"Lower Saxony","order",lon,months,threads`
	for _, tt := range []struct{ text, want, hint string }{
		{"SELECT make(1, {", "bytes: ,mode: ,exact: ", "make(x DOUBLE, options STRUCT) -> BLOB"},
		{"SELECT make(1, { ", "bytes: ,mode: ,exact: ", ""},
		{"SELECT make(1, {M", "mode: ", ""},
		{"SELECT MAKE(f(1, 2), {mode: 'mi', ", "bytes: ,exact: ", ""},
		{"SELECT make(1, {bytes: [1, {a: 2}], e", "exact: ", ""},
		{"SELECT make(1, {mode: 'mi'::VARCHAR, b", "bytes: ", ""},
		{"SELECT make(1, {mode: ", "'mi','standard'", "mode: 'mi' or 'standard'; default 'mi'"},
		{"SELECT make(1, {mode:'st", "'standard'", ""},
		{"SELECT make(1, {exact: /* or not */ f", "false", "exact: BOOLEAN; default true"},
		{"SELECT make(1, {mode: 'x' || 'st", "", ""}, // an expression, not only a value
		{"SELECT make(1, {bytes: ", columns, "bytes: a whole number from 1 to 9; default 5  Size."},
		{"SELECT make(1, {none: ", columns, "make(x DOUBLE, options STRUCT) -> BLOB"},
		{"SELECT make(1, {bytes: lo", "lon,local ", ""},
		{"SELECT make(1, {bytes lo", "lon,local ", ""},
		{"SELECT make(1, {mode: 'mi'}, ", columns, "make(x DOUBLE, options STRUCT) -> BLOB"},
		{"SELECT make([{ ", columns, ""}, // not an argument of the function itself
		{"SELECT ccbf_get(s, { ", columns, "ccbf_get(s BLOB) -> UBIGINT  Reads."},
		{"SELECT make(1, {mode: 'mi'}); SELECT { ", columns, ""},
		// The hint is about the function whose arguments are being typed.
		{"SELECT ccbf_get (s, make(1, 2), lo", "lon,local ", "ccbf_get(s BLOB) -> UBIGINT  Reads."},
		{"SELECT ccbf_get(s, make(1, lo", "lon,local ", "make(x DOUBLE, options STRUCT) -> BLOB"},
		{"SELECT ccbf_get('(', /* make( */ \"make(\", lo", "lon,local ", "ccbf_get(s BLOB) -> UBIGINT  Reads."},
		{"SELECT ccbf_get((1 + lo", "lon,local ", "ccbf_get(s BLOB) -> UBIGINT  Reads."},
		{"SELECT ccbf_get({a: [1, lo", "lon,local ", "ccbf_get(s BLOB) -> UBIGINT  Reads."},
		{"SELECT make(1; ccbf_get(lo", "lon,local ", "ccbf_get(s BLOB) -> UBIGINT  Reads."},
		{"SELECT make(1), lo", "lon,local ", "none"},
		{"SELECT ), lo", "lon,local ", "none"},
	} {
		completes(t, tt.text, tt.want, Statement)
		if hint := cmp.Or(Hint(tt.text, db), "none"); tt.hint != "" && hint != tt.hint {
			t.Errorf("%s: hint %q, want %q", tt.text, hint, tt.hint)
		}
	}
}

func TestDot(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{".he", ".help ,.headers "},
		{".q", ".quit"},
		{".x", ""},
		{".read ", "data/,points.csv"},
		{".read p", "points.csv"},
		{".read points.csv ", ""},
		{".import p", "points.csv"},
		{".import points.csv m", "main.,months"},
		{".headers o", "off,on"},
		{".mode c", "csv"},
		{".help ccb", "ccbf_get"},
		{".help he", "headers,help"},
		{".print r", ""},
		{".nonsense r", ""},
		{".map -", "-o ,-scale ,-size "},
		{".map -s", "-scale ,-size "},
		{".map -o p", "points.csv"},
		{".map -o run.png -scale l", "log ,linear "},
		{".map -size 9", ""},
		{".map -o 'my run.png' -scale l", "log ,linear "},
		{".map -nonsense l", ""},
		{".map FROM m", "main.,months"},
		{" .map -o a.png  -scale log  FROM m", "main.,months"},
	} {
		completes(t, tt.text, tt.want, Dot)
	}
}

func FuzzStatement(f *testing.F) {
	for _, seed := range []string{"SELECT lo", "FROM 'a", "f(g('", "make({mode: 's", "make({b", "E'\\", "$a$", "/*", `"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) { completes(t, text, "?", Statement) })
}
