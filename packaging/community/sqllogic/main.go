// Command sqllogic writes the project's SQL tests in the format of DuckDB's own,
// sqllogictest, for the CI of community extensions:
//
//	sqllogic sql/test build/community/test/sql
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sqllogic FROM TO")
		os.Exit(2)
	}
	if err := convertAll(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sqllogic:", err)
		os.Exit(1)
	}
}

func convertAll(from, to string) error {
	files, err := filepath.Glob(filepath.Join(from, "*.test"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no *.test in %s", from)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		out, _, _ := convert(string(text))
		if err := os.WriteFile(filepath.Join(to, filepath.Base(f)), []byte(out), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// selects matches the statements whose values internal/sqltest converts to text.
var selects = regexp.MustCompile(`(?is)^\s*(SELECT|FROM|WITH|VALUES)\b`)

// convert returns a file in the other format, with the number of converted and of omitted
// directives. It stops at the first condition (require), which the format does not have. It also
// stops at an exec that it cannot express, because later directives depend on it.
func convert(text string) (out string, kept, left int) {
	var b strings.Builder
	b.WriteString("# Made from sql/test by packaging/community/sqllogic.\n\nrequire ccbf\n")
	directives := split(text)
	for i, d := range directives {
		if strings.HasPrefix(d.head, "require") {
			return b.String(), kept, left + len(directives) - i
		}
		block, ok := d.block()
		if ok {
			b.WriteString("\n" + block)
			kept++
			continue
		}
		if strings.HasPrefix(d.head, "exec") {
			return b.String(), kept, left + len(directives) - i
		}
		left++
	}
	return b.String(), kept, left
}

// directive is one directive of a test file: its first line, its SQL, and the result that it
// expects.
type directive struct{ head, sql, want string }

// split parses the format of github.com/cockroachdb/datadriven. It leaves out the lines of subtests.
func split(text string) []directive {
	var ds []directive
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		head := strings.TrimSpace(lines[i])
		if head == "" || strings.HasPrefix(head, "#") || strings.HasPrefix(head, "subtest ") {
			continue
		}
		d := directive{head: head}
		for i++; i < len(lines) && lines[i] != "----"; i++ {
			d.sql += lines[i] + "\n"
		}
		end := ""
		i++
		if i+1 < len(lines) && lines[i] == "----" { // a result with empty lines ends with two dashed lines
			end = "----"
			i++
		}
		for ; i < len(lines) && lines[i] != end; i++ {
			d.want += lines[i] + "\n"
		}
		if end != "" {
			i++
		}
		d.sql, d.want = strings.TrimSpace(d.sql), strings.TrimSuffix(d.want, "\n")
		ds = append(ds, d)
	}
	return ds
}

// block returns a directive in the other format. It returns false if the format cannot express it:
// an empty line, a folder for files, or a value that the format changes.
func (d directive) block() (string, bool) {
	if strings.Contains(d.sql, "\n\n") || strings.Contains(d.sql+d.want, "{tmp}") || strings.ContainsAny(d.want, "\t\\") || strings.HasSuffix(d.sql, "----") {
		return "", false
	}
	if message, ok := strings.CutPrefix(d.want, "error: "); ok {
		if strings.Contains(message, "\n") {
			return "", false
		}
		return "statement error\n" + d.sql + "\n----\n" + message + "\n", true
	}
	if strings.HasPrefix(d.head, "exec") {
		return "statement ok\n" + d.sql + "\n", d.want == "ok"
	}
	if !strings.HasPrefix(d.head, "query") || !selects.MatchString(d.sql) {
		return "", false
	}
	sql := "SELECT COLUMNS(*)::VARCHAR FROM (" + strings.TrimRight(d.sql, "; \n") + "\n)"
	if d.want == "no rows" {
		return "query T\n" + sql + "\n----\n", true
	}
	rows := strings.Split(d.want, "\n")
	columns := strings.Count(rows[0], " | ")
	for i, row := range rows {
		values := strings.Split(row, " | ")
		if len(values) != columns+1 {
			return "", false // a value that contains the separator or a line break
		}
		for j, v := range values {
			if v == "" {
				values[j] = "(empty)"
			}
		}
		rows[i] = strings.Join(values, "\t")
	}
	return "query " + strings.Repeat("T", columns+1) + "\n" + sql + "\n----\n" + strings.Join(rows, "\n") + "\n", true
}
