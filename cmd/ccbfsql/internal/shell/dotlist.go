package shell

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
)

// Queries of commands that list things: a line of output, and the name that a pattern must match.
const (
	tablesQuery = `
		SELECT CASE WHEN database <> current_database() THEN database || '.' || schema || '.'
		            WHEN schema <> current_schema() THEN schema || '.' ELSE '' END || name, name
		FROM (SHOW ALL TABLES) ORDER BY ALL`
	schemaQuery = `
		SELECT rtrim(sql, E'; \n') || ';', name FROM (
			SELECT 1 AS kind, table_name AS name, sql FROM duckdb_tables() WHERE NOT internal
			UNION ALL SELECT 2, index_name, sql FROM duckdb_indexes() WHERE sql IS NOT NULL
			UNION ALL SELECT 3, view_name, sql FROM duckdb_views() WHERE NOT internal
			UNION ALL SELECT 0, sequence_name, sql FROM duckdb_sequences() WHERE sql IS NOT NULL)
		ORDER BY kind, name`
	databasesQuery = `
		SELECT database_name || ': ' || coalesce(path, 'in memory') || CASE WHEN readonly THEN ' (read-only)' ELSE '' END, database_name
		FROM duckdb_databases() WHERE NOT internal ORDER BY database_name, path`
	indexesQuery = "SELECT index_name, table_name FROM duckdb_indexes() ORDER BY ALL"
)

// list returns the function of a command that prints the lines of a query. An argument is a pattern
// for their names.
func list(query string) func(sh *Shell, args []string) error {
	return func(sh *Shell, args []string) error {
		rows, err := sh.ask(query)
		for _, row := range rows {
			if err == nil && matches(pattern(args), row[1]) {
				err = sh.printf("%s\n", row[0])
			}
		}
		return err
	}
}

// ask runs a query that the shell itself needs, and returns the rows as text.
func (sh *Shell) ask(sql string) ([][]string, error) {
	return sh.session.Strings(sh.ctx, sql)
}

// QuitError ends the shell with an exit code.
type QuitError struct{ Code int }

func (e *QuitError) Error() string { return fmt.Sprintf("quit with code %d", e.Code) }

// mostCode is the largest exit code that operating systems keep.
const mostCode = 255

func (sh *Shell) dotExit(args []string) error {
	code, err := 0, error(nil)
	if len(args) > 0 {
		code, err = strconv.Atoi(args[0])
	}
	if err != nil || code < 0 || code > mostCode {
		return fmt.Errorf("the exit code %q must be a whole number from 0 to %d", args[0], mostCode)
	}
	return &QuitError{code}
}

func (sh *Shell) dotPrint(args []string) error {
	return sh.printf("%s\n", strings.Join(args, " "))
}

// count reads the result of a statement that changes rows. With .changes on, it prints how many
// rows changed.
func (sh *Shell) count(rows render.Rows) error {
	counts := len(rows.Columns) == 1 && rows.Columns[0].Name == "Count"
	changed := int64(0)
	for row, err := range rows.All {
		if err != nil {
			return err
		}
		if counts {
			n, _ := strconv.ParseInt(row.Cell(0).Text, 10, 64) // DuckDB returns a number here
			changed += n
		}
	}
	sh.changed += changed
	if !sh.changes || !counts {
		return nil
	}
	return sh.printf("changes: %d   total_changes: %d\n", changed, sh.changed)
}

// foreign returns an error for a command of psql, which names the command to use instead. It
// returns nil for any other line.
func foreign(line string) error {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	if !strings.HasPrefix(word, `\`) {
		return nil
	}
	ours := map[byte]string{'d': ".tables lists tables, .schema shows how they were created, DESCRIBE t lists the columns of t", 'l': ".databases lists the databases", 'i': ".read FILE runs a script", 'o': ".output FILE writes results to a file", 'x': ".mode line shows one value per line", 't': ".timer on prints times, .headers off leaves the names out", 'c': ".open FILE switches to another database", '!': ".shell COMMAND runs a system command"}
	hint := ".help lists the commands"
	if len(word) > 1 && ours[word[1]] != "" {
		hint = ours[word[1]]
	}
	return fmt.Errorf("%s is a command of psql; here %s", word, hint)
}
