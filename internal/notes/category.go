package notes

import "fmt"

// Category is a note about a category in queries to exact sketches and trees. They return 0 for a
// category that they do not have.
type Category struct {
	Found   bool   // some sketch may have the category of the query.
	Missing string // the first category that a sketch does not have.
	Near    string // a similar category of a sketch, or "".
}

// Add adds the note of another chunk. That may have the similar name if c has none.
func (c *Category) Add(b *Category) {
	c.Found = c.Found || b.Found
	if c.Missing == "" {
		c.Missing = b.Missing
	}
	if c.Missing == b.Missing && c.Near == "" {
		c.Near = b.Near
	}
}

// note returns a text for the user if no sketch has its category. Otherwise it returns "".
func (c *Category) note() string {
	switch {
	case c.Found || c.Missing == "":
		return ""
	case c.Near == "":
		return fmt.Sprintf("no sketch in the query has the category %q. ccbf_categories lists them.", c.Missing)
	}
	return fmt.Sprintf("no sketch in the query has the category %q; did you mean %q? ccbf_categories lists them.", c.Missing, c.Near)
}

// RecordCategory adds the note of a chunk to the note of the process.
func RecordCategory(c *Category) {
	mu.Lock()
	defer mu.Unlock()
	category.Add(c)
}
