package report

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Section is what an experiment has to say: paragraphs, tables and figures in their order.
type Section struct {
	Data        // the raw rows
	name, title string
	page        *Page
	scale       Scale
	finding     string     // in one sentence, which also stands in the page's list of sections
	claims      [][]string // a cell for each of the page's Claims
	blocks      []block
	plots       map[string][]byte // SVG, by the names of the plots, and then of their files
	shown       bool              // on the terminal, while it runs
	kept        []Kept
}

// block is a paragraph, a table or a figure.
type block struct {
	kind  string     // textLine, headLine or figureLine
	cells [][]string // the text; the head of a table and its rows; the file of a figure and its caption
}

// mostRows is how many rows of a table stand in a page; longer ones are in the results.
const mostRows = 40

// markdown is the block as it stands in a page, with figures in a folder.
func (b block) markdown(folder string) string {
	switch first := b.cells[0]; b.kind {
	case headLine:
		return table(first, b.cells[1:])
	case figureLine:
		return fmt.Sprintf("![%s](%s/%s)\n\n*%[1]s*\n", first[1], folder, first[0])
	default:
		return first[0] + "\n"
	}
}

// table is one of Markdown. The first column is to the left, the others to the right.
func table(head []string, rows [][]string) string {
	rule := append([]string{":--"}, slices.Repeat([]string{"--:"}, len(head)-1)...)
	var b strings.Builder
	for _, r := range append([][]string{head, rule}, rows...) {
		b.WriteString("| " + strings.Join(r, " | ") + " |\n")
	}
	return b.String()
}

// Claim adds a line to the section's first table and to the page's, which has those of all
// sections.
func (s *Section) Claim(cells ...string) { s.claims = append(s.claims, cells) }

// Say writes a line to the terminal, for what the page does not keep.
func (s *Section) Say(format string, args ...any) {
	if s.shown {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}

// markdown is the section as it stands in the page, with its results in a folder.
func (s *Section) markdown(folder string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n", s.title)
	if s.finding != "" {
		fmt.Fprintf(&b, "\n**In short:** %s\n", s.finding)
	}
	if len(s.claims) > 0 {
		b.WriteString("\n" + table(s.page.Claims, s.claims))
	}
	results := fmt.Sprintf("[%s.csv](%s/%[1]s.csv)", s.name, folder)
	for _, x := range s.blocks {
		if rows := len(x.cells) - 1; rows > mostRows {
			fmt.Fprintf(&b, "\nThe table has %d rows, and stands in %s: %s.\n", rows, results, strings.Join(x.cells[0], ", "))
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

// Compared are the heads of a page whose claims are comparisons: what is measured, with its
// unit; what was published of it; ours; the bytes of both; and what is to be known of it.
// "-" stands where there is none.
var Compared = []string{"what", "published", "ours, the paper's parameters", "ours, our defaults", "bytes: defaults of paper's", "note"}
