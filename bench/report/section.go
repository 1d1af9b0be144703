package report

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Section is what an experiment has to say: paragraphs, tables and figures in their order.
type Section struct {
	Data        // the raw rows
	name, title string
	page        *Page
	scale       Scale
	finding     string     // in one sentence, which also stands in the page's list of sections
	claims      [][]string // a cell for each of the page's Claims, the lines of the section's first table and of the page's
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

var (
	image = regexp.MustCompile(`^!\[(.*)\]\(([^()]*)\)$`)
	rule  = regexp.MustCompile(`^\|[-:| ]*\|$`)
)

// compose adds what the text of an experiment says: a template of Markdown that asks
// the section's rows. A paragraph that begins with "**In short:**" is the finding; a
// table whose head is that of the page's claims has claims; an image names a plot
// after its caption, whose panels the text declares (see plotting). Lines of a paragraph are
// one line of the page.
func (s *Section) compose(text string) {
	var b strings.Builder
	panels, columns := map[string][]Panel{}, map[string]int{}
	Check(Must(template.New(s.name).Funcs(formats).Funcs(s.promising()).Funcs(s.plotting(panels, columns)).Parse(text)).Execute(&b, &s.Data))
	for name, all := range panels {
		s.plots[name] = drawPanels(slices.Collect(slices.Chunk(all, cmp.Or(columns[name], len(all)))))
	}
	for paragraph := range strings.SplitSeq(b.String(), "\n\n") {
		if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
			s.paragraph(paragraph)
		}
	}
}

func (s *Section) paragraph(text string) {
	lines := strings.Split(text, "\n")
	if strings.HasPrefix(text, "| ") {
		if cells := cellsOf(lines); slices.Equal(cells[0], s.page.Claims) {
			s.claims = append(s.claims, cells[1:]...)
		} else {
			s.blocks = append(s.blocks, block{headLine, cells})
		}
		return
	}
	text = strings.Join(lines, " ")
	if finding, yes := strings.CutPrefix(text, "**In short:** "); yes {
		s.finding = finding
	} else if m := image.FindStringSubmatch(text); m != nil {
		caption, file := m[1], s.name+"-"+m[2]+".svg"
		Require(s.plots[m[2]] != nil, "no plot is called %q", m[2])
		s.plots[file] = s.plots[m[2]]
		s.blocks = append(s.blocks, block{figureLine, [][]string{{file, caption}}})
	} else {
		s.blocks = append(s.blocks, block{textLine, [][]string{{text}}})
	}
}

// cellsOf reads a table of Markdown: its head, and its rows.
func cellsOf(lines []string) (cells [][]string) {
	for _, line := range lines {
		if !rule.MatchString(line) {
			cells = append(cells, strings.Split(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "| "), " |"), " | "))
		}
	}
	return cells
}

// formats are the functions of texts, beside the queries of Data: how figures are
// shown, and what is reckoned of them.
var formats = template.FuncMap{
	"num": Num, "num2": Num2, "percent": Percent, "percent2": Percent2,
	"spread":        func(x []float64) string { return Num(Mean(x)) + " ± " + Num2(Deviation(x)) },
	"spreadPercent": func(x []float64) string { return Num(100*Mean(x)) + "% ± " + Num2(100*Deviation(x)) },
	"span":          Span, "spanPercent2": func(x []float64) string { return Percent2(slices.Min(x)) + " to " + Percent2(slices.Max(x)) },
	"mean": Mean, "median": Median, "deviation": Deviation, "zscore": func(hits, n, p float64) float64 { return ZScore(int(hits), int(n), p) },
	"most": slices.Max[[]float64], "least": slices.Min[[]float64], "abs": math.Abs, "log10": math.Log10, "round": math.Round, "quantile": Quantile,
	"div": func(a, b float64) float64 { return a / b }, "mul": func(a, b float64) float64 { return a * b },
	"add": func(a, b float64) float64 { return a + b }, "sub": func(a, b float64) float64 { return a - b },
	"interval": func(hits, n float64) string {
		lo, hi := Wilson(int(hits), int(n))
		return "[" + Num(lo) + ", " + Num(hi) + "]"
	},
	"bytes": func(n any) string { return sketch.Number(uint64(number(n))) },
	"ofPaper": func(defaults, paper float64) string {
		return sketch.Number(uint64(defaults)) + " of " + sketch.Number(uint64(paper))
	},
	"percentInterval": func(x []float64) string {
		mean, lo, hi := meanInterval(x)
		return Percent2(mean) + " [" + Percent2(lo) + ", " + Percent2(hi) + "]"
	},
	"number": number, "list": func(values ...any) []any { return values },
	"range2": func(x []float64) string {
		return fmt.Sprintf("%.2f (%.2f to %.2f)", Median(x), slices.Min(x), slices.Max(x))
	},
	"geometric": func(logarithms []float64) float64 { return math.Exp(Mean(logarithms)) },
	"ratio":     ratioText, "worse": Worse,
}

// ratioText is a quotient in words.
func ratioText(a, b float64) string {
	if b == 0 {
		return "no error"
	}
	return Num(a / b)
}

// Worse is a claim's note: that ours is worse and why, where it is.
func Worse(is bool, why string) string {
	if !is {
		return "-"
	}
	return "worse: " + why
}
