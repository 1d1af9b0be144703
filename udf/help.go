package udf

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/help"
)

// Help returns the function sketch_help, which explains the given functions and itself.
func Help(known functions) functions {
	var pages func() *helpPages
	fn := function("sketch", "sketch_help", duck.Varchar, func(c *call) error { return pages().answer(c) },
		"Explains a function: how to call it, what it does, its options with their values, and an example. "+
			"With the name of a family (ccbf, cms, bloom, ...), it lists the functions of the family; without a name, all functions. Returns one text of several lines, which the example splits into rows.",
		"SELECT unnest(string_split(sketch_help('cms_get'), chr(10)))", nil, duck.Param{Name: "name", Type: duck.Varchar})
	all := append(known[:len(known):len(known)], fn)
	pages = sync.OnceValue(func() *helpPages { return newHelpPages(help.Entries(all)) })
	return functions{fn}
}

// helpPages is the help texts, by names in lower case.
type helpPages struct {
	texts map[string]string // help text, by name of a function or group
	names []string          // names of functions
}

func newHelpPages(all []help.Entry) *helpPages {
	p := &helpPages{texts: map[string]string{}}
	groups := map[string][]help.Entry{}
	for _, e := range all {
		groups[e.Group] = append(groups[e.Group], e)
		p.names = append(p.names, e.Name)
	}
	var inGroups []help.Entry
	for _, e := range all {
		group := groups[e.Group]
		if delete(groups, e.Group); group != nil {
			p.texts[e.Group] = help.List(group)
		}
		inGroups = append(inGroups, group...)
	}
	p.texts[""] = help.List(inGroups)
	for _, e := range all { // after the groups, as a function takes precedence over a group of the same name
		p.texts[e.Name] = e.Text()
	}
	return p
}

func (p *helpPages) answer(c *call) error {
	return c.each(func(i int) error {
		name := ""
		if col := c.Optional(0); col != nil {
			name = string(col.Bytes(i))
		}
		text, ok := p.texts[strings.ToLower(strings.TrimSpace(name))]
		if !ok {
			return p.unknown(name)
		}
		c.out.SetString(i, strings.TrimSuffix(text, "\n"))
		return nil
	})
}

// longestName is a length that no name of a function has, in bytes. Longer names get no suggestion.
const longestName = 60

func (p *helpPages) unknown(name string) error {
	if len(name) > longestName {
		return fmt.Errorf("no function has a name of %d bytes; sketch_help() lists them", len(name))
	}
	var some []string
	for _, n := range p.names {
		if strings.HasPrefix(n, strings.ToLower(name)) {
			some = append(some, n)
		}
	}
	if len(some) > 0 {
		return fmt.Errorf("no function is named %q; these begin so: %s", name, strings.Join(some, ", "))
	}
	return fmt.Errorf("no function is named %q%s", name, cmp.Or(help.Suggestion(name, p.names), "; sketch_help() lists them"))
}
