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

// catalog gives the line editor access to the database. It knows which words are functions or
// keywords, how a text can be completed, and the signatures of functions.
type catalog struct {
	sh        *Shell
	functions map[string]ccbfsql.Function
	keywords  map[string]bool // whether a keyword needs quotes to be a name
	internal  map[string]bool // names of DuckDB's own views
}

// newCatalog reads the functions, the keywords and DuckDB's own views once. Functions that a user
// defines later are missing.
func newCatalog(sh *Shell) (*catalog, error) {
	c := &catalog{
		sh: sh, functions: map[string]ccbfsql.Function{},
		keywords: map[string]bool{}, internal: map[string]bool{},
	}
	functions, err := sh.session.Functions(sh.ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range functions {
		c.functions[strings.ToLower(f.Name)] = f
	}
	keywords, err := sh.session.Strings(sh.ctx, "SELECT keyword_name, keyword_category <> 'unreserved' FROM duckdb_keywords()")
	if err != nil {
		return nil, err
	}
	for _, row := range keywords {
		c.keywords[row[0]] = c.keywords[row[0]] || row[1] == "true"
	}
	internal, err := sh.session.Strings(sh.ctx, "SELECT DISTINCT view_name FROM duckdb_views() WHERE internal")
	if err != nil {
		return nil, err
	}
	for _, row := range internal {
		c.internal[row[0]] = true
	}
	return c, nil
}

// Suggest implements complete.Database. It returns nothing if the query fails, for example in an
// aborted transaction.
func (c *catalog) Suggest(text string) []complete.Suggestion {
	const most = 10_000 // more than there are functions, so that DuckDB leaves none out
	rows, err := c.sh.ask(fmt.Sprintf(`
		SELECT suggestion, suggestion_type, suggestion_start
		FROM sql_auto_complete(%s, max_suggestion_count := %d, max_exact_suggestion_count := %[2]d)`, lexer.QuoteText(text), most))
	if err != nil {
		return nil
	}
	var out []complete.Suggestion
	for _, row := range rows {
		start, err := strconv.Atoi(row[2])
		if err != nil {
			continue
		}
		out = append(out, complete.Suggestion{Text: row[0], Type: row[1], Start: start})
	}
	return out
}

// Function implements complete.Database.
func (c *catalog) Function(name string) (ccbfsql.Function, bool) {
	f, ok := c.functions[strings.ToLower(name)]
	return f, ok
}

// Functions implements complete.Database.
func (c *catalog) Functions() []ccbfsql.Function {
	var out []ccbfsql.Function
	for _, f := range c.functions {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b ccbfsql.Function) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Reserved implements complete.Database.
func (c *catalog) Reserved(word string) bool { return c.keywords[strings.ToLower(word)] }

// Internal implements complete.Database.
func (c *catalog) Internal(name string) bool { return c.internal[name] }

func (c *catalog) isKeyword(word string) bool {
	_, ok := c.keywords[strings.ToLower(word)]
	return ok
}
