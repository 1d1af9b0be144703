package report

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
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
	Text        string // what the section says, where Run does not: see compose
}

// NewPage is a page of experiments whose texts are in the folder text: its own, and in
// text/sections those of the experiments, by their names.
func NewPage(texts fs.FS, file, text string, claims []string, experiments ...Experiment) *Page {
	for i := range experiments {
		section, _ := fs.ReadFile(texts, "text/sections/"+experiments[i].Name+".md") // some have none
		experiments[i].Text = string(section)
	}
	return &Page{File: file, Text: string(Must(fs.ReadFile(texts, "text/"+text))), Claims: claims, Experiments: experiments}
}

// placed is an experiment and its page.
type placed struct {
	Experiment
	page *Page
}

// experiments are those of all pages, in their order.
func (p *Program) experiments() (all []placed) {
	for _, page := range p.Pages {
		for _, e := range page.Experiments {
			all = append(all, placed{e, page})
		}
	}
	return all
}

// Render writes all pages into dir, of the results that are kept there.
func (p *Program) Render(dir string) error {
	pages, err := p.pages(dir)
	for file, text := range pages {
		file = filepath.Join(dir, file)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, text, 0o644))
	}
	return err
}

// Stale are the pages in dir that are not what Render would write.
func (p *Program) Stale(dir string) (files []string, err error) {
	pages, err := p.pages(dir)
	for file, text := range pages {
		if old, e := os.ReadFile(filepath.Join(dir, file)); e != nil || !bytes.Equal(old, text) {
			files = append(files, file)
		}
	}
	return files, err
}

// pages are the texts of the pages, of the results in dir.
func (p *Program) pages(dir string) (pages map[string][]byte, err error) {
	pages = map[string][]byte{}
	return pages, Try(func() {
		sections := map[string]*Section{}
		for _, e := range p.experiments() {
			s, err := Load(filepath.Join(dir, p.Results, e.Name+".csv"))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			Check(err)
			s.name, s.title, s.page, s.claims.head = e.Name, e.Title, e.page, e.page.Claims
			sections[e.Name] = s
		}
		setting, _ := os.ReadFile(filepath.Join(dir, p.Results, settingFile)) // not all programs have one
		for _, page := range p.Pages {
			pages[page.File] = page.markdown(p.Results, string(setting), sections)
		}
		for _, c := range p.Charts {
			if svg := c.draw(sections); svg != nil {
				pages[c.File] = svg
			}
		}
	})
}

// markdown is the page with those of its sections that there are.
func (p *Page) markdown(results, setting string, sections map[string]*Section) []byte {
	v := view{p, strings.Repeat("../", strings.Count(p.File, "/")), results, setting, sections}
	var b bytes.Buffer
	Check(Must(template.New(p.File).Funcs(v.functions()).Parse(p.Text)).Execute(&b, nil))
	for _, e := range p.Experiments {
		if s := sections[e.Name]; s != nil {
			b.WriteString("\n" + s.markdown(v.up+results))
		}
	}
	return b.Bytes()
}

// view is what a page sees of the results.
type view struct {
	page     *Page
	up       string // to the folder of all pages
	results  string
	setting  string
	sections map[string]*Section
}

// functions are those of the templates: of an experiment's name, and of the number
// of one of its tables or figures from 0 on. They are empty where there is no result
// yet.
func (v view) functions() template.FuncMap {
	of := func(name string, f func(s *Section) string) string {
		if s := v.sections[name]; s != nil {
			return f(s)
		}
		return ""
	}
	return template.FuncMap{
		// short is the finding of an experiment.
		"short": func(name string) string { return of(name, func(s *Section) string { return s.finding }) },
		"link":  func(name string) string { return of(name, v.link) },
		"table": func(name string, i int) string {
			return of(name, func(s *Section) string { return pick[*Table](s, i).markdown("") })
		},
		"figure": func(name string, i int) string {
			return of(name, func(s *Section) string { return pick[*figure](s, i).markdown(v.up + v.results) })
		},
		"last":   func() string { return v.setting },
		"list":   v.list,
		"claims": v.claims,
	}
}

// pick is the i-th block of a kind.
func pick[B block](s *Section, i int) B {
	for _, x := range s.blocks {
		if b, ok := x.(B); ok {
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
func (v view) list() string {
	var b strings.Builder
	for _, e := range v.page.Experiments {
		if s := v.sections[e.Name]; s != nil {
			fmt.Fprintf(&b, "- %s: %s\n", v.link(s), s.finding)
		}
	}
	return b.String()
}

// claims are those of all sections of the page.
func (v view) claims() string {
	all := Table{head: append([]string{"section"}, v.page.Claims...)}
	for _, e := range v.page.Experiments {
		if s := v.sections[e.Name]; s != nil {
			for _, r := range s.claims.rows {
				all.rows = append(all.rows, slices.Concat([]string{fmt.Sprintf("[%s](#%s)", e.Name, Anchor(e.Title))}, r))
			}
		}
	}
	return all.markdown("")
}

// Anchor is how GitHub names a heading.
func Anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r == ' ':
			return '-'
		}
		return -1
	}, title)
}
