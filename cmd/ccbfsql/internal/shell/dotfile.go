package shell

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/session"
)

func (sh *Shell) dotRead(args []string) error {
	return sh.read(args[0])
}

func (sh *Shell) dotOutput(args []string) error {
	if err := sh.closeFiles(); err != nil || len(args) == 0 || args[0] == "stdout" {
		return err
	}
	f, err := os.Create(args[0])
	sh.output = f
	if err != nil {
		sh.output = nil
	}
	return err
}

// dotOpen opens another database and closes the present one. If the new one cannot be opened, the
// present one stays open.
func (sh *Shell) dotOpen(args []string) error {
	next, err := session.Open(context.Background(), session.Options{Path: pattern(args)})
	if err != nil {
		return err
	}
	before := sh.session
	sh.session = next
	return before.Close()
}

// dotImport inserts a file's rows into a table, which it creates if it does not exist. DuckDB
// recognises the format by the file's name; other names are read as CSV.
func (sh *Shell) dotImport(args []string) error {
	source, table := lexer.QuoteText(args[0]), identifier(args[1])
	if !slices.Contains(knownFiles, extension(args[0])) {
		source = "read_csv(" + source + ")"
	}
	if _, err := sh.ask("FROM " + table + " LIMIT 0"); err != nil {
		return sh.execute("CREATE TABLE " + table + " AS FROM " + source)
	}
	return sh.execute("INSERT INTO " + table + " FROM " + source)
}

// knownFiles lists the extensions of files that DuckDB reads in a FROM clause.
var knownFiles = []string{".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson"}

func extension(path string) string {
	path = strings.ToLower(path)
	for _, packed := range []string{".gz", ".zst"} {
		path = strings.TrimSuffix(path, packed)
	}
	return filepath.Ext(path)
}

// identifier quotes each part of a name such as database.schema.table.
func identifier(name string) string {
	parts := strings.Split(name, ".")
	for i, part := range parts {
		parts[i] = lexer.QuoteName(strings.Trim(part, `"`))
	}
	return strings.Join(parts, ".")
}
