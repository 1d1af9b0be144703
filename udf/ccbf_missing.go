package udf

import (
	"bytes"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/help"
	"github.com/ccbfsql/ccbfsql/internal/notes"
)

// missingCategory notes a category that no sketch of a chunk has, for a hint to the user if all sums are
// 0. If it cannot know, or after maxMissingChecks checks, it takes the category for found.
type missingCategory struct {
	notes.Category
	checks int
}

const (
	maxMissingChecks = 64      // sums that are checked in a chunk
	maxMissingBytes  = 1 << 16 // bytes of a list of categories that is searched
)

// check notes whether the sketch of v has the category. sum is the sketch's sum for that category.
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
