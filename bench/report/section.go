package report

import (
	"fmt"
	"strings"
)

// Section is what an experiment has to say: paragraphs, tables and figures in
// their order.
type Section struct {
	Data        // the raw rows
	name, title string
	page        *Page
	scale       Scale
	finding     string
	claims      Table
	blocks      []block
	plots       map[string][]byte // those that the text places, by name
	shown       bool              // on the terminal, while it runs
	kept        []Kept
}

// block is a paragraph, a table or a figure, whose file is in a folder.
type block interface{ markdown(folder string) string }

type paragraph string

func (p paragraph) markdown(string) string { return string(p) + "\n" }

// Short sets the finding in one sentence, which also stands in the page's list
// of sections.
func (s *Section) Short(format string, args ...any) { s.finding = fmt.Sprintf(format, args...) }

// Text adds a paragraph.
func (s *Section) Text(format string, args ...any) {
	s.blocks = append(s.blocks, paragraph(fmt.Sprintf(format, args...)))
}

// Claim adds a line to the section's first table and to the page's, which has
// those of all sections: a cell for each of the page's Claims.
func (s *Section) Claim(cells ...any) { s.claims.Row(cells...) }

// Table is a table of Markdown. The first column is to the left, the others to
// the right.
type Table struct {
	head []string
	rows [][]string
}

// Table adds a table whose rows come later.
func (s *Section) Table(head ...string) *Table {
	t := &Table{head: head}
	s.blocks = append(s.blocks, t)
	return t
}

// Row adds a row: strings as they are, whole numbers with their digits, others
// with three digits that count.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		switch v := c.(type) {
		case float64:
			row[i] = Num(v)
		default:
			row[i] = fmt.Sprint(v)
		}
	}
	t.rows = append(t.rows, row)
}

func (t *Table) markdown(string) string {
	var b strings.Builder
	rule := make([]string, len(t.head))
	for i := range rule {
		rule[i] = "--:"
	}
	rule[0] = ":--"
	for _, r := range append([][]string{t.head, rule}, t.rows...) {
		b.WriteString(line(r))
	}
	return b.String()
}

// line is a row of a table of Markdown.
func line(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// figure is a plot in a file of its own.
type figure struct {
	file, caption string
	svg           []byte
}

func (f *figure) markdown(folder string) string {
	return fmt.Sprintf("![%s](%s/%s)\n\n*%s*\n", f.caption, folder, f.file, f.caption)
}

// mostRows is how many rows of a table stand in a page; longer ones are in the
// results.
const mostRows = 40

// markdown is the section as it stands in the page, with its results in a folder.
func (s *Section) markdown(folder string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n", s.title)
	if s.finding != "" {
		fmt.Fprintf(&b, "\n**In short:** %s\n", s.finding)
	}
	if len(s.claims.rows) > 0 {
		b.WriteString("\n" + s.claims.markdown(folder))
	}
	results := fmt.Sprintf("[%s.csv](%s/%[1]s.csv)", s.name, folder)
	for _, x := range s.blocks {
		if t, ok := x.(*Table); ok && len(t.rows) > mostRows {
			fmt.Fprintf(&b, "\nThe table has %d rows, and stands in %s: %s.\n", len(t.rows), results, strings.Join(t.head, ", "))
			continue
		}
		b.WriteString("\n" + x.markdown(folder))
	}
	fmt.Fprintf(&b, "\nResults: %s.", results)
	if s.scale != Full {
		fmt.Fprintf(&b, " They are those of a %s run.", s.scale)
	}
	return b.String() + "\n"
}

// Compared are the heads of a page whose claims are comparisons: what is measured, with
// its unit; what was published of it; ours; the bytes of both; and what is to be known of
// it. "-" stands where there is none.
var Compared = []string{"what", "published", "ours, the paper's parameters", "ours, our defaults", "bytes: defaults of paper's", "note"}
