package serve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
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

// filter chooses rows by several columns, and points by categories.
type filter struct {
	id      string // what it chooses, as a key
	choices []choice
	of      ccbf.Categories // whose points count
	texts   []string        // of these, for SQL; none for all points
	parts   []choice        // of categories that are STRUCTs, instead of texts
}

// byCategory is the column that the sketches' own categories are chosen by.
const byCategory = "(category)"

// filter reads one from a request; category is one more choice by byCategory.
func (l *layer) filter(given []words, category *string) (filter, error) {
	var f filter
	if category != nil {
		given = append(slices.Clip(given), words{By: byCategory, Value: *category})
	}
	if l.Error != "" {
		return f, fmt.Errorf("%s.%s: %s", l.Table, l.Column, l.Error)
	}
	chosen := false
	for _, w := range given {
		if w.To == "" {
			w.To = w.Value
		}
		if w.By == byCategory {
			if err := l.choose(&f, w); err != nil {
				return f, err
			}
			chosen = true
			continue
		}
		c := choice{slider: l.slider(w.By)}
		if c.slider < 0 {
			return f, fmt.Errorf("%s has no slider %q", l.Table, w.By)
		}
		var err error
		if c.from, c.to, err = l.Sliders[c.slider].find(w, l.Table); err != nil {
			return f, err
		}
		if l.Sliders[c.slider].Part > 0 {
			f.parts = append(f.parts, c)
			continue
		}
		f.choices = append(f.choices, c)
	}
	if len(f.parts) > 0 {
		f.of = ccbf.AnyOf(l.keysOf(f.parts)...)
	}
	if !chosen && l.Categories {
		return f, fmt.Errorf("the sketches of %s.%s were built with a category of type %v: give one", l.Table, l.Column, l.class)
	}
	slices.SortFunc(f.choices, func(a, b choice) int { return a.slider - b.slider })
	f.id = fmt.Sprint(f.choices, f.texts, f.parts)
	return f, nil
}

// keysOf are the keys of the categories whose fields are chosen.
func (l *layer) keysOf(parts []choice) (keys [][]byte) {
	for i, k := range l.keys {
		if !slices.ContainsFunc(parts, func(c choice) bool {
			v := l.parts[i][l.Sliders[c.slider].Part-1]
			return v < c.from || v > c.to
		}) {
			keys = append(keys, k)
		}
	}
	return keys
}

// slider is the index of a column's; -1 where there is none.
func (l *layer) slider(column string) int {
	return slices.IndexFunc(l.Sliders, func(s slider) bool { return s.Column == column })
}

// find is where the values of a choice are.
func (s *slider) find(w words, table string) (from, to int, err error) {
	if from, to = slices.Index(s.Values, w.Value), slices.Index(s.Values, w.To); from >= 0 && to >= 0 {
		return from, to, nil
	}
	missing := w.Value
	if from >= 0 {
		missing = w.To
	}
	if s.Category {
		return 0, 0, fmt.Errorf("the sketches of %s have no category %q%s", table, missing, nearest(missing, s.Values))
	}
	return 0, 0, fmt.Errorf("%s is never %q in %s%s", w.By, missing, table, nearest(missing, s.Values))
}

// choose takes the categories of a choice.
func (l *layer) choose(f *filter, w words) error {
	at := l.slider(byCategory)
	switch {
	case l.plain:
		return fmt.Errorf("the sketches of %s.%s were built without a category: give none", l.Table, l.Column)
	case at >= 0:
		s := &l.Sliders[at]
		from, to, err := s.find(w, l.Table+"."+l.Column)
		if err != nil {
			return err
		}
		if to < from {
			return fmt.Errorf("the category %q is after %q", w.Value, w.To)
		}
		f.of, f.texts = ccbf.AnyOf(l.keys[from:to+1]...), s.Values[from:to+1]
		return nil
	case l.parts != nil:
		return fmt.Errorf("the categories of %s.%s are STRUCTs: choose by a field, for example %q", l.Table, l.Column, byCategory+"._1")
	case w.To != w.Value:
		return fmt.Errorf("the categories of %s.%s are not known: give one, and no range", l.Table, l.Column)
	}
	k, err := parsed(l.class, w.Value)
	if err != nil {
		return err
	}
	f.of, f.texts = ccbf.Of(k), []string{w.Value}
	return nil
}

// parsed is the key of a text, for sketches that cannot list theirs.
func parsed(class key.Class, text string) ([]byte, error) {
	switch class {
	case key.Text, key.None:
		return []byte(text), nil
	case key.Int:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return key.AppendInt64(nil, n), nil
		}
	case key.Date:
		if t, err := time.Parse(time.DateOnly, text); err == nil {
			return key.AppendDate(nil, int32(t.Unix()/86400)), nil //nolint:gosec // years have four digits
		}
	default:
		return nil, fmt.Errorf("categories of type %v cannot be chosen here", class)
	}
	return nil, fmt.Errorf("the category %q is not of type %v", text, class)
}

// holds reports whether a row is chosen.
func (f *filter) holds(p *rowSketch) bool {
	for _, c := range f.choices {
		if v := p.values[c.slider]; v < c.from || v > c.to {
			return false
		}
	}
	return true
}

// without is the filter less what it says of a column, for bars of that column.
func (f filter) without(slider int) filter {
	of := func(c choice) bool { return c.slider == slider }
	f.choices, f.parts = slices.DeleteFunc(slices.Clone(f.choices), of), slices.DeleteFunc(slices.Clone(f.parts), of)
	f.id = ""
	return f
}

// given reports whether questions take a category.
func (f *filter) given() bool { return len(f.texts) > 0 || len(f.parts) > 0 }

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
