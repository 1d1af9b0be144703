package main

import (
	"context"
	_ "embed"
	"errors"
	"slices"
	"strings"
	"text/template"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// layout is the template of docs/functions.md.
//
//go:embed functions.tmpl
var layout string

// section is a group of functions, with its introduction.
type section struct {
	Title, Text string
	Functions   []ccbfsql.Function
}

// page returns the text of docs/functions.md.
func page(ctx context.Context) ([]byte, error) {
	db, err := connector.Open("")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	written := 0
	functions := template.FuncMap{
		"families": filters.Families, "section": func(title, text string, of []ccbfsql.Function) section { return section{title, text, of} },
		"of": func(group string) []ccbfsql.Function {
			of := slices.DeleteFunc(ccbfsql.Functions(), func(f ccbfsql.Function) bool { return f.Group != group })
			written += len(of)
			return of
		},
		"first":  func(summary string) string { first, _ := firstSentence(summary); return first },
		"rest":   func(summary string) string { _, rest := firstSentence(summary); return rest },
		"shared": func(f ccbfsql.Function) []string { shared, _ := optionsOf(f); return shared },
		"own":    func(f ccbfsql.Function) []sketch.Option { _, own := optionsOf(f); return own },
		"wrap":   wrap, "clauses": clauses, "mistakes": mistakes, "seeAlso": seeAlso, "join": strings.Join,
		// answer returns the rows of an example as comments.
		"answer": func(query string) (rows string, err error) {
			err = db.QueryRowContext(ctx, strings.Replace(answer, "@", query, 1)).Scan(&rows)
			return rows, err
		},
	}
	var b strings.Builder
	err = template.Must(template.New("functions").Funcs(functions).Parse(layout)).Execute(&b, nil)
	if err == nil && written != len(ccbfsql.Functions()) {
		err = errors.New("functions.tmpl does not have the group of every function")
	}
	return []byte(b.String()), err
}

// answer returns the rows of the query @ as comments, one line per row. It is NULL if there are no rows.
const answer = `SELECT array_to_string(list('-- ' || array_to_string(list_transform(cells,
	lambda v: CASE WHEN len(v) > 80 THEN v[:80] || '…' ELSE coalesce(v, 'NULL') END), ' | ')), chr(10))
FROM (SELECT list_value(*COLUMNS(*)) AS cells FROM (SELECT COLUMNS(*)::VARCHAR FROM (@)))`

// firstSentence splits a description after its first sentence, which stands alone on the page.
func firstSentence(text string) (first, rest string) {
	first, rest, more := strings.Cut(text, ". ")
	if more {
		first += "."
	}
	return first, rest
}

// optionsOf returns the options of a function. shared has the names of those that the function X_agg of its
// family has in the same words, own the others.
func optionsOf(f ccbfsql.Function) (shared []string, own []sketch.Option) {
	all := ccbfsql.Functions()
	var build ccbfsql.Function
	if i := slices.IndexFunc(all, func(o ccbfsql.Function) bool { return o.Name == f.Group+"_agg" && o.Name != f.Name }); i >= 0 {
		build = all[i]
	}
	for _, o := range f.Options {
		if slices.ContainsFunc(build.Options, func(p sketch.Option) bool { return p.Name == o.Name && p.Summary == o.Summary }) {
			shared = append(shared, o.Name)
		} else {
			own = append(own, o)
		}
	}
	return shared, own
}

const width = 88 // longest line of code in characters

// wrap breaks a long signature after commas.
func wrap(s string) string {
	var b strings.Builder
	line := 0
	for i, part := range strings.Split(s, ", ") {
		switch {
		case i == 0:
		case line+len(part) > width:
			b.WriteString(",\n        ")
			line = 0
		default:
			b.WriteString(", ")
		}
		b.WriteString(part)
		line += len(part) + 2
	}
	return b.String()
}

// clauses puts the outermost FROM of a long query on a new line.
func clauses(query string) string {
	const from = " FROM "
	if len(query) <= width {
		return query
	}
	depth := 0
	for i, c := range query {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && strings.HasPrefix(query[i:], from):
			return query[:i] + "\n" + query[i+1:]
		}
	}
	return query
}
