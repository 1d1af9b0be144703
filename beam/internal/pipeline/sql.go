package pipeline

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"
)

//go:embed steps.sql
var stepsSQL string

var steps = template.Must(template.New("").Funcs(template.FuncMap{
	"quote": quote, "text": text, "contains": strings.Contains, "format": formatOf, "examples": func() int { return maxExamples },
	"try":    try,
	"number": func(column string) string { return try(column, "DOUBLE") },
	"needs": func(column, kind, what string) string {
		return fmt.Sprintf("WHEN %s IS NULL THEN %s WHEN %s IS NULL THEN %s", quote(column), text(column+" is NULL"), try(column, kind), text(column+" is not "+what))
	},
}).Parse(stepsSQL))

// step has the values that are put into a statement of steps.sql. Path is the file
// or table expression to read, To the file or folder to write.
type step struct {
	*Plan
	Piece
	Path, To, Query string
}

// statement returns a statement of steps.sql with its values.
func (s step) statement(name string) string {
	var b strings.Builder
	if err := steps.ExecuteTemplate(&b, name, s); err != nil {
		panic(err) // an error here is a bug
	}
	return b.String()
}

// do runs a statement of steps.sql.
func (s step) do(ctx context.Context, conn *sql.Conn, name string) error {
	_, err := conn.ExecContext(ctx, s.statement(name))
	return err
}

// try returns SQL that casts a column to a type, or NULL if that fails.
func try(column, kind string) string { return fmt.Sprintf("TRY_CAST(%s AS %s)", quote(column), kind) }

// quote returns a quoted SQL identifier.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// text returns a SQL string.
func text(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// query returns the rows of a query. Its columns have the names of T's fields.
func query[T any](ctx context.Context, conn *sql.Conn, text string, args ...any) (rows []T, err error) {
	var b []byte
	err = conn.QueryRowContext(ctx, "SELECT coalesce(to_json(list(t)), '[]')::VARCHAR FROM ("+text+"\n) t", args...).Scan(&b)
	if err == nil {
		err = json.Unmarshal(b, &rows)
	}
	return rows, err
}

// describe returns the names of a query's columns and their types in Parquet. Parquet has no
// HUGEINT, and DuckDB would write it as DOUBLE.
func describe(ctx context.Context, conn *sql.Conn, text string) ([]Column, error) {
	return query[Column](ctx, conn, "SELECT column_name AS name, CASE WHEN column_type IN ('HUGEINT', 'UHUGEINT') THEN 'DECIMAL(38,0)' "+
		"WHEN starts_with(column_type, 'ENUM') THEN 'VARCHAR' ELSE column_type END AS type FROM (DESCRIBE "+text+"\n)")
}

//go:embed analyze.sql
var analyzeSQL string

// analyze returns the columns of an aggregate query over input, and how each is united. A
// query that cannot be united over parts of input is an error.
func analyze(ctx context.Context, conn *sql.Conn, text string, combine map[string]string) ([]Column, error) {
	columns, unknown := describe(ctx, conn, text)
	for name, by := range combine {
		if unknown == nil && !slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name }) {
			return nil, fmt.Errorf("-combine %s=%s: no such column: the query has %s", name, by, namesOf(columns))
		}
	}
	given := make([]*string, len(columns))
	for i, c := range columns {
		if has(columns[:i], c.Name) {
			return nil, fmt.Errorf("the query has two columns %q: name one of the two with AS", c.Name)
		}
		if by, ok := combine[c.Name]; ok {
			given[i] = &by
		}
	}
	b, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	found, err := query[struct {
		Problem string
		Combine []string
	}](ctx, conn, analyzeSQL, text, string(b))
	switch {
	case err != nil:
		return nil, err
	case found[0].Problem != "":
		return nil, errors.New(found[0].Problem)
	case unknown != nil:
		return nil, unknown
	case len(found[0].Combine) != len(columns):
		return nil, errors.New("SELECT * has columns without a name: name each one")
	}
	for i := range columns {
		columns[i].Combine = found[0].Combine[i]
	}
	return columns, nil
}
