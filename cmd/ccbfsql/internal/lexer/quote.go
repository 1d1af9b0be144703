package lexer

import "strings"

// QuoteName is a name as SQL reads it, whatever is in it.
func QuoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// QuoteText is a text as SQL reads it.
func QuoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
