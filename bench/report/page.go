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
	"strings"
	"text/template"
)

// Program has experiments and the pages with their results.
type Program struct {
	Results string   // folder of the figures, in the folder of the pages
	Claims  []string // column heads of the tables of claims
	Pages   []*Page
	Setting string // description of the machine; the file settingFile keeps that of the last run
}

// settingFile is the file with the Setting of the last run, in the folder of figures.
const settingFile = "setting.txt"

// Page is a page of measurements with a section for each experiment. Sections are stored only in
// the page: an experiment that runs replaces its own.
type Page struct {
	File string // name of the page's file, such as "papers/spectral.md"
	// Text is the template of the part before the sections. It has the functions of view for all
	// experiments of the program.
	Text        string
	Experiments []Experiment
}

// Experiment is one section of a page.
type Experiment struct {
	Name, Title string
	Run         func(Scale, *Section)
	Text        string // template of the section: see compose
	page        *Page
}

// NewPage returns a page of experiments.
func NewPage(file string, experiments ...Experiment) *Page {
	return &Page{File: file, Experiments: experiments}
}

// NewProgram returns a program of pages. The text of a page is in the folder text, under the page's name in
// lower case. The texts of experiments are in text/sections, under their names.
func NewProgram(results string, claims []string, texts fs.FS, pages ...*Page) *Program {
	read := func(name string) string { return string(Must(fs.ReadFile(texts, "text/"+name))) }
	for _, page := range pages {
		page.Text = read(strings.ToLower(path.Base(page.File)))
		for i := range page.Experiments {
			e := &page.Experiments[i]
			title, text, _ := strings.Cut(read("sections/"+e.Name+".md"), "\n")
			e.page, e.Title, e.Text = page, strings.TrimPrefix(title, "# "), text
		}
	}
	return &Program{Results: results, Claims: claims, Pages: pages}
}

// up returns the relative path from the page to the folder of all pages.
func (p *Page) up() string { return strings.Repeat("../", strings.Count(p.File, "/")) }

// experiments returns the experiments of all pages in their order.
func (p *Program) experiments() (all []Experiment) {
	for _, page := range p.Pages {
		all = append(all, page.Experiments...)
	}
	return all
}

// Render writes all pages in dir, with new sections in place of stored ones.
func (p *Program) Render(dir string, now ...*Section) {
	for file, text := range p.pages(dir, now) {
		file = filepath.Join(dir, file)
		Check(errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)))
	}
}

// Stale returns the pages in dir that differ from what Render would write.
func (p *Program) Stale(dir string) (files []string, err error) {
	err = Try(func() {
		for file, text := range p.pages(dir, nil) {
			if old, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(old) != text {
				files = append(files, file)
			}
		}
	})
	return files, err
}

// stored returns the sections in dir by the names of their experiments.
func (p *Program) stored(dir string) map[string]string {
	sections := map[string]string{}
	for _, e := range p.experiments() {
		page, _ := os.ReadFile(filepath.Join(dir, e.page.File)) // the page may not exist yet
		for section := range strings.SplitSeq(string(page), "\n## ") {
			if strings.HasPrefix(section, e.Title+"\n") {
				sections[e.Name] = "## " + strings.TrimRight(section, "\n") + "\n"
			}
		}
	}
	return sections
}

// pages returns the texts of the pages. A page has the part before the sections, and the sections
// in dir or, if they have just run, the new ones.
func (p *Program) pages(dir string, now []*Section) map[string]string {
	setting, _ := os.ReadFile(filepath.Join(dir, p.Results, settingFile)) // not all programs have one
	v := view{p, nil, p.stored(dir)}
	for _, s := range now {
		v.sections[s.name] = s.text
	}
	pages := map[string]string{}
	for _, v.page = range p.Pages {
		var b strings.Builder
		// Most of these functions take the name of an experiment, and return nothing if it has no section yet.
		Check(Must(template.New(v.page.File).Funcs(functions).Funcs(template.FuncMap{
			"link": v.link, "figure": v.figure, "sections": v.list, "claims": v.claims, "count": v.count, "cell": v.cell, "row": v.row,
			"last": func() string { return string(setting) },
		}).Parse(v.page.Text)).Execute(&b, nil))
		for _, e := range v.existing(v.page.Experiments) {
			b.WriteString("\n" + v.sections[e.Name])
		}
		pages[v.page.File] = b.String()
	}
	return pages
}

// view gives the template of a page access to sections.
type view struct {
	*Program
	page     *Page
	sections map[string]string
}

// existing returns those of some experiments that have a section.
func (v *view) existing(of []Experiment) []Experiment {
	return slices.DeleteFunc(slices.Clone(of), func(e Experiment) bool { return v.sections[e.Name] == "" })
}

