package shell

import (
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
)

// Kinds of rows of dumpQuery. The query returns all kinds in the order in which they must be
// created.
const (
	dumpTable = "3"
	dumpIndex = "4"
)

// dumpQuery returns the kind, the quoted path of a table, the name and the CREATE statement of each
// object. Objects of a kind are ordered by their numbers, so that a table precedes those that refer
// to it. QUOTED(x) stands for x in quotes.
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

// withQuoted returns a query with each QUOTED(x) replaced by SQL.
func withQuoted(query string) string {
	for _, column := range []string{"schema_name", "type_name", "table_name", "function_name"} {
		query = strings.ReplaceAll(query, "QUOTED("+column+")", `('"' || replace(`+column+`, '"', '""') || '"')`)
	}
	return query
}

// dotDump writes the current database as statements that create it again, in one transaction. With
// a pattern, it writes only the matching tables with their rows and indexes.
func (sh *Shell) dotDump(args []string) error {
	rows, err := sh.ask(withQuoted(dumpQuery))
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
			if err := sh.dumpRows(path); err != nil {
				return err
			}
		}
	}
	return sh.printf("COMMIT;\n")
}

// dumpRows writes the rows of a table as INSERT statements. path is the table's name with its
// schema, quoted. Generated columns are left out: DuckDB computes them again.
func (sh *Shell) dumpRows(path string) error {
	stored, all, err := sh.storedColumns(path)
	if err != nil {
		return err
	}
	query := "FROM " + path
	if !all {
		query = "SELECT " + strings.Join(stored, ", ") + " " + query
	}
	result, err := sh.session.Run(sh.ctx, query, false)
	if err != nil {
		return err
	}
	defer result.Close()
	insert, _ := render.Find("insert") // the mode exists
	o := sh.options(&insert)
	o.Header, o.Table = !all, path
	return insert.Render(sh.out(), result.Rows, o)
}

// storedColumns returns the quoted names of a table's columns that an INSERT can set, and whether
// these are all columns. DuckDB's catalog does not mark generated columns. It has their expressions as
// defaults, which DESCRIBE leaves out.
func (sh *Shell) storedColumns(path string) (stored []string, all bool, err error) {
	const columns = `SELECT QUOTED(schema_name) || '.' || QUOTED(table_name) AS path, column_index, column_name, column_default
		FROM duckdb_columns() WHERE database_name = current_database()`
	rows, err := sh.ask(`SELECT column_name, column_default IS NULL OR "default" IS NOT NULL FROM (` + withQuoted(columns) +
		`) JOIN (DESCRIBE ` + path + `) USING (column_name) WHERE path = ` + lexer.QuoteText(path) + ` ORDER BY column_index`)
	for _, row := range rows {
		if row[1] == "true" {
			stored = append(stored, lexer.QuoteName(row[0]))
		}
	}
	return stored, len(stored) == len(rows), err
}
