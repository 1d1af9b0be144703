package main

import (
	"fmt"
	"math"
	"strings"
)

// section is what an experiment has to say: paragraphs, tables and figures in
// their order.
type section struct {
	name, title string
	scale       scale
	finding     string
	blocks      []block
}

// block is a paragraph, a table or a figure.
type block interface{ markdown(s *section) string }

type paragraph string

func (p paragraph) markdown(*section) string { return string(p) + "\n" }

// short sets the finding in one sentence, which also stands in the page's list
// of sections.
func (s *section) short(format string, args ...any) { s.finding = fmt.Sprintf(format, args...) }

// text adds a paragraph.
func (s *section) text(format string, args ...any) {
	s.blocks = append(s.blocks, paragraph(fmt.Sprintf(format, args...)))
}

// table is a table of Markdown. The first column is to the left, the others to
// the right.
type table struct {
	head []string
	rows [][]string
}

// table adds a table.
func (s *section) table(head ...string) *table {
	t := &table{head: head}
	s.blocks = append(s.blocks, t)
	return t
}

// row adds a row: strings as they are, whole numbers with their digits, others
// with three digits that count.
func (t *table) row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		switch v := c.(type) {
		case float64:
			row[i] = num(v)
		default:
			row[i] = fmt.Sprint(v)
		}
	}
	t.rows = append(t.rows, row)
}

func (t *table) markdown(*section) string {
	var b strings.Builder
	line := func(cells []string) {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	line(t.head)
	rule := make([]string, len(t.head))
	for i := range rule {
		rule[i] = "--:"
	}
	rule[0] = ":--"
	line(rule)
	for _, r := range t.rows {
		line(r)
	}
	return b.String()
}

// figure is a plot in a file of its own.
type figure struct {
	name, caption string
	svg           []byte
}

// figure adds a plot of panels, row by row, under a name that no other figure
// of the experiment has.
func (s *section) figure(name, caption string, panels ...[]panel) error {
	svg, err := drawPanels(panels)
	if err != nil {
		return fmt.Errorf("figure %s: %w", name, err)
	}
	s.blocks = append(s.blocks, &figure{name: s.name + "-" + name, caption: caption, svg: svg})
	return nil
}

func (f *figure) file() string { return f.name + ".svg" }

func (f *figure) markdown(*section) string {
	return fmt.Sprintf("![%s](%s/%s)\n\n*%s*\n", f.caption, plotFolder, f.file(), f.caption)
}

// markdown is the section as it stands in the page.
func (s *section) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n", s.title)
	if s.finding != "" {
		fmt.Fprintf(&b, "\n%s%s\n", findingMark, s.finding)
	}
	for _, x := range s.blocks {
		b.WriteString("\n" + x.markdown(s))
	}
	if s.scale != full {
		fmt.Fprintf(&b, "\nThese are the figures of a %s run.\n", s.scale)
	}
	return b.String()
}

// num is a number with three digits that count.
func num(v float64) string {
	if a := math.Abs(v); a >= 100 || a == 0 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// percent is a share in percent.
func percent(v float64) string { return fmt.Sprintf("%.1f%%", 100*v) }

// percent2 is percent with two digits that count, for small shares.
func percent2(v float64) string { return num2(100*v) + "%" }

// spread is a mean and a standard deviation, with digits to fit.
func spread(x []float64) string {
	return fmt.Sprintf("%s ± %s", num(mean(x)), num2(deviation(x)))
}

// spreadPercent is spread of shares, in percent.
func spreadPercent(x []float64) string {
	return fmt.Sprintf("%s%% ± %s", num(100*mean(x)), num2(100*deviation(x)))
}

// num2 is a number with two digits that count.
func num2(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2g", v)
	}
}
