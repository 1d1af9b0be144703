// Package help has the explanations of functions that sketch_help in SQL, .help and
// .functions in the shell and docs/functions.md show.
package help

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Entry is what is told of a function.
type Entry struct {
	Name, Group      string
	Signatures       []string
	Summary, Example string
	Options          []sketch.Option
}

// Entries returns the entries of functions.
func Entries(fs []duck.Function) []Entry {
	out := make([]Entry, len(fs))
	for i, f := range fs {
		out[i] = Entry{f.Name, f.Group, Signatures(f.Name, f.Overloads), f.Summary, f.Example, f.Options}
	}
	return out
}

// width is that of lines, where words let it be: a common terminal's.
const width = 80

// Text is how a function is called, what it does, its options, and last an example
// to be copied, which runs as it stands.
func (e *Entry) Text() string {
	var b strings.Builder
	e.head(&b)
	if len(e.Options) > 0 {
		b.WriteString("\n  Options, as fields of a STRUCT {...}:\n")
		for i := range e.Options {
			o := &e.Options[i]
			fmt.Fprintf(&b, "    %s: %s\n", o.Name, Values(o))
			wrap(&b, o.Summary, "        ")
		}
	}
	if e.Example != "" {
		fmt.Fprintf(&b, "\n  %s\n", strings.ReplaceAll(e.Example, "\n", "\n  "))
	}
	return b.String()
}

func (e *Entry) head(b *strings.Builder) {
	for _, signature := range e.Signatures {
		fmt.Fprintf(b, "  %s\n", signature)
	}
	wrap(b, e.Summary, "      ")
}

// Values says what an option may be, and what it is where it is not given.
func Values(o *sketch.Option) string {
	text := o.Values()
	if o.Default != "" {
		text += "; default " + o.Default
	}
	return text
}

// List is the entries under the names of their groups, which follow each other.
func List(entries []Entry) string {
	var b strings.Builder
	group := ""
	for i := range entries {
		e := &entries[i]
		if e.Group != group {
			fmt.Fprintf(&b, "%s\n", e.Group)
			group = e.Group
		}
		e.head(&b)
	}
	return b.String()
}

// wrap writes words in lines, each after the indent.
func wrap(b *strings.Builder, text, indent string) {
	line := 0
	for _, word := range strings.Fields(text) {
		switch {
		case line == 0:
			b.WriteString(indent)
			line = len(indent)
		case line+1+len(word) > width:
			b.WriteString("\n" + indent)
			line = len(indent)
		default:
			b.WriteByte(' ')
			line++
		}
		b.WriteString(word)
		line += len(word)
	}
	if line > 0 {
		b.WriteByte('\n')
	}
}

// Nearest is the name that is spelt most alike; empty where none is.
func Nearest(wanted string, names []string) string {
	best, least := "", 1+len(wanted)/3
	for _, name := range names {
		if d := levenshtein.ComputeDistance(strings.ToLower(wanted), strings.ToLower(name)); d < least {
			best, least = name, d
		}
	}
	return best
}
