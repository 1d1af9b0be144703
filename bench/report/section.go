package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"gonum.org/v1/plot"
)

// Section has the rows that an experiment records, and the text with their results.
type Section struct {
	Data   // the rows
	name   string
	claims []string          // Column heads of its claims.
	text   string            // The section's Markdown, as in the page.
	files  map[string][]byte // Figures, and tables that are too long for the page, by file name.

	tables int // Number of tables in the text, without claims.
}

// mostRows is the largest number of rows of a table in a page. Longer tables are CSV files.
const mostRows = 40

// Compared are the column heads of claims that are comparisons. A claim has the measured quantity with its
// unit, the published value, ours, the bytes of both, and a note. "-" stands for none.
var Compared = []string{"what", "published", "ours, the paper's parameters", "ours, our defaults", "bytes: defaults of paper's", "note"}

// Column heads of claims that are promises.
const (
	Promised = "promised"
	Measured = "measured"
)

var image = regexp.MustCompile(`^!\[(.*)\]\(([^()]*)\)`)

// Section runs an experiment. It returns an error if the experiment fails or its text is malformed.
func (p *Program) Section(e Experiment, c Scale) (*Section, error) {
	s := &Section{name: e.Name, claims: p.Claims, files: map[string][]byte{}}
	return s, Try(func() {
		e.Run(c, s)
		s.text = "## " + e.Title + "\n"
		s.compose(e.Text, e.page.up()+p.Results+"/")
		if c != Full {
			s.text += fmt.Sprintf("\nThe figures are those of a %s run.\n", c)
		}
		s.check()
	})
}

// compose fills in the text of an experiment: a Markdown template that queries the section's rows.
// A paragraph that begins with "**In short:**" has the result. An image names a plot after its
// caption; the text declares the plot's panels (see plotting). The lines of a paragraph become one
// line of the page. Files are in folder.
func (s *Section) compose(text, folder string) {
	var b strings.Builder
	panels, columns := map[string][]*plot.Plot{}, map[string]int{}
	Check(Must(template.New(s.name).Funcs(functions).Funcs(plotting(panels, columns)).Parse(text)).Execute(&b, &s.Data))
	for text := range strings.SplitSeq(b.String(), "\n\n") {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		m := image.FindStringSubmatch(lines[0])
		switch {
		case lines[0] == "":
			continue
		case strings.HasPrefix(lines[0], "| "):
			text = s.table(lines, folder)
		case m != nil:
			all := panels[m[2]]
			Require(all != nil, "no plot is called %q", m[2])
			file := s.name + "-" + m[2] + ".svg"
			s.files[file] = drawPanels(all, cmp.Or(columns[m[2]], len(all)))
			text = figure(m[1], folder+file)
		default:
			text = strings.Join(lines, " ")
		}
		s.text += "\n" + text + "\n"
	}
}

// figure returns a Markdown figure with a caption.
func figure(caption, file string) string {
	return fmt.Sprintf("![%s](%s)\n\n*%[1]s*", caption, file)
}

// table returns a Markdown table, or a link to a file if the table is long.
func (s *Section) table(lines []string, folder string) string {
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.Trim(line, "|-: ") == "" })
	claims := lines[0] == line(s.claims)
	if !claims {
		s.tables++
	}
	if len(lines)-1 <= mostRows || claims {
		return ruled(lines)
	}
	file := fmt.Sprintf("%s-%d.csv", s.name, s.tables)
	var b bytes.Buffer
	Check(csv.NewWriter(&b).WriteAll(Column(lines, cells)))
	s.files[file] = b.Bytes()
	return fmt.Sprintf("The table has %d rows, and stands in [%s](%s).", len(lines)-1, file, folder+file)
}

// line joins cells to a line of a table. cells splits a line.
func line(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }

func cells(line string) []string {
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "| "), " |"), " | ")
}

// ruled returns a table with a rule below the head. The first column is aligned left, the others
// right.
func ruled(lines []string) string {
	rule := line(append([]string{":--"}, slices.Repeat([]string{"--:"}, len(cells(lines[0]))-1)...))
	return strings.Join(slices.Insert(slices.Clone(lines), 1, rule), "\n")
}

// malformed matches errors in a section: values that are not numbers, and empty cells.
var malformed = regexp.MustCompile(`(?m)^.*(\b(NaN|Inf)\b|%!|<no value>|^\| +\||\| +\|).*$`)

// check fails if the result or a table is missing, or if a figure is no number. So it does if a line of a
// table has too few or too many cells.
func (s *Section) check() {
	Require(strings.Contains(s.text, "\n"+inShort) && s.tables > 0, "no finding or no table in:\n%s", s.text)
	found := malformed.FindString(s.text)
	Require(found == "", "nothing, or no number, in: %s", found)
	head := 0
	for line := range strings.SplitSeq(s.text, "\n") {
		n := len(cells(line))
		if !strings.HasPrefix(line, "| ") {
			head = 0
		} else if head == 0 {
			head = n
		}
		Require(head == 0 || n == head, "%d cells, the head has %d: %s", n, head, line)
	}
}

// functions are the functions of texts: for promises, for the format of figures and for calculations
// with them.
var functions = template.FuncMap{
	"atMost": atMost, "atLeast": atLeast, "within": within, "rate": rate, "worst": worst, "promise": promise,
	"num": Num, "num2": Num2, "percent": Percent, "percent2": Percent2,
	"spread":        func(x []float64) string { return Num(Mean(x)) + " ± " + Num2(Deviation(x)) },
	"spreadPercent": func(x []float64) string { return Num(100*Mean(x)) + "% ± " + Num2(100*Deviation(x)) },
	"span":          Span,
	"times": func(x []float64) string {
		return strings.Replace(Span(x)+" times the error", none+" times the error", none, 1)
	},
	"mean": Mean, "median": Median, "deviation": Deviation,
	"most": func(x []float64) float64 { return Quantile(x, 1) }, "least": slices.Min[[]float64], "log10": math.Log10, "round": math.Round, "quantile": Quantile,
	"div": func(a, b float64) float64 { return a / b }, "mul": func(a, b float64) float64 { return a * b },
	"add": func(a, b float64) float64 { return a + b }, "sub": func(a, b float64) float64 { return a - b },
	"interval": func(hits, n float64) string {
		lo, hi := Wilson(int(hits), int(n))
		return "[" + Num(lo) + ", " + Num(hi) + "]"
	},
	"bytes": func(n any) string {
		if n := number(n); !math.IsNaN(n) {
			return sketch.Number(uint64(n))
		}
		return none
	},
	"ofPaper": func(defaults, paper float64) string {
		return sketch.Number(uint64(defaults)) + " of " + sketch.Number(uint64(paper))
	},
	"percentInterval": func(x []float64) string {
		mean, lo, hi := meanInterval(x)
		return Percent2(mean) + " [" + Percent2(lo) + ", " + Percent2(hi) + "]"
	},
	"number": number, "list": func(values ...any) []any { return values },
	"append": func(list []any, value any) []any { return append(list, value) },
	"range2": func(x []float64) string {
		return fmt.Sprintf("%.2f (%.2f to %.2f)", Median(x), slices.Min(x), slices.Max(x))
	},
	"geometric": func(logarithms []float64) float64 { return math.Exp(Mean(logarithms)) },
	"ratio": func(a, b float64) string { // a quotient in words
		if b == 0 {
			return "no error"
		}
		return Num(a / b)
	},
	"listed": func(format string, x []float64) string {
		return cmp.Or(strings.Join(Column(x, func(v float64) string { return fmt.Sprintf(format, v) }), ", "), none)
	},
}
