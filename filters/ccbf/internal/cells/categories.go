package cells

import (
	"bytes"
	"slices"
)

// Categories are those that a question is about. The zero value is all of them.
type Categories struct {
	one  []byte // where some is not set; nil for all
	some bool
	keys [][]byte // ordered
}

// Of is one category, or all where it is nil.
func Of(category []byte) Categories { return Categories{one: category} }

// AnyOf are several categories, no one twice. The keys must not change while they are used.
func AnyOf(keys ...[]byte) Categories {
	keys = slices.Clone(keys)
	slices.SortFunc(keys, bytes.Compare)
	return Categories{some: true, keys: slices.CompactFunc(keys, bytes.Equal)}
}

// All reports whether the question is about all points.
func (c *Categories) All() bool { return c.one == nil && !c.some }

// None reports whether there is no category to ask for.
func (c *Categories) None() bool { return c.some && len(c.keys) == 0 }

// Has reports whether the question is about points of a category, nil for points without one.
func (c *Categories) Has(category []byte) bool {
	if !c.some {
		return c.one == nil || string(c.one) == string(category)
	}
	_, ok := slices.BinarySearchFunc(c.keys, category, bytes.Compare)
	return ok
}

// Each calls f for each category by itself, with nil for all of them.
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

// Number is how often Each calls its function.
func (c *Categories) Number() int {
	if !c.some {
		return 1
	}
	return len(c.keys)
}

// Same reports whether two are the same in memory.
func (c *Categories) Same(o *Categories) bool {
	same := func(a, b []byte) bool {
		return len(a) == len(b) && (a == nil) == (b == nil) && (len(a) == 0 || &a[0] == &b[0])
	}
	return c.some == o.some && same(c.one, o.one) && len(c.keys) == len(o.keys) && (len(c.keys) == 0 || &c.keys[0] == &o.keys[0])
}

// One is the only category, nil for all; false where there are several or none.
func (c *Categories) One() ([]byte, bool) { return c.one, !c.some }
