package load

import (
	_ "embed"
	"strings"
	"text/template"
)

//go:embed queries.sql
var queriesSQL string

var templates = template.Must(template.New("").Funcs(template.FuncMap{"add": func(a, b int) int { return a + b }, "join": strings.Join}).Parse(queriesSQL))

// values are what the templates of queries.sql choose from at random, and what they need to know.
type values struct {
	draw
	Threads, Number, Rows, Distinct int
	Limited, Windows, Integer       bool
	Call                            string
}

// statement returns the statement that a template makes of values.
func (v values) statement(name string) string { return statement(name, v) }

func statement(name string, of any) string {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, of); err != nil {
		panic(err) // an error here is a bug
	}
	return strings.TrimSpace(b.String())
}

// fill replaces the names $name in a text by values: fill("$s > 0", "s", "s0").
func fill(text string, pairs ...string) string {
	with := make([]string, len(pairs))
	for i, p := range pairs {
		if i%2 == 0 {
			p = "$" + p
		}
		with[i] = p
	}
	return strings.NewReplacer(with...).Replace(text)
}
