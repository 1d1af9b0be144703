package shell

import (
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
)

// storedColumns are the columns of a table, as its statement writes their names,
// that can be inserted into, and whether there are others: generated ones, which the
// catalog does not tell from those that have a default.
func storedColumns(create string) (names []string, others bool) {
	name, generated, last := "", false, ""
	depth := 0
	end := func() {
		switch word, _, _ := strings.Cut(name, "("); {
		case name == "":
		case generated:
			others = true
		default:
			switch strings.ToUpper(word) {
			case "PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "CONSTRAINT": // of the table; as names they would be in quotes
			default:
				names = append(names, name)
			}
		}
		name, generated = "", false
	}
	for _, t := range lexer.Tokens(create) {
		piece := create[t.Start:t.End]
		switch {
		case t.Kind == lexer.Word || t.Kind == lexer.Identifier:
			if depth == 1 && name == "" {
				name = piece
			}
			if depth == 1 && last == "GENERATED" && strings.EqualFold(piece, "ALWAYS") {
				generated = true
			}
			last = strings.ToUpper(piece)
		case piece == "(" || piece == "[":
			depth++
		case piece == ")" || piece == "]":
			if depth--; depth == 0 {
				end()
				return names, others
			}
		case piece == "," && depth == 1:
			end()
		}
	}
	return names, others
}
