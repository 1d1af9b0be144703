package load

import (
	"embed"
	"strings"
	"text/template"

	"github.com/ccbfsql/ccbfsql/internal/queries"
)

//go:embed queries.sql
var files embed.FS

var statement = queries.Templates(files, "queries.sql", template.FuncMap{"add": func(a, b int) int { return a + b }, "join": strings.Join})

// values fill in the templates of queries.sql. The Draw makes their choices.
type values struct {
	draw
	Threads, Number, Rows, Distinct int
	Limited, Windows, Integer       bool
	Call                            string
}

func (v values) statement(name string) string { return statement(name, v) }
