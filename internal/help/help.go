// Package help has the explanations of functions that sketch_help in SQL, .help and
// .functions in the shell and docs/functions.md show.
package help

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Entry is the explanation of a function.
type Entry struct {
	Name, Group      string
	Signatures       []string
	Summary, Example string
	Options          []sketch.Option
}

// Entries returns the entries of functions.
func Entries(fs []duck.Function) []Entry {
	out := make([]Entry, len(fs))
	for i := range fs {
		f := &fs[i]
		out[i] = Entry{f.Name, f.Group, Signatures(f.Name, f.Overloads), f.Summary, f.Example, f.Options()}
	}
	return out
}

// width is the largest length of a line, as in a common terminal. Only longer words exceed it.
const width = 80

// Text returns the signatures of a function, its description, its options, and an example that runs when
// it is copied.
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

// Values describes the valid values of an option and its default.
func Values(o *sketch.Option) string {
	text := o.Values()
	if o.Default != "" {
		text += "; default " + o.Default
	}
	return text
}

// List returns the signatures and descriptions of the entries, under the names of their groups. Entries of
// a group must be consecutive.
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

// wrap writes text in lines of at most width characters, each after the indent.
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

// AnyOf joins the names of a choice: "a, b or c". There are at least two.
func AnyOf(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Suggestion returns the end of an error message about a wrong name: the name with the most similar
// spelling, or "" if none is similar.
func Suggestion(wanted string, names []string) string {
	if name := Nearest(wanted, names); name != "" {
		return fmt.Sprintf("; did you mean %q?", name)
	}
	return ""
}

// longest is the length of a wrong name in bytes above which no similar name is searched: the time grows
// with the lengths of both.
const longest = 100

// Nearest returns the name with the most similar spelling, or "" if none is similar.
func Nearest(wanted string, names []string) string {
	if len(wanted) > longest {
		return ""
	}
	best, least := "", 1+len(wanted)/3
	for _, name := range names {
		if len(name) > utf8.UTFMax*(len(wanted)+least) {
			continue // too long to be similar: the distance is at least the difference of the lengths
		}
		if d := distance(strings.ToLower(wanted), strings.ToLower(name)); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance returns how many letters of two words differ. Letters that changed places count once.
func distance(a, b string) int {
	letters := func(word string) []byte { return slices.Sorted(slices.Values([]byte(word))) }
	d := levenshtein.ComputeDistance(a, b)
	if d == 2 && slices.Equal(letters(a), letters(b)) {
		return 1
	}
	return d
}
