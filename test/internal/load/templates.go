package load

import (
	_ "embed"
	"strings"
	"text/template"
)

//go:embed queries.sql
var queriesSQL string

var templates = template.Must(template.New("").Funcs(template.FuncMap{"add": func(a, b int) int { return a + b }}).Parse(queriesSQL))

// values are what the templates of queries.sql choose from at random, and what they need to know.
type values struct {
	draw
	Threads, Number, Rows, Distinct int
	Limited, Windows, Integer       bool
	Call                            string
}

// statement returns the statement that a template makes.
func (v values) statement(name string) string {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, v); err != nil {
		panic(err) // an error here is a bug
	}
	return strings.TrimSpace(b.String())
}
