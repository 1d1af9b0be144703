package serve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// words choose rows as a request says it: those whose column By has a value from
// Value to To, or Value where To is empty.
type words struct {
	By    string `json:"by"`
	Value string `json:"value"`
	To    string `json:"to,omitempty"`
}

// choice is words as indexes: of a slider, and of its values.
type choice struct{ slider, from, to int }

// filter chooses rows by several columns, and points by a category.
type filter struct {
	id       string // what it chooses, as a key
	choices  []choice
	category string
	given    bool // a category is
}

// filter reads one from a request.
func (l *layer) filter(given []words, category *string) (filter, error) {
	var f filter
	if category != nil {
		f.category, f.given = *category, true
	}
	switch {
	case l.Error != "":
		return f, fmt.Errorf("%s.%s: %s", l.Table, l.Column, l.Error)
	case l.Categories && !f.given:
		return f, fmt.Errorf("the sketches of %s.%s were built with a category: give one%s", l.Table, l.Column, l.someCategories())
	case f.given && l.plain:
		return f, fmt.Errorf("the sketches of %s.%s were built without a category: give none", l.Table, l.Column)
	case f.given && l.class != key.None:
		return f, fmt.Errorf("categories of type %v cannot be chosen here", l.class)
	case f.given && l.namesKnown && !slices.Contains(l.Names, f.category):
		return f, fmt.Errorf("the sketches of %s.%s have no category %q%s", l.Table, l.Column, f.category, nearest(f.category, l.Names))
	}
	for _, w := range given {
		c := choice{slider: slices.IndexFunc(l.Sliders, func(s slider) bool { return s.Column == w.By })}
		if c.slider < 0 {
			return f, fmt.Errorf("%s has no slider %q", l.Table, w.By)
		}
		if w.To == "" {
			w.To = w.Value
		}
		values := l.Sliders[c.slider].Values
		for _, end := range []struct {
			text string
			at   *int
		}{{w.Value, &c.from}, {w.To, &c.to}} {
			if *end.at = slices.Index(values, end.text); *end.at < 0 {
				return f, fmt.Errorf("%s is never %q in %s%s", w.By, end.text, l.Table, nearest(end.text, values))
			}
		}
		f.choices = append(f.choices, c)
	}
	slices.SortFunc(f.choices, func(a, b choice) int { return a.slider - b.slider })
	f.id = fmt.Sprint(f.choices, f.given, f.category)
	return f, nil
}

// holds reports whether a row is chosen.
func (f *filter) holds(p *placed) bool {
	for _, c := range f.choices {
		if v := p.values[c.slider]; v < c.from || v > c.to {
			return false
		}
	}
	return true
}

// without is the filter less what it says of a column, for bars of that column.
func (f filter) without(slider int) filter {
	f.choices = slices.DeleteFunc(slices.Clone(f.choices), func(c choice) bool { return c.slider == slider })
	f.id = ""
	return f
}

// key is the category as questions take it; nil for none.
func (f *filter) key() []byte {
	if !f.given {
		return nil
	}
	return []byte(f.category)
}

// nearest suggests the name that is spelt most alike, if one is.
func nearest(wanted string, names []string) string {
	if len(wanted) > 100 {
		return ""
	}
	best, least := "", 2+len(wanted)/3
	for _, n := range names {
		if len(n) > 200 {
			continue
		}
		if d := levenshtein.ComputeDistance(strings.ToLower(wanted), strings.ToLower(n)); d < least {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// someCategories are the first ones, for an error.
func (l *layer) someCategories() string {
	if !l.namesKnown || len(l.Names) == 0 {
		return ""
	}
	const most = 5
	some, more := l.Names, ""
	if len(some) > most {
		some, more = some[:most], fmt.Sprintf(" and %d more", len(l.Names)-most)
	}
	return ", for example " + strings.Join(some, ", ") + more
}
