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

// Note says what to think of where no sketch had its category; empty where there is
// nothing to say.
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

// RecordCategory adds what was seen of a chunk to what TakeCategory returns.
func RecordCategory(c *Category) {
	if !c.Found && c.Missing == "" {
		return
	}
	mu.Lock()
	defer mu.Unlock()
	category.Add(c)
}

// TakeCategory returns what was recorded since the last call.
func TakeCategory() Category {
	mu.Lock()
	defer mu.Unlock()
	c := category
	category = Category{}
	return c
}
