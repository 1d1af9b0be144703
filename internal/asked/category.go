package asked

import "fmt"

// Category records lookups by category in exact sketches and trees, which answer 0 for a category
// that they do not have.
type Category struct {
	Found   bool   // some sketch has the category, or may have it
	Missing string // the first one that a sketch does not have
	Near    string // one spelt alike, or none
}

// Add adds what others know: of the same category another sketch may have a nearer name.
func (c *Category) Add(b *Category) {
	c.Found = c.Found || b.Found
	if c.Missing == "" {
		c.Missing = b.Missing
	}
	if c.Missing == b.Missing && c.Near == "" {
		c.Near = b.Near
	}
}

// Note returns a note for the user if no sketch had the category of a query. Otherwise it returns "".
func (c *Category) Note() string {
	switch {
	case c.Found || c.Missing == "":
		return ""
	case c.Near == "":
		return fmt.Sprintf("no sketch in the query has the category %q. ccbf_categories lists them.", c.Missing)
	}
	return fmt.Sprintf("no sketch in the query has the category %q; did you mean %q? ccbf_categories lists them.", c.Missing, c.Near)
}

var category Category // of the process

// RecordCategory adds the categories of a chunk to the record of the process.
func RecordCategory(c *Category) {
	if !c.Found && c.Missing == "" {
		return
	}
	mu.Lock()
	defer mu.Unlock()
	category.Add(c)
}

// TakeCategory returns the categories that were recorded since its last call.
func TakeCategory() Category {
	mu.Lock()
	defer mu.Unlock()
	c := category
	category = Category{}
	return c
}
