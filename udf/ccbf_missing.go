package udf

import (
	"bytes"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/help"
	"github.com/ccbfsql/ccbfsql/internal/notes"
)

// missingCategory makes a note about categories that sketches of a chunk do not have, if sums are 0.
// After some checks, and if it cannot know, it counts the category as found.
type missingCategory struct {
	notes.Category
	checks int
}

const (
	maxMissingChecks = 64
	maxMissingBytes  = 1 << 16 // of a list of categories
)

// check adds a sum of a category in the sketch of a view.
func (m *missingCategory) check(v *ccbf.View, category []byte, sum uint64) {
	if m.Found {
		return
	}
	m.checks++
	if sum > 0 || m.checks > maxMissingChecks || v.Form() == ccbf.Dense || v.Class() != key.Text || bridge.CategoryBytes(v) > maxMissingBytes {
		m.Found = true
		return
	}
	list, err := v.ListCategories()
	if err != nil {
		m.Found = true
		return
	}
	var names []string
	for _, c := range list {
		if bytes.Equal(c.Key, category) {
			m.Found = true
			return
		}
		names = append(names, string(c.Key))
	}
	m.Add(&notes.Category{Missing: string(category), Near: help.Nearest(string(category), names)})
}
