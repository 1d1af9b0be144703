package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// group is a heading and what stands under it, by Function.Group.
type group struct{ name, title, text string }

// groups are those of the families and those of no family. A group that is not
// among them comes after these under its own name.
func groups() []group {
	var gs []group
	for _, f := range filters.Families() {
		gs = append(gs, group{f.ID.String(), f.Title + ": " + f.ID.String() + "_", f.About})
	}
	return append(gs,
		group{"sketch", "Any sketch: sketch_", "`sketch_advise` chooses a family; the others read the header that all families share."},
		group{"polygons", "Polygons on the globe", "A sketch knows no globe: coordinates are those of a plane. [POLYGONS.md](POLYGONS.md#on-the-globe) has the rule by which one is laid on the other."},
		group{"tiles", "Map tiles", "Web mercator tiles, to group by. Longitudes from -180 to 180, latitudes up to 85.0511 degrees; zoom levels from 0 on."},
		group{"process", "Memory and version", "Aggregates keep what does not fit into DuckDB's own states in memory beside it, within one budget."},
	)
}

const top = `# Functions

Written by ` + "`make docs`" + ` from the list that registers the functions; every answer
below is what the example returned.

What holds for all of them:

- A row whose key is NULL is skipped, and so are NULL sketches in a
  ` + "`_union_agg`" + `. ` + "`_union(NULL, s)`" + ` is s. ` + "`_add`, `_remove` and `_move`" + ` with a NULL key
  return their sketch. Any other function with a NULL argument is NULL. A group
  without rows is NULL.
- Options are one STRUCT at the end: ` + "`{bytes: 65536, k: 4}`" + `. An unknown name, a
  wrong type or a value out of range is an error that says so. NULL is the default.
- Sketches combine only where their parameters agree; otherwise the error names
  both values.
- DuckDB may compute a scalar function on rows that a WHERE leaves out. Where a
  BLOB may be no sketch, write ` + "`TRY(ccbf_get(...))`" + ` or ask ` + "`sketch_is_valid`" + `.
- A polygon is WKT or GeoJSON text, a WKB BLOB or a GEOMETRY. [POLYGONS.md](POLYGONS.md)
  says what is read, and which cells are inside.
- Lookups check a BLOB's structure and not its checksum, for which they would have
  to read all of it: damage inside it can make answers wrong. ` + "`sketch_is_valid`" + `
  checks everything: ask it once for BLOBs that come from elsewhere.
- Keys are of any type but LIST, STRUCT and the like. They are the same key where SQL
  finds them equal, so that integers of any width meet, and numbers of different
  types where nothing is lost: 5 = 5.0. Only a FLOAT such as 0.1 is not the DOUBLE
  0.1: cast what you ask to FLOAT. A key of another type is an error.

`

// page is the text of docs/functions.md.
func page(ctx context.Context) ([]byte, error) {
	db, err := connector.Open("")
	if err != nil {
		return nil, err
	}
	defer db.Close()

	byGroup := map[string][]ccbfsql.Function{}
	var order []string
	known := groups()
	for _, g := range known {
		order = append(order, g.name)
	}
	for _, f := range ccbfsql.Functions() {
		if !slices.Contains(order, f.Group) {
			order = append(order, f.Group)
		}
		byGroup[f.Group] = append(byGroup[f.Group], f)
	}

	var b bytes.Buffer
	b.WriteString(top)
	for _, name := range order {
		if len(byGroup[name]) == 0 {
			continue
		}
		title, text := name, ""
		for _, g := range known {
			if g.name == name {
				title, text = g.title, g.text
			}
		}
		fmt.Fprintf(&b, "## %s\n\n", title)
		if text != "" {
			fmt.Fprintf(&b, "%s\n\n", text)
		}
		var list []string
		for _, f := range byGroup[name] {
			list = append(list, fmt.Sprintf("[%s](#%s)", f.Name, f.Name))
		}
		fmt.Fprintf(&b, "%s\n\n", strings.Join(list, " · "))
		for _, f := range byGroup[name] {
			if err := function(ctx, db, &b, f, byGroup[name]); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	return b.Bytes(), nil
}

func function(ctx context.Context, db *sql.DB, b *bytes.Buffer, f ccbfsql.Function, family []ccbfsql.Function) error {
	fmt.Fprintf(b, "### %s\n\n", f.Name)
	for _, s := range f.Signatures {
		fmt.Fprintf(b, "    %s\n", wrap(s, "        "))
	}
	kind := ""
	if f.Aggregate {
		kind = "Aggregate. "
	}
	fmt.Fprintf(b, "\n%s%s\n\n", kind, f.Summary)

	answer, err := run(ctx, db, f.Example)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Example, err)
	}
	fmt.Fprintf(b, "```sql\n%s;\n%s\n```\n\n", clauses(f.Example), answer)

	optionTable(b, f, family)
	return nil
}

// optionTable is a row for every option, but for those that the function which
// builds the sketches of the family has in the same words.
func optionTable(b *bytes.Buffer, f ccbfsql.Function, family []ccbfsql.Function) {
	var build ccbfsql.Function
	if i := slices.IndexFunc(family, func(o ccbfsql.Function) bool { return o.Name == f.Group+"_agg" && o.Name != f.Name }); i >= 0 {
		build = family[i]
	}
	var shared []string
	var own []sketch.Option
	for _, o := range f.Options {
		if slices.ContainsFunc(build.Options, func(p sketch.Option) bool { return p.Name == o.Name && p.Summary == o.Summary }) {
			shared = append(shared, "`"+o.Name+"`")
		} else {
			own = append(own, o)
		}
	}
	if len(shared) > 0 {
		fmt.Fprintf(b, "Options as of [%s](#%[1]s): %s.\n\n", build.Name, strings.Join(shared, ", "))
	}
	if len(own) == 0 {
		return
	}
	b.WriteString("| option | values | default | meaning |\n| --- | --- | --- | --- |\n")
	for _, o := range own {
		varies := ""
		if o.PerRow && f.Aggregate {
			varies = " May differ from row to row."
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s%s |\n", o.Name, o.Values(), o.Default, o.Summary, varies)
	}
	b.WriteString("\n")
}

const width = 88 // characters of a line of code

// wrap breaks a long signature after commas.
func wrap(s, indent string) string {
	var b strings.Builder
	line := 0
	for i, part := range strings.Split(s, ", ") {
		switch {
		case i == 0:
		case line+len(part) > width:
			b.WriteString(",\n" + indent)
			line = 0
		default:
			b.WriteString(", ")
		}
		b.WriteString(part)
		line += len(part) + 2
	}
	return b.String()
}

// clauses puts the outermost FROM of a long query on a line of its own.
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

const longest = 80 // characters of an answer

// run is the answer to a query as comments, one per row.
func run(ctx context.Context, db *sql.DB, query string) (answer string, err error) {
	rows, err := db.QueryContext(ctx, "SELECT CAST(COLUMNS(*) AS VARCHAR) FROM ("+query+")")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var lines []string
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		var texts []string
		for _, v := range values {
			if !v.Valid {
				v.String = "NULL"
			}
			if r := []rune(v.String); len(r) > longest {
				v.String = string(r[:longest]) + "…"
			}
			texts = append(texts, v.String)
		}
		lines = append(lines, "-- "+strings.Join(texts, " | "))
	}
	if len(lines) == 0 && rows.Err() == nil {
		return "", errors.New("no rows")
	}
	return strings.Join(lines, "\n"), rows.Err()
}
