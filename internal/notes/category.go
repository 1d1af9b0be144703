package notes

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/help"
)

// Category is a note about a category in queries of a chunk of rows, or of a statement, to exact sketches
// and trees. They return 0 for a category that they do not have.
type Category struct {
	found   bool   // some sketch may have the category of the query.
	missing string // the first category that a sketch does not have.
	near    string // a similar category of a sketch, or "".
	checks  int    // number of sums in the chunk
}

const (
	maxChecks   = 64      // sums that are checked in a chunk
	maxSearched = 1 << 16 // bytes of a list of categories that is searched
)

// Check adds the sum of a sketch's points in categories. If it cannot know whether the sketch has one of
// them, or after maxChecks checks, it takes one for found.
func (c *Category) Check(v *ccbf.View, of ccbf.Categories, sum uint64) {
	if c.found {
		return
	}
	c.checks++
	if sum > 0 || c.checks > maxChecks || v.Form() == ccbf.Dense || v.Class() != key.Text || bridge.CategoryBytes(v) > maxSearched {
		c.found = true
		return
	}
	list, err := v.ListCategories()
	if err != nil {
		c.found = true
		return
	}
	var names []string
	for _, has := range list {
		if of.Has(has.Key) {
			c.found = true
			return
		}
		names = append(names, string(has.Key))
	}
	_ = of.Each(func(category []byte) error {
		// The note names one category, and the search for a similar one takes time.
		if name := string(category); c.missing == "" || c.missing == name && c.near == "" {
			c.add(&Category{missing: name, near: help.Nearest(name, names)})
		}
		return nil
	})
}

// add adds the note of another chunk. That may have the similar name if c has none.
func (c *Category) add(b *Category) {
	c.found = c.found || b.found
	if c.missing == "" {
		c.missing = b.missing
	}
	if c.missing == b.missing && c.near == "" {
		c.near = b.near
	}
}

// note returns a text for the user if no sketch has its category. Otherwise it returns "".
func (c *Category) note() string {
	switch {
	case c.found || c.missing == "":
		return ""
	case c.near == "":
		return fmt.Sprintf("no sketch in the query has the category %q. ccbf_categories lists them.", c.missing)
	}
	return fmt.Sprintf("no sketch in the query has the category %q; did you mean %q? ccbf_categories lists them.", c.missing, c.near)
}

// Record adds the note of a chunk to the note of the process.
func (c *Category) Record() {
	mu.Lock()
	defer mu.Unlock()
	category.add(c)
}
