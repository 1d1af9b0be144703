package pipeline

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Column is a column of a query. Combine is the aggregate that unites its values of the
// same key; empty: the column is part of the key.
type Column struct{ Name, Type, Combine string }

// Plan is all that a worker is told of a run.
type Plan struct {
	Options
	Input, Columns []Column
	Folder         string // of the run, which no other run has
	Program        string // SHA-256 of the workers' program; empty: they are this one
}

//go:embed analyze.sql
var analyzeSQL string

// analyze returns the columns of an aggregate query over input, and how each is united. A
// query that cannot be united over parts of input is an error.
func analyze(ctx context.Context, conn *sql.Conn, text string, combine map[string]string) ([]Column, error) {
	columns, unknown := describe(ctx, conn, text)
	given := make([]*string, len(columns))
	for i, c := range columns {
		if slices.ContainsFunc(columns[:i], func(o Column) bool { return strings.EqualFold(o.Name, c.Name) }) {
			return nil, fmt.Errorf("column %q is there twice: name one of the two by AS", c.Name)
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
	for name := range combine {
		if !slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name }) {
			return nil, fmt.Errorf("-combine %s: the query has no such column", name)
		}
	}
	for i := range columns {
		columns[i].Combine = found[0].Combine[i]
	}
	return columns, nil
}

// fill fills in the plan, by the columns of the first file. write fills in the query.
func (p *Plan) fill(ctx context.Context, files []string, write func(context.Context, *sql.Conn) error) error {
	return named(files[0], withEngine(ctx, p, func(conn *sql.Conn, dir string) error {
		file, err := fetch(ctx, files[0], dir)
		if err != nil {
			return err
		}
		from := p.table(file)
		if p.Input, err = describe(ctx, conn, "FROM "+from); err != nil {
			return err
		}
		if err := execute(ctx, conn, "CREATE TEMP VIEW input AS FROM "+from); err != nil {
			return err
		}
		if err := write(ctx, conn); err != nil {
			return err
		}
		if p.Columns, err = analyze(ctx, conn, p.SQL, p.Combine); err != nil {
			return fmt.Errorf("-sql: %w", err)
		}
		for i, c := range p.Columns {
			switch c.Type { // Parquet has no such numbers, and DuckDB would write DOUBLE
			case "HUGEINT", "UHUGEINT":
				p.Columns[i].Type = "DECIMAL(38,0)"
			case "BIT", "UNION", "TIME_NS", "BIGNUM", "VARIANT":
				return fmt.Errorf("-sql: column %q is %s, which Parquet does not keep: cast it to VARCHAR", c.Name, c.Type)
			}
			if strings.HasPrefix(c.Type, "ENUM") {
				p.Columns[i].Type = "VARCHAR"
			}
		}
		return p.try(ctx, conn, from)
	}))
}

// firstRows is how many rows of the first file the client tries the query on.
const firstRows = 100

// try runs the query over the first rows of a table, which finds wrong options of functions.
func (p *Plan) try(ctx context.Context, conn *sql.Conn, from string) error {
	err := execute(ctx, conn, fmt.Sprintf("CREATE OR REPLACE TEMP VIEW input AS FROM (FROM %s LIMIT %d) WHERE %s IS NULL", from, firstRows, p.reason()))
	if err != nil {
		return fmt.Errorf("-check: %w", err)
	}
	if err := execute(ctx, conn, p.part(), "CREATE TEMP VIEW result AS SELECT * EXCLUDE (ccbf_hash) FROM ccbf_part LIMIT 0"); err != nil {
		return fmt.Errorf("-sql: %w", err)
	}
	if _, err := describe(ctx, conn, p.final()); err != nil {
		return fmt.Errorf("-final: %w", err)
	}
	return nil
}

// reason is the expression of what is wrong with a row of input.
func (p *Plan) reason() string {
	if p.Check == "" {
		return "NULL::VARCHAR"
	}
	return "(" + p.Check + ")::VARCHAR"
}

// part makes a table of the query's result, with the hash of each key.
func (p *Plan) part() string {
	key := list(p.Columns, func(c Column) string {
		if c.Combine != "" {
			return ""
		}
		return quote(c.Name)
	})
	if key == "" {
		key = "0"
	}
	return fmt.Sprintf("CREATE OR REPLACE TEMP TABLE ccbf_part AS SELECT %s, hash(%s) AS ccbf_hash FROM (%s)", list(p.Columns, cast), key, p.SQL)
}

// union is the query that unites the rows of a table with the same key.
func (p *Plan) union(table string) string {
	columns := list(p.Columns, func(c Column) string {
		if c.Combine == "" {
			return quote(c.Name)
		}
		return fmt.Sprintf("CAST(%s(%s) AS %s) AS %[2]s", c.Combine, quote(c.Name), c.Type)
	})
	return "SELECT " + columns + " FROM " + table + " GROUP BY ALL"
}

// final is the query over result that each file is written by.
func (p *Plan) final() string {
	if p.Final == "" {
		return "FROM result"
	}
	return p.Final
}

// derived are the columns that -final makes of a sketch where nothing else is said.
var derived = []string{"total", "xmin", "ymin", "xmax", "ymax"}

// writeUnion writes the query that unites the rows of input: BLOBs that are sketches by the union
// of their family. All other columns are the key, but those of -combine, and those that -final makes anew.
func (p *Plan) writeUnion(ctx context.Context, conn *sql.Conn) error {
	var out []string
	sketches := false
	for _, c := range p.Input {
		by := p.Combine[c.Name]
		if by == "" && c.Type == "BLOB" {
			found, err := query[struct{ Family string }](ctx, conn, fmt.Sprintf("SELECT any_value((TRY(sketch_info(%s))).family) AS family FROM input", quote(c.Name)))
			if err != nil {
				return err
			}
			if family := found[0].Family; family != "" {
				by, sketches = family+"_union_agg", true
				if family == "ccbf" && c.Name == "sketch" && p.Final == "" {
					p.Final = finalOfCCBF
				}
			}
		}
		if by != "" {
			out = append(out, fmt.Sprintf("%s(%s) AS %[2]s", by, quote(c.Name)))
		} else if p.Final != finalOfCCBF || !slices.Contains(derived, c.Name) {
			out = append(out, quote(c.Name))
		}
	}
	if !sketches {
		return errors.New("compact: the first file has no column of sketches")
	}
	p.SQL = "SELECT " + strings.Join(out, ", ") + " FROM input GROUP BY ALL"
	return nil
}

// explain writes what a run would do.
func (p *Plan) explain(w io.Writer, in []string) {
	fmt.Fprintf(w, "-- for each of %d files, such as %s\n%s;\n", len(in), in[0], p.SQL)
	if p.Check != "" {
		fmt.Fprintf(w, "-- rows are bad, with this as the reason, where it is not NULL\nSELECT %s FROM input;\n", p.Check)
	}
	fmt.Fprintf(w, "-- and of the results\n%s;\n", p.union("result"))
	if p.Final != "" {
		fmt.Fprintf(w, "-- and of that, for each file\n%s;\n", p.Final)
	}
}
