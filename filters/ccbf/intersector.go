package ccbf

import (
	"cmp"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/hooks"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// intersector implements hooks.Intersector.
type intersector struct {
	exact  *Sketch  // the intersection of the exact sketches and trees; nil before the first.
	rest   *Sketch  // the intersection of the sketches with counters, whose counters are empty; nil before the first.
	values []uint64 // the values of the counters of rest.
	reserve
}

func newIntersector(budget Budget) *intersector {
	return &intersector{reserve: reserve{budget: budget}}
}

// AddView implements hooks.Intersector.
func (x *intersector) AddView(v *View) error {
	most := v.reader().Memory()
	if v.Form() == Dense {
		// Add eight bytes for each value, and eight for the value of the layer above.
		most += 16 * int64(v.shape.Size[0])
	}
	// Reserve the memory before the sketch is read.
	if err := x.grow(most); err != nil {
		return err
	}
	s, err := v.Sketch()
	if err != nil {
		return err
	}
	if err := x.add(s, nil); err != nil {
		return err
	}
	return x.settle()
}

// Merge implements hooks.Intersector. The other one is an *intersector too.
func (x *intersector) Merge(other hooks.Intersector[View, Sketch]) error {
	from := other.(*intersector)
	if err := x.grow(from.held); err != nil {
		return err
	}
	if from.exact != nil {
		if err := x.add(from.exact, nil); err != nil {
			return err
		}
	}
	if from.rest != nil {
		if err := x.add(from.rest, slices.Clone(from.values)); err != nil {
			return err
		}
	}
	return x.settle()
}

// settle gives back all reserved memory that the intersector does not keep.
func (x *intersector) settle() error {
	now := int64(cap(x.values)) * 8
	if x.exact != nil {
		now += x.exact.squares.Sections.Memory()
	}
	return x.grow(now - x.held)
}

// add intersects with sketch s. values has the values of its counters, and add keeps the slice; nil if s has
// them, or none.
func (x *intersector) add(s *Sketch, values []uint64) error {
	for _, part := range [...]*Sketch{x.exact, x.rest} {
		if part == nil {
			continue
		}
		if _, err := part.join(s); err != nil {
			return err
		}
	}
	if s.dense != nil && values == nil {
		values = s.dense.Values()
	}
	c := *s
	switch {
	case s.dense == nil && x.exact == nil:
		x.exact = &c
	case s.dense == nil:
		both, _ := x.exact.join(s)
		return x.exact.narrowSquares(s, both.Config, cells.Intersect)
	case x.rest == nil:
		c.dense = new(cascade.Counters)
		x.rest, x.values = &c, values
	default:
		both, _ := x.rest.join(s)
		x.rest.Config = *both.Config
		x.rest.limit(s)
		lower(x.values, values)
	}
	return nil
}

// lower sets each value to the smaller of values[i] and other[i].
func lower(values, other []uint64) {
	for j, n := range other {
		values[j] = min(values[j], n)
	}
}

// Sketch implements hooks.Intersector.
func (x *intersector) Sketch() (*Sketch, error) {
	switch {
	case x.exact == nil && x.rest == nil:
		return nil, sketch.Invalidf("an intersection of nothing")
	case x.rest == nil:
		s := *x.exact
		return &s, nil
	}
	s, values := *x.rest, x.values
	if x.exact != nil {
		e := x.exact.asDense(&s.Config)
		s.limit(e)
		values = e.dense.Values()
		lower(values, x.values)
	}
	s.dense = cascade.FromValues(s.shape, values)
	s.lostTotal()
	return &s, nil
}

// EncodeBytes implements hooks.Intersector.
func (x *intersector) EncodeBytes() int64 {
	s := cmp.Or(x.rest, x.exact)
	if s == nil {
		return 0
	}
	return x.held + 2*int64(s.shape.Bytes())
}
