package lexer

import "strings"

// QuoteName returns a name as a quoted SQL identifier.
func QuoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// QuoteText returns a text as a SQL string literal.
func QuoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
