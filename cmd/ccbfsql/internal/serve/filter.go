package serve

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/help"
	"github.com/paulmach/orb"
)

// condition selects rows whose column By is between Value and To, or equal to Value if To is empty.
// It is part of a request. Value is nil if the request has none, or null.
type condition struct {
	By    string  `json:"by"`
	Value *string `json:"value"`
	To    string  `json:"to,omitempty"`
}

// valueRange is a condition as indexes. slider is the index of a slider. from and to are the indexes
// of the first and the last value that the condition selects.
type valueRange struct{ slider, from, to int }

// selection is the part of a request that selects rows and a category.
type selection struct {
	Where    []condition `json:"where"`
	Category *string     `json:"category"`
}

// filter selects rows by columns, and points by categories.
type filter struct {
	choices []valueRange    // Conditions on columns, which select rows.
	of      ccbf.Categories // Categories whose points are counted.
	parts   []valueRange    // Conditions on the fields of these categories.
	text    *string         // Text of a category that cannot be listed; nil: none.
	versus  *filter         // Rows that these are compared with: their difference is drawn; nil: none.
}

// byCategory is the name of the slider of the sketches' categories.
const byCategory = "(category)"

// filter returns the filter of a request. A category is one more condition on byCategory.
func (l *layer) filter(given selection) (filter, error) {
	var f filter
	rows := given.Where
	if given.Category != nil {
		rows = append(slices.Clip(rows), condition{By: byCategory, Value: given.Category})
	}
	if l.Error != "" {
		return f, bad("%s.%s: %s", l.Table, l.Column, l.Error)
	}
	for _, w := range rows {
		if w.Value == nil {
			return f, bad("the condition on %q has no value, which must be a text; rows with NULL cannot be selected", w.By)
		}
		w.To = cmp.Or(w.To, *w.Value)
		c := valueRange{slider: l.slider(w.By)}
		switch {
		case c.slider < 0 && w.By == byCategory:
			if err := l.choose(&f, w); err != nil {
				return f, err
			}
			continue
		case c.slider < 0:
			return f, bad("%s has no column %q to select rows by", l.Table, w.By)
		}
		s := &l.Sliders[c.slider]
		var err error
		if c.from, c.to, err = s.find(w, l.Table, l.Column); err != nil {
			return f, err
		}
		if c.to < c.from {
			return f, bad("the range of %s begins with %q, which is after its end, %q", w.By, *w.Value, w.To)
		}
		if !s.Category {
			f.choices = append(f.choices, c)
			continue
		}
		// If a field has several conditions, the last one counts.
		f.parts = append(slices.DeleteFunc(f.parts, func(o valueRange) bool { return o.slider == c.slider }), c)
	}
	if len(f.parts) > 0 {
		f.of = ccbf.AnyOf(l.keysOf(f.parts)...)
	}
	if !f.given() && l.Categories {
		return f, bad("the sketches of %s.%s were built with a category of type %v: give one", l.Table, l.Column, l.class)
	}
	slices.SortFunc(f.parts, func(a, b valueRange) int { return a.slider - b.slider })
	return f, nil
}

// keysOf returns the keys of the categories whose fields are in the ranges.
func (l *layer) keysOf(parts []valueRange) (keys [][]byte) {
	for i, k := range l.keys {
		if !slices.ContainsFunc(parts, func(c valueRange) bool {
			v := l.parts[i][max(l.Sliders[c.slider].Part-1, 0)]
			return v < c.from || v > c.to
		}) {
			keys = append(keys, k)
		}
	}
	return keys
}

// slider returns the index of a column's slider, or -1.
func (l *layer) slider(column string) int {
	return slices.IndexFunc(l.Sliders, func(s slider) bool { return s.Column == column })
}

// find returns the indexes of a condition's values.
func (s *slider) find(w condition, table, column string) (from, to int, err error) {
	if from, to = slices.Index(s.Values, *w.Value), slices.Index(s.Values, w.To); from >= 0 && to >= 0 {
		return from, to, nil
	}
	missing := *w.Value
	if from >= 0 {
		missing = w.To
	}
	if s.Category {
		return 0, 0, bad("the sketches of %s.%s have no category %q%s", table, column, missing, help.Suggestion(missing, s.Values))
	}
	return 0, 0, bad("%s is never %q in %s%s", w.By, missing, table, help.Suggestion(missing, s.Values))
}

// choose sets the category of a filter, for sketches whose categories have no slider.
func (l *layer) choose(f *filter, w condition) error {
	switch {
	case l.plain:
		return bad("the sketches of %s.%s were built without a category: give none", l.Table, l.Column)
	case l.parts != nil:
		return bad("the categories of %s.%s are STRUCTs: choose by a field, for example %q", l.Table, l.Column, byCategory+"._1")
	case w.To != *w.Value:
		return bad("the categories of %s.%s cannot be listed: give one category instead of a range", l.Table, l.Column)
	}
	k, err := parsed(l.class, *w.Value)
	if err != nil {
		return err
	}
	f.of, f.text = ccbf.Of(k), w.Value
	return nil
}

// parsed returns the key of a category's text, for sketches that cannot list their categories.
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
		return nil, bad("categories of type %v cannot be selected on the map: query them in SQL", class)
	}
	return nil, bad("the category %q is not of type %v", text, class)
}

// selected returns the selected rows whose bounds intersect a box.
func (l *layer) selected(f *filter, box orb.Bound) (rows []*rowSketch) {
	for i := range l.sketches {
		if p := &l.sketches[i]; f.holds(p) && p.bounds.Intersects(box) {
			rows = append(rows, p)
		}
	}
	return rows
}

// hasRows reports whether a picture of a box shows any rows.
func (l *layer) hasRows(f *filter, box orb.Bound) bool {
	return len(l.selected(f, box)) > 0 || f.versus != nil && l.hasRows(f.versus, box)
}

// open makes v the view of the row's sketch, for queries with a filter.
func (p *rowSketch) open(ctx context.Context, v *ccbf.View, f *filter) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := v.Reset(p.blob); err != nil {
		return err
	}
	return v.CheckCategory(f.given())
}

// holds reports whether the filter selects a row.
func (f *filter) holds(p *rowSketch) bool {
	for _, c := range f.choices {
		if v := p.values[c.slider]; v < c.from || v > c.to {
			return false
		}
	}
	return true
}

// without returns the filter without its conditions on a slider.
func (f filter) without(slider int) filter {
	of := func(c valueRange) bool { return c.slider == slider }
	f.choices, f.parts = slices.DeleteFunc(slices.Clone(f.choices), of), slices.DeleteFunc(slices.Clone(f.parts), of)
	return f
}

// given reports whether the filter selects categories.
func (f *filter) given() bool { return f.text != nil || len(f.parts) > 0 }
