package notes

import (
	"fmt"
	"maps"
	"slices"

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
	// asked has the categories of lists and those that all rows of a call have. has has those of all sketches. A sum
	// over a list does not show that one of its categories is missing.
	asked, has map[string]bool
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
	if some {
		set(&found)
		return
	}
	mu.Lock()
	defer mu.Unlock()
	has, known := missed.search(v)
	if !known || slices.ContainsFunc(has, func(c ccbf.Category) bool { return of.Has(c.Key) }) {
		set(&found)
		return
	}
	names := namesOf(v, has)
	_ = of.Each(func(category []byte) error {
		value := key.Format(v.Class(), category)
		missed.add(named(value), value, names)
		return nil
	})
}

// WantsCategories reports whether Categories is wanted: all sketches so far could be searched.
func WantsCategories() bool { return !unlisted.Load() }

// Categories is Category for rows that have lists of categories, or all the same one. Each counts by itself, so another
// call of the statement may have found points. All sketches matter, also those without points.
func Categories(v *ccbf.View, of ccbf.Categories) {
	if !WantsCategories() {
		return
	}
	mu.Lock()
	defer mu.Unlock()
	has, known := missed.search(v)
	if !known {
		set(&unlisted)
		return
	}
	if missed.asked == nil {
		missed.asked, missed.has = map[string]bool{}, map[string]bool{}
	}
	for _, name := range namesOf(v, has) {
		missed.has[name] = true
	}
	_ = of.Each(func(category []byte) error {
		missed.asked[key.Format(v.Class(), category)] = true
		return nil
	})
}

// namesOf returns the texts of categories of a sketch.
func namesOf(v *ccbf.View, list []ccbf.Category) (names []string) {
	for _, c := range list {
		names = append(names, key.Format(v.Class(), c.Key))
	}
	return names
}

// named describes a category.
func named(value string) string { return fmt.Sprintf("the category %q", value) }

// search returns the categories of a sketch. It returns false if they cannot be listed, are too long, or are no
// texts, and after maxChecks searches.
func (c *category) search(v *ccbf.View) (has []ccbf.Category, known bool) {
	class := v.Class()
	if v.Form() == ccbf.Dense || class != key.Text && !class.IsStruct() || bridge.CategoryBytes(v) > maxSearched || !c.allowed() {
		return nil, false
	}
	has, err := v.ListCategories()
	return has, err == nil
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

// note returns a text for the user about a category that no sketch has. Without one, it returns "". found says
// whether some sketch has the category of its query.
func (c *category) note(found bool) string {
	if found {
		c.missing = ""
	}
	if c.missing == "" && !found && WantsCategories() {
		for _, value := range slices.Sorted(maps.Keys(c.asked)) {
			if !c.has[value] {
				c.add(named(value), value, slices.Sorted(maps.Keys(c.has)))
				break
			}
		}
	}
	switch {
	case c.missing == "":
		return ""
	case c.near == "":
		return fmt.Sprintf("no sketch in the query has %s. ccbf_categories lists them.", c.missing)
	}
	return fmt.Sprintf("no sketch in the query has %s; did you mean %q? ccbf_categories lists them.", c.missing, c.near)
}
