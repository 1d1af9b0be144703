package cells

import (
	"bytes"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// EachCategory calls f with every category, in the order of their bytes, its number of
// cells and the sum of their counts. It reads the lengths of sections, not their cells.
func (v *View) EachCategory(f func(category []byte, cells, total uint64)) {
	for i := 0; i < len(v.sections); {
		s := &v.sections[i]
		cells, total := uint64(0), uint64(0)
		for ; i < len(v.sections) && bytes.Equal(v.sections[i].category, s.category); i++ {
			cells, total = cells+uint64(v.sections[i].cells), saturate.Add(total, v.sections[i].total)
		}
		f(s.category, cells, total)
	}
}

// Sections is how many sections there are.
func (v *View) Sections() int { return len(v.sections) }
