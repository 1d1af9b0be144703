package report

import (
	"fmt"
	"strings"
)

// Section is what an experiment has to say: paragraphs, tables and figures in
// their order.
type Section struct {
	name, title string
	page        *Page
	scale       Scale
	finding     string
	claims      Table
	blocks      []block
	progress    progress
	kept        []Kept
}

// block is a paragraph, a table or a figure.
type block interface{ markdown(s *Section) string }

type paragraph string

func (p paragraph) markdown(*Section) string { return string(p) + "\n" }

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

// NewTable is a table to be added later.
func NewTable(head ...string) *Table { return &Table{head: head} }

// Add adds a table.
func (s *Section) Add(t *Table) { s.blocks = append(s.blocks, t) }

// Table adds a table whose rows come later.
func (s *Section) Table(head ...string) *Table {
	t := NewTable(head...)
	s.Add(t)
	return t
}

// Heads adds columns.
func (t *Table) Heads(more ...string) { t.head = append(t.head, more...) }

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

func (t *Table) markdown(*Section) string {
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

// Figure adds a plot of panels, row by row, under a name that no other figure
// of the experiment has.
func (s *Section) Figure(name, caption string, panels ...[]Panel) {
	s.blocks = append(s.blocks, &figure{file: s.name + "-" + name + ".svg", caption: caption, svg: Must(drawPanels(panels))})
}

func (f *figure) markdown(s *Section) string {
	return fmt.Sprintf("![%s](%s/%s)\n\n*%s*\n", f.caption, s.page.Plots, f.file, f.caption)
}

// markdown is the section as it stands in the page.
func (s *Section) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n", s.title)
	if s.finding != "" {
		fmt.Fprintf(&b, "\n%s%s\n", findingMark, s.finding)
	}
	if len(s.claims.rows) > 0 {
		s.claims.head = s.page.Claims
		fmt.Fprintf(&b, "\n%s%s%s", claimsBegin, s.claims.markdown(s), claimsEnd)
	}
	for _, x := range s.blocks {
		b.WriteString("\n" + x.markdown(s))
	}
	if s.scale != Full {
		fmt.Fprintf(&b, "\nThese are the figures of a %s run.\n", s.scale)
	}
	return b.String()
}
