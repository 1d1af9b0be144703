package cells

import "github.com/ccbfsql/ccbfsql/filters/grid"

// Of is the cells that a question for a category is about, nil for all: then those of
// several categories are added up. Each region has one section. l is left unchanged.
func (l List) Of(category []byte) List {
	if category == nil {
		return l.Plain()
	}
	var out List
	for i := range l {
		if s := &l[i]; !s.None && s.Category == string(category) {
			out = append(out, Section{Label{None: true, X: s.X, Y: s.Y}, s.Run})
		}
	}
	return out
}

// Differences calls f for the cells that count differently in two lists, with what they
// count in each. Neither is changed. O(len(a) + len(b)), without allocation.
func Differences(a, b List, f func(c grid.Cell, x, y uint64)) {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		order := 0
		switch {
		case i == len(a):
			order = 1
		case j == len(b):
			order = -1
		default:
			order = a[i].Compare(b[j].Label)
		}
		var x, y Run
		at := Label{}
		if order <= 0 {
			x, at = a[i].Run, a[i].Label
			i++
		}
		if order >= 0 {
			y, at = b[j].Run, b[j].Label
			j++
		}
		differences(at, x, y, f)
	}
}

// differences is Differences of two sections of one label.
func differences(at Label, a, b Run, f func(c grid.Cell, x, y uint64)) {
	i, j := 0, 0
	for i < len(a.Keys) || j < len(b.Keys) {
		key := ^uint64(0)
		if i < len(a.Keys) {
			key = a.Keys[i]
		}
		if j < len(b.Keys) {
			key = min(key, b.Keys[j])
		}
		x, y := uint64(0), uint64(0)
		if i < len(a.Keys) && a.Keys[i] == key {
			x = a.Counts[i]
			i++
		}
		if j < len(b.Keys) && b.Keys[j] == key {
			y = b.Counts[j]
			j++
		}
		if x != y {
			f(CellOf(at.X, at.Y, key), x, y)
		}
	}
}

// Keep is the cells of l that f is true for. l is left unchanged.
func (l List) Keep(f func(c grid.Cell) bool) List {
	var out List
	for i := range l {
		s := &l[i]
		var r Run
		for j, k := range s.Keys {
			if f(CellOf(s.X, s.Y, k)) {
				r.Keys, r.Counts = append(r.Keys, k), append(r.Counts, s.Counts[j])
			}
		}
		if len(r.Keys) > 0 {
			out = append(out, Section{s.Label, r})
		}
	}
	return out
}
