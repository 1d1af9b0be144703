package lexer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want []string // the expected statements; together they are the input
	}{
		{"empty", "", nil},
		{"one without semicolon", "select 1", []string{"select 1"}},
		{"two", "select 1; select 2;", []string{"select 1;", " select 2;"}},
		{"string", "select ';'; x", []string{"select ';';", " x"}},
		{"doubled quote", "select 'it''s;'; x", []string{"select 'it''s;';", " x"}},
		{"no backslash escape", `select '\'; x`, []string{`select '\';`, " x"}},
		{"E string", `select E'\';'; x`, []string{`select E'\';';`, " x"}},
		{"E string, backslash at its end", `select e'\\'; x`, []string{`select e'\\';`, " x"}},
		{"E string, doubled quote", `select e'a''\';'; x`, []string{`select e'a''\';';`, " x"}},
		{"name that ends in e is no E string", `select type'\'; x`, []string{`select type'\';`, " x"}},
		{"identifier", `select "a;b"";" ; x`, []string{`select "a;b"";" ;`, " x"}},
		{"dollar", "select $$;'$$; x", []string{"select $$;'$$;", " x"}},
		{"tagged dollar", "select $a$;$b$;$$;$a$; x", []string{"select $a$;$b$;$$;$a$;", " x"}},
		{"parameters", "select $1; select $2; $name;", []string{"select $1;", " select $2;", " $name;"}},
		{"dollar in identifier", "select a$b$ ; c$b$;", []string{"select a$b$ ;", " c$b$;"}},
		{"line comment", "select 1 -- ; '\n; x", []string{"select 1 -- ; '\n;", " x"}},
		{"line comment ended by CR", "a -- ;\r; x", []string{"a -- ;\r;", " x"}},
		{"block comment", "select /* ; ' */ 1; x", []string{"select /* ; ' */ 1;", " x"}},
		{"nested comment", "/* a /* b; */ ; */ 1; x", []string{"/* a /* b; */ ; */ 1;", " x"}},
		{"slash star slash opens only", "/*/;*/; x", []string{"/*/;*/;", " x"}},
		{"comment in a string", "select '--', '/*'; x", []string{"select '--', '/*';", " x"}},
		{"unfinished string", "select 'a;b", []string{"select 'a;b"}},
		{"unfinished comment", "select 1; /* a;", []string{"select 1;", " /* a;"}},
		{"unicode", "select 'ä;', ö; ü", []string{"select 'ä;', ö;", " ü"}},
		{"only semicolons", ";;", []string{";", ";"}},
	}
	for _, tt := range tests {
		var got []string
		for _, st := range cut(tt.in) {
			got = append(got, st.Text)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestLines(t *testing.T) {
	in := "-- head\n\nselect\n  1; select '\n\n'; /* x\n*/ ;\n\n  select $$\n$$\n;\n-- end\n"
	var got []int
	for _, st := range cut(strings.SplitAfter(in, "\n")...) {
		got = append(got, st.Line)
	}
	if want := []int{3, 4, 0, 9, 0}; !slices.Equal(got, want) {
		t.Errorf("lines %v, want %v", got, want)
	}
}

func TestComplete(t *testing.T) {
	for text, want := range map[string]bool{
		"":                          true,
		"-- only a comment":         true,
		"select 1":                  false,
		"select 1;":                 true,
		"select 1; -- done":         true,
		"select 1; /* open":         false,
		"select ';":                 false,
		"select 1; select 2":        false,
		"create macro f() as $$;":   false,
		"select 1;\n\n  \t":         true,
		"select \";":                false,
		"select e'\\';":             false,
		"select 1 /* ; */ -- ;\n":   false,
		"select 1 /* ; */ -- ;\n ;": true,
	} {
		if got := Complete(text); got != want {
			t.Errorf("Complete(%q) = %v", text, got)
		}
	}
}

// cut splits a text that arrives in pieces.
func cut(pieces ...string) []Statement {
	var s Splitter
	var out []Statement
	for _, piece := range pieces {
		out = append(out, s.Feed(piece)...)
	}
	return append(out, s.Rest()...)
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		"select 1;", "'a''b;'", `E'\';'`, "$$;$$", "$t$;$$;$t$;", "/*/**/;*/;", "--;\n;", "a$b$;",
		"\"\";;\n\n;", "e'\\\n';", "\uFEFF;$é$;$é$", "/*\r\n*/--\r;",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var joined strings.Builder
		whole := cut(text)
		lines := cut(strings.SplitAfter(text, "\n")...) // as from a script
		if len(lines) != len(whole) {
			t.Fatalf("%d pieces line by line, %d at once", len(lines), len(whole))
		}
		last := 1
		for i, st := range lines {
			joined.WriteString(st.Text)
			if st.Line > 0 && (st.Line < last || st.Line > strings.Count(text, "\n")+1) {
				t.Errorf("line %d after %d", st.Line, last)
			}
			last = max(last, st.Line)
			if st.Text != whole[i].Text || (st.Line == 0) != (whole[i].Line == 0) {
				t.Errorf("piece %d: %+v line by line, %+v at once", i, st, whole[i])
			}
		}
		if joined.String() != text {
			t.Errorf("pieces joined are %q", joined.String())
		}
		for i, st := range whole[:max(0, len(whole)-1)] {
			if !strings.HasSuffix(st.Text, ";") {
				t.Errorf("piece %d does not end with a semicolon", i)
			}
			// Each statement alone is one statement again.
			if again := cut(st.Text); len(again) != 1 || (again[0].Line == 0) != (st.Line == 0) {
				t.Errorf("piece %d splits again: %+v", i, again)
			}
		}
	})
}

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
