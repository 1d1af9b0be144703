package shell

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/complete"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/terminal"
	"github.com/charmbracelet/x/ansi"
	"github.com/reeflective/readline"
)

// editor colours, completes and explains the text at the prompt.
type editor struct {
	sh      *Shell
	known   *complete.Database
	colours bool
}

// colourful reports whether a file is a terminal with colours. NO_COLOR turns them off
// (https://no-color.org).
func colourful(f *os.File) bool {
	return terminal.Is(f) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// plain returns the heading of a list for the line editor, which paints headings. If colours are off,
// an escape sequence before the heading ends the paint.
func (e *editor) plain(heading string) string {
	if e.colours || heading == "" {
		return heading
	}
	return ansi.ResetStyle + heading
}

// draw returns the text with colours. It first scrolls the terminal if there are too few rows below
// the cursor.
func (e *editor) draw(text string) string {
	if !e.sh.highlight {
		return e.room(text) + text
	}
	var b strings.Builder
	tokens := lexer.Tokens(text)
	for i, t := range tokens {
		piece := text[t.Start:t.End]
		paint := e.paint(t.Kind, piece, i+1 < len(tokens) && text[tokens[i+1].Start] == '(')
		b.WriteString(paint)
		// The line editor paints text after blanks and "--" grey itself, even within strings. It does not
		// find the mark after an escape sequence.
		b.WriteString(strings.ReplaceAll(piece, commentMark, ansi.ResetStyle+paint+commentMark))
		if paint != "" {
			b.WriteString(ansi.ResetStyle)
		}
	}
	return e.room(text) + b.String()
}

const commentMark = "--"

// paint returns the escape sequence that starts the colour of a token, or "". called means that a bracket
// follows.
func (e *editor) paint(kind lexer.Kind, word string, called bool) string {
	if !e.colours {
		return ""
	}
	switch kind {
	case lexer.Word:
		if _, ok := e.known.Function(word); ok && called {
			return ansi.SGR(ansi.AttrCyanForegroundColor)
		}
		if _, ok := e.known.Keywords[strings.ToLower(word)]; ok {
			return ansi.SGR(ansi.AttrGreenForegroundColor)
		}
	case lexer.Number, lexer.String:
		return ansi.SGR(ansi.AttrYellowForegroundColor)
	case lexer.Comment:
		return ansi.SGR(ansi.AttrBrightBlackForegroundColor)
	}
	return ""
}

// room returns the escape sequences that scroll the screen up if the text and one row more do not
// fit below the cursor. The cursor must be at the start of the text. The line editor scrolls only
// if it asks the terminal for the cursor's position; otherwise it would write over results.
func (e *editor) room(text string) string {
	width, height := terminal.Size(os.Stdout)
	rows := min(e.rowsOf(text, width), height-1)
	return strings.Repeat(ansi.Index, rows) + ansi.CursorUp(rows)
}

// rowsOf returns how many rows of the screen the prompt and a text take.
func (e *editor) rowsOf(text string, width int) int {
	rows := 0
	for line := range strings.SplitSeq(text, "\n") {
		rows += 1 + (ansi.StringWidth(e.sh.prompt)+ansi.StringWidth(line))/width
	}
	return rows
}

// complete returns the completions at the cursor.
func (e *editor) complete(line []rune, cursor int) readline.Completions {
	text := string(line[:cursor])
	candidates := complete.Statement
	if isDot(text) && !strings.Contains(text, "\n") {
		candidates = complete.Dot
	}
	start, found := candidates(text, e.known)
	from, ok := anchor(text, start)
	if !ok {
		return readline.Completions{}
	}
	width, height := terminal.Size(os.Stdout)
	found = shorten(found, width, height-e.rowsOf(string(line), width)-menuSpare)
	var out []readline.Completion
	for _, c := range found {
		out = append(out, readline.Completion{
			Value: text[from:start] + c.Text, Display: c.Show, Description: c.Help, Tag: e.plain(c.Group),
		})
	}
	all := readline.CompleteRaw(out).NoSort()
	all.PREFIX = text[from:]
	return all
}

// menuSpare is how many rows below the text a list of candidates leaves free: for the hint above it
// and a note below it.
const menuSpare = 3

// anchor returns where the text that a candidate replaces begins. The line editor needs at least
// one character to replace, and it takes bytes for characters. So the text begins before start if
// it would be empty, and after the last character that is not ASCII. ok is false if no such place
// exists.
func anchor(text string, start int) (from int, ok bool) {
	from = start
	if from == len(text) && from > 0 {
		_, size := utf8.DecodeLastRuneInString(text)
		from -= size
	}
	for i := len(text) - 1; i >= from; i-- {
		if text[i] >= utf8.RuneSelf {
			from = i + 1
		}
	}
	// If from is after start, the candidate would lose the characters between start and from. Then ok
	// is false.
	return from, from <= start && (from < len(text) || text == "")
}

// shorten leaves out candidates that do not fit in the rows, because a list that scrolls would
// damage the screen. The heading of a shortened group says how many candidates there are.
func shorten(all []complete.Candidate, width, rows int) []complete.Candidate {
	var out []complete.Candidate
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(c complete.Candidate) bool { return c.Group != all[0].Group })
		if n < 0 {
			n = len(all)
		}
		group := all[:n]
		all = all[n:]
		if rows--; rows <= 0 { // the heading of the group takes a row
			break
		}
		perRow := candidatesPerRow(group, width)
		if room := rows * perRow; len(group) > room {
			heading := fmt.Sprintf("%s, %d of %d", group[0].Group, room, len(group))
			group = slices.Clone(group[:room])
			for i := range group {
				group[i].Group = heading
			}
		}
		rows -= (len(group) + perRow - 1) / perRow
		out = append(out, group...)
	}
	return out
}

// candidatesPerRow returns how many candidates the line editor puts side by side: one if they have
// help texts.
func candidatesPerRow(group []complete.Candidate, width int) int {
	const gap = 2
	longest := 0
	for _, c := range group {
		if c.Help != "" {
			return 1
		}
		longest = max(longest, len(c.Show))
	}
	return max(1, width/(longest+gap))
}

// hint returns a line about the option or the function whose arguments are being typed.
func (e *editor) hint(text string) string {
	if isDot(text) {
		return ""
	}
	line := complete.Hint(text, e.known)
	if line == "" {
		return ""
	}
	width, _ := terminal.Size(os.Stdout)
	return e.paint(lexer.Comment, "", false) + ansi.Truncate(line, width-1, "…") + ansi.ResetStyle
}

// catalog returns the database for the line editor, with the shell's commands and modes. It reads the
// functions, the keywords and DuckDB's own views once. Functions that a user defines later are missing.
func (sh *Shell) catalog() (*complete.Database, error) {
	functions, err := sh.session.Functions(sh.ctx)
	if err != nil {
		return nil, err
	}
	db := &complete.Database{Suggest: sh.suggest, Functions: functions, Keywords: map[string]bool{}, Internal: map[string]bool{}}
	for _, c := range commands {
		known := complete.Command{Name: c.name, Args: c.args, Help: c.help}
		if c.name == "map" {
			known.Options = mapList
		}
		db.Commands = append(db.Commands, known)
	}
	for _, m := range render.Modes {
		db.Modes = append(db.Modes, m.Name)
	}
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
