package shell

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/session"
)

func (sh *Shell) dotQuit([]string) error { return errQuit }

func (sh *Shell) dotHelp(args []string) error {
	var found []command
	for _, c := range commands {
		if name := strings.TrimPrefix(pattern(args), "."); matches(name, c.name) {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return fmt.Errorf("no command matches %q", args[0])
	}
	for _, c := range found {
		if err := sh.printf("  %-22s %s\n", strings.TrimSpace("."+c.name+" "+c.args), c.help); err != nil {
			return err
		}
	}
	if len(found) == 1 && found[0].name == "map" {
		return sh.printf("%s", mapHelp())
	}
	return nil
}

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
	if err == nil {
		sh.Mode = mode
	}
	return err
}

func (sh *Shell) dotHeaders(args []string) (err error) {
	return set(&sh.Header, args[0])
}

func (sh *Shell) dotTimer(args []string) error {
	return set(&sh.Timer, args[0])
}

func (sh *Shell) dotBail(args []string) error {
	return set(&sh.Bail, args[0])
}

func set(setting *bool, text string) error {
	on, err := onOff(text)
	if err == nil {
		*setting = on
	}
	return err
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
		return fmt.Errorf("%q is not a number of rows", args[0])
	}
	sh.MaxRows = n
	return nil
}

func (sh *Shell) dotPrint(args []string) error {
	return sh.printf("%s\n", strings.Join(args, " "))
}

func (sh *Shell) dotRead(args []string) error {
	return sh.read(args[0])
}

func (sh *Shell) dotOutput(args []string) error {
	if err := sh.closeOutput(); err != nil || len(args) == 0 || args[0] == "stdout" {
		return err
	}
	f, err := os.Create(args[0])
	sh.output = f
	if err != nil {
		sh.output = nil
	}
	return err
}

// ask runs a query of the shell's own.
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

func (sh *Shell) dotFunctions(args []string) error {
	group, found := "", false
	for _, f := range session.Functions() {
		if !matches(pattern(args), f.Name) {
			continue
		}
		found = true
		if f.Group != group {
			if err := sh.printf("%s\n", f.Group); err != nil {
				return err
			}
			group = f.Group
		}
		for _, signature := range f.Signatures {
			if err := sh.printf("  %s\n", signature); err != nil {
				return err
			}
		}
		if err := sh.printf("      %s\n", f.Summary); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("no function matches %q", pattern(args))
	}
	return nil
}
