package shell

import (
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/session"
)

// The kinds of what makes a database, in the order in which it is to be made.
const (
	dumpTable = "3"
	dumpIndex = "4"
)

// dumpQuery has the kind, the path of a table, the name and the statement of each.
// Those of a kind come in the order of their numbers, so that a table that another
// one refers to is before it. QUOTED(x) is x in quotes.
const dumpQuery = `
	SELECT kind, path, name, sql FROM (
		SELECT 0 AS kind, 0 AS oid, '' AS path, schema_name AS name, 'CREATE SCHEMA IF NOT EXISTS ' || QUOTED(schema_name) AS sql
		FROM duckdb_schemas() WHERE database_name = current_database() AND NOT internal AND schema_name <> 'main'
		UNION ALL
		SELECT 1, type_oid, '', type_name, 'CREATE TYPE ' || QUOTED(schema_name) || '.' || QUOTED(type_name) || ' AS ENUM ('
		    || array_to_string(list_transform(labels, lambda l: '''' || replace(l, '''', '''''') || ''''), ', ') || ')'
		FROM duckdb_types() WHERE database_name = current_database() AND NOT internal AND logical_type = 'ENUM'
		UNION ALL
		SELECT 2, sequence_oid, '', sequence_name, sql FROM duckdb_sequences() WHERE database_name = current_database() AND sql IS NOT NULL
		UNION ALL
		SELECT 3, table_oid, QUOTED(schema_name) || '.' || QUOTED(table_name), table_name, sql
		FROM duckdb_tables() WHERE database_name = current_database() AND NOT internal
		UNION ALL
		SELECT 4, index_oid, '', table_name, sql FROM duckdb_indexes() WHERE database_name = current_database() AND sql IS NOT NULL
		UNION ALL
		SELECT 5, function_oid, '', function_name, 'CREATE MACRO ' || QUOTED(schema_name) || '.' || QUOTED(function_name)
		    || '(' || array_to_string(parameters, ', ') || ') AS ' || CASE function_type WHEN 'table_macro' THEN 'TABLE ' ELSE '' END || macro_definition
		FROM duckdb_functions() WHERE database_name = current_database() AND NOT internal AND macro_definition IS NOT NULL
		UNION ALL
		SELECT 6, view_oid, '', view_name, sql FROM duckdb_views() WHERE database_name = current_database() AND NOT internal
	) ORDER BY kind, oid, name`

// dotDump writes the database that is in use as statements that make it again, in
// one transaction. With a pattern only tables, their rows and indexes.
func (sh *Shell) dotDump(args []string) error {
	query := dumpQuery
	for _, column := range []string{"schema_name", "type_name", "table_name", "function_name"} {
		query = strings.ReplaceAll(query, "QUOTED("+column+")", `('"' || replace(`+column+`, '"', '""') || '"')`)
	}
	rows, err := sh.ask(query)
	if err != nil {
		return err
	}
	if err := sh.printf("BEGIN TRANSACTION;\n"); err != nil {
		return err
	}
	for _, row := range rows {
		kind, path, name, sql := row[0], row[1], row[2], row[3]
		if len(args) > 0 && (kind != dumpTable && kind != dumpIndex || !matches(args[0], name)) {
			continue
		}
		if err := sh.printf("%s;\n", strings.TrimRight(sql, "; \n")); err != nil {
			return err
		}
		if kind == dumpTable {
			if err := sh.dumpRows(path, sql); err != nil {
				return err
			}
		}
	}
	return sh.printf("COMMIT;\n")
}

// dumpRows writes the rows of a table that a statement makes, as INSERT statements.
func (sh *Shell) dumpRows(table, create string) error {
	query := "FROM " + table
	names, others := storedColumns(create)
	if others {
		query = "SELECT " + strings.Join(names, ", ") + " " + query
	}
	ctx, done := sh.signals.during()
	defer done()
	insert, err := render.Find("insert")
	if err != nil {
		return err
	}
	result, err := sh.session.Run(ctx, query, session.RunOptions{})
	if err != nil {
		return err
	}
	defer result.Close()
	o := sh.options(&insert)
	o.Header, o.Table = others, table
	return sh.writeError(insert.Render(sh.out(), result, o))
}
