package lexer

import (
	"fmt"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	names := map[Kind]string{Word: "w", Number: "n", String: "s", Identifier: "i", Comment: "c"}
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"SELECT 1;", "w:SELECT n:1"},
		{"select größe+x1 -- why\n, 2", "w:select w:größe w:x1 c:-- why n:2"},
		{"'a''b' E'c\\'d' $$e'f$$ $x$g$$h$x$", `s:'a' s:'b' s:E'c\'d' s:$$e'f$$ s:$x$g$$h$x$`},
		{`"odd name".b /* c /* d */ e */ f`, `i:"odd name" w:b c:/* c /* d */ e */ w:f`},
		{"FROM 'half", "w:FROM s:'half?"},
		{`"half`, `i:"half?`},
		{"/* half", "c:/* half?"},
		{"E'half", "s:E'half?"},
		{"e x -- done", "w:e w:x c:-- done"},
		{"$1 1e5 3.14", "n:1 n:1e5 n:3 n:14"},
	} {
		var got []string
		end := 0
		for _, token := range Tokens(tt.text) {
			if token.Start != end || token.End <= token.Start {
				t.Errorf("%q: token %d-%d after %d", tt.text, token.Start, token.End, end)
			}
			end = token.End
			if token.Kind == Other || token.Kind == Space {
				continue
			}
			open := ""
			if token.Open {
				open = "?"
			}
			got = append(got, fmt.Sprintf("%s:%s%s", names[token.Kind], tt.text[token.Start:token.End], open))
		}
		if end != len(tt.text) {
			t.Errorf("%q: tokens end at %d", tt.text, end)
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
}
