package shell

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/complete"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
)

// catalog returns the database for the line editor. It reads the functions, the keywords and DuckDB's
// own views once. Functions that a user defines later are missing.
func (sh *Shell) catalog() (*complete.Database, error) {
	functions, err := sh.session.Functions(sh.ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(functions, func(a, b ccbfsql.Function) int { return strings.Compare(a.Name, b.Name) })
	db := &complete.Database{Suggest: sh.suggest, Functions: functions, Keywords: map[string]bool{}, Internal: map[string]bool{}}
	keywords, err := sh.ask("SELECT keyword_name, keyword_category <> 'unreserved' FROM duckdb_keywords()")
	if err != nil {
		return nil, err
	}
	for _, row := range keywords {
		db.Keywords[row[0]] = db.Keywords[row[0]] || row[1] == "true"
	}
	internal, err := sh.ask("SELECT DISTINCT view_name FROM duckdb_views() WHERE internal")
	for _, row := range internal {
		db.Internal[row[0]] = true
	}
	return db, err
}

// suggest returns DuckDB's completions of a text. It returns nothing if the query fails, for example
// in an aborted transaction.
func (sh *Shell) suggest(text string) (out []complete.Suggestion) {
	const most = 10_000 // more than there are functions, so that DuckDB leaves none out
	rows, err := sh.ask(fmt.Sprintf(`
		SELECT suggestion, suggestion_type, suggestion_start
		FROM sql_auto_complete(%s, max_suggestion_count := %d, max_exact_suggestion_count := %[2]d)`, lexer.QuoteText(text), most))
	if err != nil {
		return nil
	}
	for _, row := range rows {
		if start, err := strconv.Atoi(row[2]); err == nil {
			out = append(out, complete.Suggestion{Text: row[0], Type: row[1], Start: start})
		}
	}
	return out
}
