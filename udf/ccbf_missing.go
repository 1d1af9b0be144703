package udf

import (
	"bytes"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/asked"
	"github.com/ccbfsql/ccbfsql/internal/help"
)

// missingCategory looks whether sketches of a chunk have the categories that they are asked for,
// where the answer is 0: for those who run one statement after the other. It looks a few times;
// whatever it cannot know is found.
type missingCategory struct {
	asked.Category
	looks int
}

const (
	missingLooks = 64
	missingBytes = 1 << 16 // of a list of categories
)

func (m *missingCategory) look(v *ccbf.View, category []byte, sum uint64) {
	if m.Found {
		return
	}
	m.looks++
	if sum > 0 || m.looks > missingLooks || v.Form() == ccbf.Dense || v.Class() != key.Text || bridge.CategoryBytes(v) > missingBytes {
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
	m.Add(&asked.Category{Missing: string(category), Near: help.Nearest(string(category), names)})
}
