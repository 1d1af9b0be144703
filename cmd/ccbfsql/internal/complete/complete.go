// Package complete finds completions for a half-typed statement or dot command, and the function
// whose arguments are being typed. It does not use the terminal.
package complete

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
)

// Candidate is one completion.
type Candidate struct {
	Text  string // Text that replaces the half-typed word.
	Show  string // Text that the list of candidates shows.
	Help  string // Explanation that the list shows beside Show.
	Group string // Heading under which the list shows the candidate.
}

// Headings of the lists.
const (
	Columns   = "columns"
	Tables    = "tables"
	Files     = "files"
	Functions = "functions"
	Settings  = "settings"
	Keywords  = "keywords"
	Options   = "options"
)

var order = []string{Columns, Tables, Files, Functions, Settings, Keywords}

// Suggestion is a completion by DuckDB's function sql_auto_complete.
type Suggestion struct {
	Text  string
	Type  string
	Start int // byte of the input at which the word to replace begins
}

// inOneLine returns the signature and summary of a function, without its name.
func inOneLine(f ccbfsql.Function) string {
	if len(f.Signatures) == 0 {
		return f.Summary
	}
	signature := strings.TrimPrefix(f.Signatures[0], f.Name)
	if f.Summary == "" {
		return signature
	}
	return signature + "  " + f.Summary
}

// Database describes the database.
type Database struct {
	Suggest   func(text string) []Suggestion
	Functions []ccbfsql.Function
	Keywords  map[string]bool // keywords in lower case; true: the word needs quotes to be a name
	Internal  map[string]bool // names of DuckDB's own views
	Commands  []Command       // dot commands
	Modes     []string        // names of the output modes
}

// Function returns the function of a name.
func (db *Database) Function(name string) (f ccbfsql.Function, ok bool) {
	i := slices.IndexFunc(db.Functions, func(f ccbfsql.Function) bool { return strings.EqualFold(f.Name, name) })
	if i < 0 {
		return f, false
	}
	return db.Functions[i], true
}

// Statement returns completions of a SQL text at its end. They replace text[start:].
func Statement(text string, db *Database) (start int, out []Candidate) {
	tokens := lexer.Tokens(text)
	if p, ok := placeOf(text, tokens, db); ok {
		if out, ok := p.candidates(text); ok {
			return p.start, out
		}
	}
	if n := len(tokens); n > 0 && tokens[n-1].Kind == lexer.Comment && (tokens[n-1].Open || strings.HasPrefix(text[tokens[n-1].Start:], "--")) {
		return len(text), nil
	}
	start = len(text)
	for _, s := range db.Suggest(text) {
		if s.Start < 0 || s.Start > len(text) {
			continue
		}
		if c, ok := candidate(s, text[s.Start:], db); ok {
			start = s.Start
			out = append(out, c)
		}
	}
	if start == len(text) {
		out = fewer(out, db)
	}
	return start, sorted(out)
}

// fewer shortens the list of candidates for a word of which no letter is typed yet. It leaves out
// functions and DuckDB's own tables. If columns or tables remain, it leaves out keywords too.
func fewer(all []Candidate, db *Database) []Candidate {
	all = slices.DeleteFunc(all, func(c Candidate) bool {
		return c.Group == Functions ||
			c.Group == Tables && (strings.HasSuffix(c.Text, ".") || db.Internal[strings.Trim(c.Text, `"`)])
	})
	names := slices.ContainsFunc(all, func(c Candidate) bool { return c.Group == Columns || c.Group == Tables })
	return slices.DeleteFunc(all, func(c Candidate) bool { return c.Group == Keywords && names })
}

func sorted(all []Candidate) []Candidate {
	slices.SortFunc(all, func(a, b Candidate) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, a.Group), slices.Index(order, b.Group)),
			strings.Compare(strings.ToLower(a.Text), strings.ToLower(b.Text)),
			strings.Compare(a.Text, b.Text))
	})
	return slices.CompactFunc(all, func(a, b Candidate) bool { return a.Text == b.Text })
}

// simple matches names that need no quotes.
var simple = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// candidate converts a suggestion. ok is false if the suggestion does not begin with word, the
// half-typed word: DuckDB also suggests similar words.
func candidate(s Suggestion, word string, db *Database) (Candidate, bool) {
	name := s.Text
	if bare, ok := strings.CutPrefix(name, `"`); ok {
		bare = strings.ReplaceAll(strings.TrimSuffix(bare, `"`), `""`, `"`)
		function := strings.HasSuffix(s.Type, "function")
		if simple.MatchString(bare) && (function || !db.Keywords[bare]) {
			name = bare
		}
	}
	if !hasPrefix(name, word) {
		return Candidate{}, false
	}
	c := Candidate{Text: name, Show: strings.TrimSpace(name)}
	switch s.Type {
	case "column":
		c.Group = Columns
	case "table", "view", "schema", "catalog":
		c.Group = Tables
	case "setting":
		c.Group = Settings
	case "file_name", "directory":
		c.Group, c.Show = Files, strings.TrimSuffix(name, "'")
	case "keyword":
		c.Group = Keywords
		return c, simple.MatchString(strings.ToLower(c.Show))
	default:
		if !simple.MatchString(strings.ToLower(name)) {
			return Candidate{}, false // DuckDB lists operators as functions
		}
		c = Candidate{Text: name + "(", Show: name, Group: Functions}
		if f, ok := db.Function(name); ok {
			c.Help = inOneLine(f)
		}
	}
	return c, true
}

func hasPrefix(name, prefix string) bool {
	return len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
}
