package shell

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/complete"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	"github.com/charmbracelet/x/ansi"
	"github.com/reeflective/readline"
	"golang.org/x/term"
)

// editor helps whoever types a statement: colours, completion, signatures.
type editor struct {
	sh     *Shell
	known  *catalog
	paints colourCodes
}

// colourCodes are the escape sequences that set colours; empty without colours.
type colourCodes struct {
	keyword, function, literal, comment string
}

// paintsFor gives the colours for a file: none unless it is a terminal, or
// where NO_COLOR is set (https://no-color.org).
func paintsFor(f *os.File) colourCodes {
	if !colourful(f) {
		return colourCodes{}
	}
	return colourCodes{
		keyword:  ansi.SGR(ansi.AttrGreenForegroundColor),
		function: ansi.SGR(ansi.AttrCyanForegroundColor),
		literal:  ansi.SGR(ansi.AttrYellowForegroundColor),
		comment:  ansi.SGR(ansi.AttrBrightBlackForegroundColor),
	}
}

func colourful(f *os.File) bool {
	return term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// plain is a heading that the line editor paints, without that paint where
// there are to be no colours.
func (e *editor) plain(heading string) string {
	if e.paints != (colourCodes{}) || heading == "" {
		return heading
	}
	return ansi.ResetStyle + heading
}

// painted is text in a colour.
func painted(colour ansi.Attr, text string) string {
	return ansi.SGR(colour) + text + ansi.ResetStyle
}

// commentMark begins comments. The line editor paints them itself, grey, by
// looking for the mark behind a blank, in strings too: see unmarked.
const commentMark = "--"

// draw gives the text its colours, and the terminal the rows for it.
func (e *editor) draw(text string) string {
	if !e.sh.Highlight {
		return text
	}
	var b strings.Builder
	tokens := lexer.Tokens(text)
	for i, t := range tokens {
		piece := text[t.Start:t.End]
		paint := e.paint(t.Kind, piece, i+1 < len(tokens) && text[tokens[i+1].Start] == '(')
		if paint != "" {
			b.WriteString(paint)
		}
		b.WriteString(unmarked(piece, paint))
		if paint != "" {
			b.WriteString(ansi.ResetStyle)
		}
	}
	return e.room(text) + b.String()
}

func (e *editor) paint(kind lexer.Kind, word string, called bool) string {
	switch kind {
	case lexer.Word:
		if _, ok := e.known.Function(word); ok && called {
			return e.paints.function
		}
		if e.known.isKeyword(word) {
			return e.paints.keyword
		}
	case lexer.Number, lexer.String:
		return e.paints.literal
	case lexer.Comment:
		return e.paints.comment
	}
	return ""
}

// unmarked keeps the line editor from taking "--" for the start of a comment:
// a sequence that changes nothing stands before it.
func unmarked(piece, paint string) string {
	if !strings.Contains(piece, commentMark) {
		return piece
	}
	if paint == "" {
		paint = ansi.ResetStyle
	}
	return strings.ReplaceAll(piece, commentMark, paint+commentMark)
}

// room scrolls the screen up where the text and one row more do not fit below
// the cursor, which stands at its beginning. The line editor only does so when
// it asks the terminal for the cursor's place, and else writes over results.
func (e *editor) room(text string) string {
	width, height := screen()
	rows := min(rowsOf(text, width), height-1)
	return strings.Repeat(ansi.Index, rows) + ansi.CursorUp(rows)
}

// rowsOf counts the rows that the prompt and the text behind it take.
func rowsOf(text string, width int) int {
	rows := 0
	for line := range strings.SplitSeq(text, "\n") {
		rows += 1 + (len(prompt)+ansi.StringWidth(line))/width
	}
	return rows
}

// screen is the size of the terminal.
func screen() (width, height int) {
	width, height, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// complete lists how the line can go on at the cursor.
func (e *editor) complete(line []rune, cursor int) readline.Completions {
	text := string(line[:cursor])
	var start int
	var found []complete.Candidate
	if isDot(text) && !strings.Contains(text, "\n") {
		start, found = complete.Dot(text, dotCommands(), modeNames(), e.known, "")
	} else {
		start, found = complete.Statement(text, e.known, "")
	}
	from, ok := anchor(text, start)
	if !ok {
		return readline.Completions{}
	}
	width, height := screen()
	found = shorten(found, width, height-rowsOf(string(line), width)-menuSpare)
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

// menuSpare are the rows below the text that a list of candidates leaves to a
// hint above it and a note below.
const menuSpare = 3

// anchor is where the text that a candidate replaces begins: at start, or
// before it, since the line editor wants one letter to replace at least, and
// behind what is not ASCII, since it takes bytes for letters.
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
	// Letters between start and from would be left out of the candidate.
	return from, from <= start && (from < len(text) || text == "")
}

// shorten leaves out the candidates that the screen has no rows for: a list
// that scrolled would tear the screen. The heading says how many there are.
func shorten(all []complete.Candidate, width, rows int) []complete.Candidate {
	var out []complete.Candidate
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(c complete.Candidate) bool { return c.Group != all[0].Group })
		if n < 0 {
			n = len(all)
		}
		group := all[:n]
		all = all[n:]
		if rows--; rows <= 0 { // the heading
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

// candidatesPerRow is how many the line editor puts side by side: one, if
// there is help beside it.
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

func dotCommands() []complete.Command {
	var out []complete.Command
	for _, c := range commands {
		known := complete.Command{Name: c.name, Args: c.args, Help: c.help}
		if c.name == "map" {
			known.Options = mapList
		}
		out = append(out, known)
	}
	return out
}

func modeNames() []string {
	var out []string
	for _, m := range render.Modes {
		out = append(out, m.Name)
	}
	return out
}

// hint is about the option or the function in whose brackets the cursor is.
func (e *editor) hint(text string) string {
	if isDot(text) {
		return ""
	}
	line := complete.Hint(text, e.known)
	if line == "" {
		return ""
	}
	width, _ := screen()
	return e.paints.comment + ansi.Truncate(line, width-1, "…") + ansi.ResetStyle
}
