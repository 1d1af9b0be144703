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

// dumpQuery returns the kind, the schema and the name of each object, and its CREATE statement. If there
// is a beginning of the statement, the path of the object belongs between it and the rest. Objects of a
// kind are ordered by their numbers, so that a table precedes those that refer to it. An index has the
// name of its table.
const dumpQuery = `
	SELECT kind, schema, name, beginning, sql FROM (
		SELECT 0 AS kind, 0 AS oid, '' AS schema, schema_name AS name, 'CREATE SCHEMA IF NOT EXISTS ' AS beginning, '' AS sql
		FROM duckdb_schemas() WHERE database_name = current_database() AND NOT internal AND schema_name <> 'main'
		UNION ALL
		SELECT 1, type_oid, schema_name, type_name, 'CREATE TYPE ',
		    ' AS ENUM (' || array_to_string(list_transform(labels, lambda l: '''' || replace(l, '''', '''''') || ''''), ', ') || ')'
		FROM duckdb_types() WHERE database_name = current_database() AND NOT internal AND logical_type = 'ENUM'
		UNION ALL
		SELECT 2, sequence_oid, schema_name, sequence_name, '', sql
		FROM duckdb_sequences() WHERE database_name = current_database() AND sql IS NOT NULL
		UNION ALL
		SELECT 3, table_oid, schema_name, table_name, '', sql FROM duckdb_tables() WHERE database_name = current_database() AND NOT internal
		UNION ALL
		SELECT 4, index_oid, schema_name, table_name, '', sql FROM duckdb_indexes() WHERE database_name = current_database() AND sql IS NOT NULL
		UNION ALL
		SELECT 5, function_oid, schema_name, function_name, 'CREATE MACRO ', '(' || array_to_string(parameters, ', ') || ') AS '
		    || CASE function_type WHEN 'table_macro' THEN 'TABLE ' ELSE '' END || macro_definition
		FROM duckdb_functions() WHERE database_name = current_database() AND NOT internal AND macro_definition IS NOT NULL
		UNION ALL
		SELECT 6, view_oid, schema_name, view_name, '', sql FROM duckdb_views() WHERE database_name = current_database() AND NOT internal
	) ORDER BY kind, oid, name`

// dotDump writes the current database as statements that create it again, in one transaction. With
// a pattern, it writes only the matching tables with their rows and indexes.
func (sh *Shell) dotDump(args []string) error {
	rows, err := sh.ask(dumpQuery)
	if err != nil {
		return err
	}
	if err := sh.printf("BEGIN TRANSACTION;\n"); err != nil {
		return err
	}
	for _, row := range rows {
		kind, schema, name, beginning, sql := row[0], row[1], row[2], row[3], row[4]
		if len(args) > 0 && (kind != dumpTable && kind != dumpIndex || !matches(args[0], name)) {
			continue
		}
		path := lexer.QuoteName(name)
		if schema != "" {
			path = lexer.QuoteName(schema) + "." + path
		}
		if beginning != "" {
			sql = beginning + path + sql
		}
		if err := sh.printf("%s;\n", strings.TrimRight(sql, "; \n")); err != nil {
			return err
		}
		if kind == dumpTable {
			if err := sh.dumpRows(schema, name, path); err != nil {
				return err
			}
		}
	}
	return sh.printf("COMMIT;\n")
}

// dumpRows writes the rows of a table as INSERT statements. Generated columns are left out: DuckDB
// computes them again. Its catalog does not mark them. It has their expressions as defaults, which
// DESCRIBE leaves out.
func (sh *Shell) dumpRows(schema, table, path string) error {
	rows, err := sh.ask(`SELECT column_name, column_default IS NULL OR "default" IS NOT NULL
		FROM duckdb_columns() JOIN (DESCRIBE ` + path + `) USING (column_name) WHERE database_name = current_database()
		AND schema_name = ` + lexer.QuoteText(schema) + ` AND table_name = ` + lexer.QuoteText(table) + ` ORDER BY column_index`)
	if err != nil {
		return err
	}
	var stored []string
	for _, row := range rows {
		if row[1] == "true" {
			stored = append(stored, lexer.QuoteName(row[0]))
		}
	}
	all := len(stored) == len(rows)
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
