package ccbf

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Intersector intersects any number of sketches. The result does not depend on
// their order: exact ones are intersected cell by cell, dense ones stay as
// values, one per counter, and both meet at the end. Digits in between would
// round values up each time, and so would an early end of exactness.
//
// For trees, the result is the same in any order if each was built at once and the result
// of each step fits: a square that is a leaf of one and lies in leaves of all others has
// the least of their counts. If trees were united, so that leaves lie in leaves, or a
// step has to be pruned, it can depend on the order. It is never below the truth.
type Intersector struct {
	exact  *Sketch  // of the exact sketches and trees; nil before the first
	rest   *Sketch  // of the dense ones, but for their counters; nil before the first
	values []uint64 // of their counters
	held   int64    // bytes of all of it
	budget Budget
}

// NewIntersector returns an Intersector of nothing. A nil budget refuses nothing.
func NewIntersector(budget Budget) *Intersector { return &Intersector{budget: budget} }

func (x *Intersector) grow(delta int64) error {
	if x.budget != nil {
		if err := x.budget.Grow(delta); err != nil {
			return err
		}
	}
	x.held += delta
	return nil
}

// AddView intersects with a sketch, after verifying its checksum.
func (x *Intersector) AddView(v *View) error {
	most := v.Memory()
	if v.Form() == Dense {
		most += 16 * int64(v.shape.Size[0]) // its values, and those of the layer above
	}
	if err := x.grow(most); err != nil { // while it is read
		return err
	}
	s, err := v.Sketch()
	if err != nil {
		return err
	}
	if s.dense == nil {
		err = x.addExact(s)
	} else {
		err = x.addValues(s, s.dense.Values())
	}
	if err != nil {
		return err
	}
	return x.settle()
}

// Merge intersects with what another Intersector has, which is left unchanged.
func (x *Intersector) Merge(from *Intersector) error {
	if err := x.grow(from.held); err != nil {
		return err
	}
	if from.exact != nil {
		if err := x.addExact(from.exact); err != nil {
			return err
		}
	}
	if from.rest != nil {
		if err := x.addValues(from.rest, slices.Clone(from.values)); err != nil {
			return err
		}
	}
	return x.settle()
}

// settle accounts for what is kept, no more.
func (x *Intersector) settle() error {
	now := int64(cap(x.values)) * 8
	if x.exact != nil {
		now += x.exact.in().memory()
	}
	return x.grow(now - x.held)
}

// differ returns an error where s does not go with what is there.
func (x *Intersector) differ(s *Sketch) error {
	if x.exact != nil {
		if err := x.exact.Differ(s); err != nil {
			return err
		}
	}
	if x.rest == nil {
		return nil
	}
	if err := x.rest.combine(Dense, &s.Config, s.Form()); err != nil { // its counters are values
		return err
	}
	return differClass(x.rest.Class, s.Class)
}

func (x *Intersector) addExact(s *Sketch) error {
	if err := x.differ(s); err != nil {
		return err
	}
	if x.exact != nil {
		return x.exact.Intersect(s)
	}
	c := *s
	x.exact = &c
	return nil
}

// addValues intersects with a dense sketch given by its values, which it keeps.
func (x *Intersector) addValues(s *Sketch, values []uint64) error {
	if err := x.differ(s); err != nil {
		return err
	}
	if x.rest == nil {
		c := *s
		c.dense = nil
		x.rest, x.values = &c, values
		return nil
	}
	x.rest.Config = joined(&x.rest.Config, Dense, &s.Config, Dense)
	x.rest.limit(s)
	lower(x.values, values)
	return nil
}

// lower makes every value the smaller of two.
func lower(values, other []uint64) {
	for j, n := range other {
		values[j] = min(values[j], n)
	}
}

// Sketch makes the sketch of the intersection; nil and an error that wraps
// sketch.ErrInvalid where nothing was added. For a single dense sketch, it has
// that sketch's values, with total unknown.
func (x *Intersector) Sketch() (*Sketch, error) {
	switch {
	case x.exact == nil && x.rest == nil:
		return nil, sketch.Invalidf("an intersection of nothing")
	case x.rest == nil:
		s := *x.exact
		return &s, nil
	}
	s, values := *x.rest, x.values
	if x.exact != nil {
		e := x.exact.asDenseOf(s.Config)
		s.limit(e)
		values = e.dense.Values()
		lower(values, x.values)
	}
	s.dense = cascade.New(s.shape)
	s.dense.FillValues(values)
	s.lostTotal()
	return &s, nil
}
