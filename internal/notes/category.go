package notes

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/help"
)

// category is a note about a category in queries to exact sketches and trees. They return 0 for a category
// that they do not have.
type category struct {
	missing string // what a sketch does not have, the first one: the category "theft".
	near    string // a similar category of a sketch, or a similar value, or "".
	checks  int    // number of sketches that were searched
}

const (
	maxChecks   = 256     // sketches that are searched for a note
	maxSearched = 1 << 16 // bytes of a list of categories that is searched
)

// WantsCategory reports whether a query that found no points still matters to the note about categories.
func WantsCategory() bool { return !found.Load() }

// Found notes that some sketch has points of the category of its query.
func Found() { set(&found) }

// Category notes the categories of a query to a sketch; some says whether it found points. A category counts
// as found if it cannot be known whether the sketch has it, and after maxChecks searches.
func Category(v *ccbf.View, of ccbf.Categories, some bool) {
	if found.Load() {
		return
	}
	class := v.Class()
	if some || v.Form() == ccbf.Dense || class != key.Text && !class.IsStruct() || bridge.CategoryBytes(v) > maxSearched {
		set(&found)
		return
	}
	mu.Lock()
	defer mu.Unlock()
	list, err := v.ListCategories()
	if !missed.allowed() || err != nil {
		set(&found)
		return
	}
	var names []string
	for _, has := range list {
		if of.Has(has.Key) {
			set(&found)
			return
		}
		names = append(names, key.Format(class, has.Key))
	}
	_ = of.Each(func(category []byte) error {
		value := key.Format(class, category)
		missed.add(fmt.Sprintf("the category %q", value), value, names)
		return nil
	})
}

// WantsPart reports whether Part is wanted for a sketch: no category was found yet, and few bytes are searched.
func WantsPart(v *ccbf.View) bool { return WantsCategory() && bridge.CategoryBytes(v) <= maxSearched }

// Part notes a value of a field that no category of a sketch has, and those that they have. missing describes the value.
// After maxChecks searches, a category counts as found, as in Category.
func Part(missing, value string, has []string) {
	mu.Lock()
	defer mu.Unlock()
	if !missed.allowed() {
		set(&found)
		return
	}
	missed.add(missing, value, has)
}

// allowed counts a search, and reports whether it is one of the first maxChecks.
func (c *category) allowed() bool {
	c.checks++
	return c.checks <= maxChecks
}

// add adds a value that a sketch does not have, its description, and the values that it has. The note names one only,
// and the search for a similar one takes time.
func (c *category) add(missing, value string, has []string) {
	if c.missing == "" || c.missing == missing && c.near == "" {
		c.missing, c.near = missing, help.Nearest(value, has)
	}
}

// note returns a text for the user about a category that no sketch has. Without one, it returns "".
func (c *category) note() string {
	switch {
	case c.missing == "":
		return ""
	case c.near == "":
		return fmt.Sprintf("no sketch in the query has %s. ccbf_categories lists them.", c.missing)
	}
	return fmt.Sprintf("no sketch in the query has %s; did you mean %q? ccbf_categories lists them.", c.missing, c.near)
}
