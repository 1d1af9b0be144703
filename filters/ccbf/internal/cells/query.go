package cells

import (
	"bytes"
	"slices"
)

// Categories is the set of categories that a query asks for. The zero value means all categories.
type Categories struct {
	one  []byte // if some is false: the only category, or nil for all
	some bool
	keys [][]byte // if some is true: the categories, sorted
}

// Of returns the set that holds only one category, or the set of all categories if category is nil.
func Of(category []byte) Categories { return Categories{one: category} }

// AnyOf returns the set of several categories. Repeated keys count once. The keys must not change
// while the set is used.
func AnyOf(keys ...[]byte) Categories {
	keys = slices.Clone(keys)
	slices.SortFunc(keys, bytes.Compare)
	return Categories{some: true, keys: slices.CompactFunc(keys, bytes.Equal)}
}

// None reports whether the set is empty.
func (c *Categories) None() bool { return c.some && len(c.keys) == 0 }

// Has reports whether a category is in the set. Nil stands for points without a category.
func (c *Categories) Has(category []byte) bool {
	if !c.some {
		return c.one == nil || string(c.one) == string(category)
	}
	_, ok := slices.BinarySearchFunc(c.keys, category, bytes.Compare)
	return ok
}

// Each calls f for each category of the set, or once with nil if the set holds all. At an error of f it
// stops, and returns the error.
func (c *Categories) Each(f func(category []byte) error) error {
	if !c.some {
		return f(c.one)
	}
	for _, key := range c.keys {
		if err := f(key); err != nil {
			return err
		}
	}
	return nil
}

// Number returns how often Each calls its function.
func (c *Categories) Number() int {
	if !c.some {
		return 1
	}
	return len(c.keys)
}

// Same reports whether two sets refer to the same slices in memory.
func (c *Categories) Same(o *Categories) bool {
	same := func(a, b []byte) bool {
		return len(a) == len(b) && (a == nil) == (b == nil) && (len(a) == 0 || &a[0] == &b[0])
	}
	return c.some == o.some && same(c.one, o.one) && len(c.keys) == len(o.keys) && (len(c.keys) == 0 || &c.keys[0] == &o.keys[0])
}

// One returns the only category of the set, or nil if the set holds all. It returns false if the set has
// several categories or none.
func (c *Categories) One() ([]byte, bool) { return c.one, !c.some }
