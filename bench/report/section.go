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

// Figure adds a plot of panels, row by row, under a name that no other figure
// of the experiment has.
func (s *Section) Figure(name, caption string, panels ...[]Panel) {
	s.blocks = append(s.blocks, &figure{file: s.name + "-" + name + ".svg", caption: caption, svg: Must(drawPanels(panels))})
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

// Compared are the heads of a page whose claims are comparisons.
var Compared = []string{"what", "published", "ours, the paper's parameters", "ours, our defaults", "bytes: defaults of paper's", "note"}

// Comparison is one published figure and ours beside it; "-" stands where there
// is none.
type Comparison []string

// Compare adds a comparison to the claims of the section: what is measured, with
// its unit, and what was published of it.
func (s *Section) Compare(what, published string) Comparison {
	c := Comparison{what, published, "-", "-", "-", "-"}
	s.claims.rows = append(s.claims.rows, c)
	return c
}

func (c Comparison) set(i int, text string) Comparison {
	c[i] = text
	return c
}

// Paper is ours with the paper's parameters.
func (c Comparison) Paper(text string) Comparison { return c.set(2, text) }

// Defaults is ours with our defaults.
func (c Comparison) Defaults(text string) Comparison { return c.set(3, text) }

// Both is ours with either.
func (c Comparison) Both(text string) Comparison { return c.Paper(text).Defaults(text) }

// Bytes are those that our defaults take, and the paper's parameters.
func (c Comparison) Bytes(text string) Comparison { return c.set(4, text) }

// Note says what is to be known of it.
func (c Comparison) Note(text string) Comparison { return c.set(5, text) }

// Worse notes that ours is worse and why, where it is.
func (c Comparison) Worse(is bool, why string) Comparison {
	if !is {
		return c
	}
	return c.Note("worse: " + why)
}