// paragraphs returns the paragraphs of a section that begin with a text.
func paragraphs(section, begin string) (found []string) {
	for text := range strings.SplitSeq(section, "\n\n") {
		if strings.HasPrefix(text, begin) {
			found = append(found, strings.TrimRight(text, "\n"))
		}
	}
	return found
}

// inShort begins the paragraph with the result of a section.
const inShort = "**In short:** "

// linkTo returns a link to the section of an experiment.
func (v *view) linkTo(e Experiment, text string) string {
	file := ""
	if e.page != v.page {
		file = v.page.up() + e.page.File
	}
	return fmt.Sprintf("[%s](%s#%s)", text, file, Anchor(e.Title))
}

// link returns a link to a section, with its title.
func (v *view) link(name string) string {
	for _, e := range v.experiments() {
		if e.Name == name && v.sections[name] != "" {
			return v.linkTo(e, e.Title)
		}
	}
	return ""
}

// figure returns a figure of a section by its number.
func (v *view) figure(name string, i int) string {
	if v.sections[name] == "" {
		return ""
	}
	m := image.FindStringSubmatch(paragraphs(v.sections[name], "![")[i])
	return figure(m[1], v.page.up()+v.Results+"/"+filepath.Base(m[2])) + "\n"
}

// listed returns the experiments that a page lists: its own, or the experiments of all pages if it has none.
func (v *view) listed() []Experiment {
	if len(v.page.Experiments) > 0 {
		return v.existing(v.page.Experiments)
	}
	return v.existing(v.experiments())
}

// list returns a list of the sections with their results.
func (v *view) list() (list string) {
	for _, e := range v.listed() {
		if text := strings.TrimPrefix(strings.Join(paragraphs(v.sections[e.Name], inShort), ""), inShort); text != "" {
			list += fmt.Sprintf("- %s. %s\n", v.linkTo(e, e.Title), strings.ToUpper(text[:1])+text[1:])
		}
	}
	return list
}

// claims returns a table of the claims of the listed sections. With an argument, it has only those
// whose last cell begins with it.
func (v *view) claims(begin ...string) string {
	table := []string{line(append([]string{"section"}, v.Claims...))}
	return ruled(append(table, v.claimLines(strings.Join(begin, ""))...)) + "\n"
}

// count returns the number of claims of the listed sections whose last cell begins with a text.
func (v *view) count(begin string) int { return len(v.claimLines(begin)) }

// claimLines returns the claims of the listed sections whose last cell begins with a text, as lines
// of a table.
func (v *view) claimLines(begin string) (lines []string) {
	for _, e := range v.listed() {
		for _, claim := range v.claimsOf(v.sections[e.Name]) {
			if strings.HasPrefix(claim[len(claim)-1], begin) {
				lines = append(lines, line(append([]string{v.linkTo(e, e.Name)}, claim...)))
			}
		}
	}
	return lines
}

// claimsOf returns the claims of a section, as the cells of their lines.
func (p *Program) claimsOf(section string) (claims [][]string) {
	for _, table := range paragraphs(section, line(p.Claims)) {
		claims = append(claims, Column(strings.Split(table, "\n")[2:], cells)...)
	}
	return claims
}

// cell returns a figure from a table of a section, without its range. It is in the column with this
// head, in the row that begins with these cells. The name of a slowest case in a cell changes from
// run to run and is not compared.
func (v *view) cell(section, head string, begin []any) string {
	heads, r := v.find(section, head, begin)
	value, _, _ := strings.Cut(r[slices.Index(heads, head)], " ")
	return value
}

// row returns the first n cells of a table's row that begins with a cell, and a link to the
// section.
func (v *view) row(section, first string, n int) string {
	_, r := v.find(section, "", []any{first})
	return line(append(slices.Clone(r[:n]), v.link(section)))
}

// find returns the row of a section's table that begins with these cells, and the head of the
// table. The table must have a column with this head, unless it is "".
func (v *view) find(section, head string, begin []any) (heads, row []string) {
	for _, table := range paragraphs(v.sections[section], "| ") {
		lines := strings.Split(table, "\n")
		heads := cells(lines[0])
		for _, text := range lines {
			r := cells(text)
			for i := range r {
				r[i], _, _ = strings.Cut(r[i], ", slowest: ")
			}
			if (head == "" || slices.Contains(heads, head)) && fmt.Sprint(r[:min(len(r), len(begin))]) == fmt.Sprint(begin) {
				return heads, r
			}
		}
	}
	fail("%s has no row %q with %q", section, begin, head)
	return nil, nil
}

// Anchor returns GitHub's anchor of a heading.
func Anchor(title string) string {
	return notAnchor.ReplaceAllString(strings.ReplaceAll(strings.ToLower(title), " ", "-"), "")
}

var notAnchor = regexp.MustCompile(`[^a-z0-9_-]`)
