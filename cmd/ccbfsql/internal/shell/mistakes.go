package shell

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/session"
)

// namedArgument returns a note if a statement gives an argument of one of our functions a name, as in
// ccbf_bbox_sum(s, xmin := 1). DuckDB accepts such a name and ignores it: only macros and table functions have named
// arguments. Without one, it returns "".
func namedArgument(sql string) string {
	if !strings.Contains(sql, ":=") && !strings.Contains(sql, "=>") {
		return ""
	}
	tokens := slices.DeleteFunc(lexer.Tokens(sql), func(t lexer.Token) bool { return t.Kind == lexer.Space || t.Kind == lexer.Comment })
	text := func(i int) string {
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return sql[tokens[i].Start:tokens[i].End]
	}
	ours := func(name string) bool {
		return slices.ContainsFunc(session.Functions(), func(f ccbfsql.Function) bool { return f.Name == name })
	}
	var calls []string // the words before the open brackets
	for i := range tokens {
		switch text(i) {
		case "(", "[", "{":
			calls = append(calls, strings.ToLower(text(i-1)))
		case ")", "]", "}":
			calls = calls[:max(0, len(calls)-1)]
		case "=", ">":
			operator := text(i-1) + text(i)
			if n := len(calls); n > 0 && (operator == ":=" || operator == "=>") && ours(calls[n-1]) {
				return fmt.Sprintf("DuckDB ignores names of arguments, such as %s in %s: arguments count by their order.", text(i-2), calls[n-1])
			}
		}
	}
	return ""
}

// copyToPicture matches COPY of a query to a picture, without a format.
var copyToPicture = regexp.MustCompile(`(?is)^\s*COPY\s*\(.*\)\s*TO\s*'[^']*\.png'\s*;?\s*$`)

// pictureAsText returns a note if COPY writes CSV to a file with the name of a picture.
func pictureAsText(sql string) string {
	if copyToPicture.MatchString(sql) {
		return "COPY writes CSV to the .png file: a picture needs COPY ... (FORMAT BLOB)."
	}
	return ""
}
