package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// Program is experiments, and the pages that show what came of them.
type Program struct {
	Name    string // as in "go run ./paper"
	Results string // the folder of results and figures, beside the pages
	Pages   []*Page
	Setting string // what a run has to do with the machine it is on; kept of the last one
}

// settingFile has the Setting of the last run, beside the results.
const settingFile = "setting.txt"

// Page is a page of measurements, a section for each experiment.
type Page struct {
	File string // its name, as in "papers/spectral.md"
	// Text is what stands before the sections: a template, whose functions are
	// those of view, of all experiments of the program.
	Text   string
	Claims []string // heads of the tables of claims
	// Experiments in the order of the page.
	Experiments []Experiment
}

// Experiment is one section of a page.
type Experiment struct {
	Name, Title string
	Run         func(Config, *Section)
	Text        string // what the section says: see compose
	Rows        []int  // of its tables, in tests; nil where that is not said
	page        *Page
}

// opening is how the text of an experiment begins: its title, and how many rows its tables
// have at the smallest scale, which is the product of the parameters that it names.
var opening = regexp.MustCompile(`(?s)^# ([^\n]*)\n(?:<!-- rows in tests: ([0-9 ]+)\([^)]*\) -->\n)?(.*)`)

// NewPage is a page of experiments whose texts are in the folder text: its own, and in
// text/sections those of the experiments, by their names, which begin as opening has it.
func NewPage(texts fs.FS, file, text string, claims []string, experiments ...Experiment) *Page {
	for i := range experiments {
		e := &experiments[i]
		m := opening.FindStringSubmatch(string(Must(fs.ReadFile(texts, "text/sections/"+e.Name+".md"))))
		e.Title, e.Text = m[1], m[3]
		for _, rows := range strings.Fields(m[2]) {
			e.Rows = append(e.Rows, Must(strconv.Atoi(rows)))
		}
	}
	return &Page{File: file, Text: string(Must(fs.ReadFile(texts, "text/"+text))), Claims: claims, Experiments: experiments}
}

// experiments are those of all pages, in their order.
func (p *Program) experiments() (all []Experiment) {
	for _, page := range p.Pages {
		for _, e := range page.Experiments {
			e.page = page
			all = append(all, e)
		}
	}
	return all
}

// Render writes all pages into dir, of the results that are kept there.
func (p *Program) Render(dir string) {
	for file, text := range p.pages(dir) {
		file = filepath.Join(dir, file)
		Check(errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)))
	}
}

// Stale are the pages in dir that are not what Render would write.
func (p *Program) Stale(dir string) (files []string, err error) {
	err = Try(func() {
		for file, text := range p.pages(dir) {
			if old, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(old) != text {
				files = append(files, file)
			}
		}
	})
	return files, err
}

// pages are the texts of the pages, of the results in dir; those that say nothing are left out.
func (p *Program) pages(dir string) map[string]string {
	sections, pages := map[string]*Section{}, map[string]string{}
	for _, e := range p.experiments() {
		file := filepath.Join(dir, p.Results, e.Name+".csv")
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		s := load(file)
		s.name, s.title, s.page = e.Name, e.Title, e.page
		sections[e.Name] = s
	}
	setting, _ := os.ReadFile(filepath.Join(dir, p.Results, settingFile)) // not all programs have one
	for _, page := range p.Pages {
		up := strings.Repeat("../", strings.Count(page.File, "/"))
		if text := (view{page, up, up + p.Results, string(setting), sections}).markdown(); text != "" {
			pages[page.File] = text
		}
	}
	return pages
}

// view is what a page sees of the results.
type view struct {
	page     *Page
	up       string // to the folder of all pages
	results  string // to that of results
	setting  string
	sections map[string]*Section
}

// markdown is the page with those of its sections that there are.
func (v view) markdown() string {
	var b strings.Builder
	Check(Must(template.New(v.page.File).Funcs(formats).Funcs(v.functions()).Parse(v.page.Text)).Execute(&b, nil))
	for _, s := range v.own() {
		b.WriteString("\n" + s.markdown(v.results))
	}
	return b.String()
}

// own are the sections of the page.
func (v view) own() (all []*Section) {
	for _, e := range v.page.Experiments {
		if s := v.sections[e.Name]; s != nil {
			all = append(all, s)
		}
	}
	return all
}

// functions are those of the templates: of an experiment's name, and of the number
// of one of its tables or figures from 0 on. They are empty where there is no result
// yet.
func (v view) functions() template.FuncMap {
	of := func(f func(s *Section) string) func(name string) string {
		return func(name string) string {
			if s := v.sections[name]; s != nil {
				return f(s)
			}
			return ""
		}
	}
	pick := func(kind string) func(name string, i int) string {
		return func(name string, i int) string {
			return of(func(s *Section) string { return s.pick(kind, i).markdown(v.results) })(name)
		}
	}
	return template.FuncMap{
		"short": of(func(s *Section) string { return s.finding }),
		"link":  of(v.link),
		"table": pick(headLine), "figure": pick(figureLine),
		"last":     func() string { return v.setting },
		"sections": v.list, "claims": v.claims, "cell": v.cell, "has": v.has,
	}
}

// pick is the i-th block of a kind.
func (s *Section) pick(kind string, i int) block {
	for _, b := range s.blocks {
		if b.kind == kind {
			if i == 0 {
				return b
			}
			i--
		}
	}
	fail("%s has not so many tables or figures", s.name)
	return block{}
}

// link leads to a section.
func (v view) link(s *Section) string {
	file := ""
	if s.page != v.page {
		file = v.up + path.Clean(s.page.File)
	}
	return fmt.Sprintf("[%s](%s#%s)", s.title, file, Anchor(s.title))
}

// list has the sections of the page and what came out.
func (v view) list() (list string) {
	for _, s := range v.own() {
		list += fmt.Sprintf("- %s: %s\n", v.link(s), s.finding)
	}
	return list
}

// claims are those of all sections of the page.
func (v view) claims() string {
	var all [][]string
	for _, s := range v.own() {
		for _, r := range s.claims {
			all = append(all, append([]string{fmt.Sprintf("[%s](#%s)", s.name, Anchor(s.title))}, r...))
		}
	}
	return table(append([]string{"section"}, v.page.Claims...), all)
}

// Anchor is how GitHub names a heading.
func Anchor(title string) string {
	return notAnchor.ReplaceAllString(strings.ReplaceAll(strings.ToLower(title), " ", "-"), "")
}

var notAnchor = regexp.MustCompile(`[^a-z0-9_-]`)

// cell is a figure as it stands in a table of a section, without its range: in the column of
// this head, in the row that begins with these cells.
func (v view) cell(section, head string, row []any) string {
	s := v.sections[section]
	for _, t := range s.blocks {
		column := slices.Index(t.cells[0], head)
		for _, r := range t.cells[1:] {
			if column >= 0 && fmt.Sprint(r[:min(len(r), len(row))]) == fmt.Sprint(row) {
				value, _, _ := strings.Cut(r[column], " ")
				return value
			}
		}
	}
	fail("%s has no row %q with %q", section, row, head)
	return ""
}

// has reports whether there are results of all of these sections.
func (v view) has(sections ...string) bool {
	return !slices.ContainsFunc(sections, func(name string) bool { return v.sections[name] == nil })
}
