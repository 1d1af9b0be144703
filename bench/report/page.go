package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

// Program is experiments, and the pages that show what came of them.
type Program struct {
	Name    string // as in "go run ./paper"
	Results string // the folder of results and figures, beside the pages
	Pages   []*Page
	Setting string // what a run has to do with the machine it is on; kept of the last one
	Charts  []*Chart
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
	page        *Page
}

// NewPage is a page of experiments whose texts are in the folder text: its own, and in
// text/sections those of the experiments, by their names, which begin with their titles.
func NewPage(texts fs.FS, file, text string, claims []string, experiments ...Experiment) *Page {
	for i, e := range experiments {
		title, section, _ := strings.Cut(string(Must(fs.ReadFile(texts, "text/sections/"+e.Name+".md"))), "\n")
		experiments[i].Title, experiments[i].Text = strings.TrimPrefix(title, "# "), section
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
func (p *Program) Render(dir string) error {
	pages, err := p.pages(dir)
	for file, text := range pages {
		file = filepath.Join(dir, file)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644))
	}
	return err
}

// Stale are the pages in dir that are not what Render would write.
func (p *Program) Stale(dir string) (files []string, err error) {
	pages, err := p.pages(dir)
	for file, text := range pages {
		if old, e := os.ReadFile(filepath.Join(dir, file)); e != nil || string(old) != text {
			files = append(files, file)
		}
	}
	return files, err
}

// pages are the texts of the pages and the charts, of the results in dir.
func (p *Program) pages(dir string) (pages map[string]string, err error) {
	pages = map[string]string{}
	return pages, Try(func() {
		sections := map[string]*Section{}
		for _, e := range p.experiments() {
			s, err := Load(filepath.Join(dir, p.Results, e.Name+".csv"))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			Check(err)
			s.name, s.title, s.page = e.Name, e.Title, e.page
			sections[e.Name] = s
		}
		setting, _ := os.ReadFile(filepath.Join(dir, p.Results, settingFile)) // not all programs have one
		for _, page := range p.Pages {
			up := strings.Repeat("../", strings.Count(page.File, "/"))
			pages[page.File] = view{page, up, up + p.Results, string(setting), sections}.markdown()
		}
		for _, c := range p.Charts {
			if svg := c.draw(sections); svg != "" {
				pages[c.File] = svg
			}
		}
	})
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
	Check(Must(template.New(v.page.File).Funcs(v.functions()).Parse(v.page.Text)).Execute(&b, nil))
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
		"last": func() string { return v.setting },
		"list": v.list, "claims": v.claims,
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
	panic(failure{fmt.Errorf("%s has not so many tables or figures", s.name)})
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
