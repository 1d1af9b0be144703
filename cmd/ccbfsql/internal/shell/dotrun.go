package shell

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
)

func (sh *Shell) dotQuit([]string) error { return errQuit }

func (sh *Shell) dotMode(args []string) error {
	if len(args) == 0 {
		for _, m := range render.Modes {
			mark := " "
			if m.Name == sh.Mode.Name {
				mark = "*"
			}
			if err := sh.printf("%s %-10s %s\n", mark, m.Name, m.Help); err != nil {
				return err
			}
		}
		return nil
	}
	mode, err := render.Find(args[0])
	if err != nil {
		return err
	}
	if len(args) > 1 {
		if mode.Name != "insert" {
			return fmt.Errorf("mode %s takes no table, only mode insert does", mode.Name)
		}
		sh.Table = identifier(args[1])
	}
	sh.Mode = mode
	return nil
}

func (sh *Shell) dotNull(args []string) error {
	sh.Null = &args[0]
	return nil
}

func (sh *Shell) dotSeparator(args []string) error {
	sh.Separator = args[0]
	return nil
}

func (sh *Shell) dotMaxRows(args []string) error {
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 0 {
		return fmt.Errorf("%q must be a number of rows; 0 means all", args[0])
	}
	sh.MaxRows = n
	return nil
}

func (sh *Shell) dotPrint(args []string) error {
	return sh.printf("%s\n", strings.Join(args, " "))
}

// ask runs a query that the shell itself needs, and returns the rows as text. Ctrl-C cancels the query.
func (sh *Shell) ask(sql string) ([][]string, error) {
	ctx, done := sh.signals.during()
	defer done()
	return sh.session.Strings(ctx, sql)
}

func (sh *Shell) dotTables(args []string) error {
	rows, err := sh.ask(`
		SELECT CASE WHEN database_name <> current_database() THEN database_name || '.' || schema_name || '.'
		            WHEN schema_name <> current_schema() THEN schema_name || '.' ELSE '' END || name, name
		FROM (SELECT database_name, schema_name, table_name AS name FROM duckdb_tables() WHERE NOT internal
		      UNION ALL
		      SELECT database_name, schema_name, view_name FROM duckdb_views() WHERE NOT internal)
		ORDER BY ALL`)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if matches(pattern(args), row[1]) {
			if err := sh.printf("%s\n", row[0]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (sh *Shell) dotSchema(args []string) error {
	rows, err := sh.ask(`
		SELECT name, sql FROM (
			SELECT 1 AS kind, table_name AS name, sql FROM duckdb_tables() WHERE NOT internal
			UNION ALL SELECT 2, index_name, sql FROM duckdb_indexes() WHERE sql IS NOT NULL
			UNION ALL SELECT 3, view_name, sql FROM duckdb_views() WHERE NOT internal
			UNION ALL SELECT 0, sequence_name, sql FROM duckdb_sequences() WHERE sql IS NOT NULL)
		ORDER BY kind, name`)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if matches(pattern(args), row[0]) {
			if err := sh.printf("%s;\n", strings.TrimRight(row[1], "; \n")); err != nil {
				return err
			}
		}
	}
	return nil
}

func (sh *Shell) dotDatabases([]string) error {
	rows, err := sh.ask(`
		SELECT database_name, coalesce(path, 'in memory'), readonly FROM duckdb_databases()
		WHERE NOT internal ORDER BY ALL`)
	if err != nil {
		return err
	}
	for _, row := range rows {
		note := ""
		if row[2] == "true" {
			note = " (read-only)"
		}
		if err := sh.printf("%s: %s%s\n", row[0], row[1], note); err != nil {
			return err
		}
	}
	return nil
}
