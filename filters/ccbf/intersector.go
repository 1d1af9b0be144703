package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Intersector intersects any number of sketches. Dense ones stay as values,
// one per counter, until the end, so that the result does not depend on their
// order: making digits in between would round values up each time.
type Intersector struct {
	acc    *Sketch  // nil before the first sketch; its dense form is unused
	values []uint64 // of the counters, once a sketch was dense
	sat    bool
	budget Budget
}

// NewIntersector returns an Intersector of nothing. A nil budget refuses nothing.
func NewIntersector(budget Budget) *Intersector { return &Intersector{budget: budget} }

func (x *Intersector) grow(delta int64) error {
	if x.budget == nil {
		return nil
	}
	return x.budget.Grow(delta)
}

// AddView intersects with a sketch, after verifying its checksum.
func (x *Intersector) AddView(v *View) error {
	if err := x.grow(int64(len(v.blob)) * 16); err != nil {
		return err
	}
	s, err := v.Sketch()
	if err != nil {
		return err
	}
	if err := x.add(s); err != nil {
		return err
	}
	if x.values != nil {
		return x.grow(-int64(len(v.blob)) * 16)
	}
	return nil
}

// Merge intersects with what another Intersector has, which stays as it is.
func (x *Intersector) Merge(from *Intersector) error {
	if from.acc == nil {
		return nil
	}
	s, err := from.Sketch()
	if err != nil {
		return err
	}
	if from.values == nil {
		return x.add(s)
	}
	// Values, not the digits that Sketch made of them.
	if err := x.addValues(s, from.values); err != nil {
		return err
	}
	x.sat = x.sat || from.sat
	return nil
}

func (x *Intersector) add(s *Sketch) error {
	if x.acc == nil {
		c := *s
		c.dense = nil
		x.acc = &c
		if s.dense == nil {
			return nil
		}
		x.sat = s.dense.saturated
		return x.setValues(s.dense.values())
	}
	if x.values == nil && s.dense == nil {
		return x.acc.Intersect(s)
	}
	if err := x.acc.Differ(s); err != nil {
		return err
	}
	s.makeDense()
	x.sat = x.sat || s.dense.saturated
	return x.addValues(s, s.dense.values())
}

func (x *Intersector) setValues(values []uint64) error {
	if err := x.grow(int64(len(values)) * 8); err != nil {
		return err
	}
	x.values = values
	return nil
}

// addValues intersects with a dense sketch given by its values.
func (x *Intersector) addValues(s *Sketch, values []uint64) error {
	if x.acc == nil {
		c := *s
		c.dense = nil
		x.acc = &c
		return x.setValues(append([]uint64(nil), values...))
	}
	if err := x.acc.Differ(s); err != nil {
		return err
	}
	if x.values == nil {
		c := *x.acc
		c.makeDense()
		x.acc.Bounds = c.Bounds
		if err := x.setValues(c.dense.values()); err != nil {
			return err
		}
		x.acc.sections = nil
	}
	for j, n := range values {
		x.values[j] = min(x.values[j], n)
	}
	x.acc.Bounds = x.acc.Bounds.Intersect(s.Bounds)
	x.acc.Class = max(x.acc.Class, s.Class)
	x.acc.tidyBounds()
	return nil
}

// Sketch makes the sketch of the intersection; nil and an error that wraps
// sketch.ErrInvalid where nothing was added. Of one dense sketch it is that
// sketch's values, with total unknown.
func (x *Intersector) Sketch() (*Sketch, error) {
	if x.acc == nil {
		return nil, sketch.Invalidf("an intersection of nothing")
	}
	s := *x.acc
	if x.values == nil {
		return &s, nil
	}
	s.dense = newDense(s.shape)
	s.dense.fillValues(x.values)
	s.dense.saturated = s.dense.saturated || x.sat
	s.sections = nil
	s.lostTotal()
	return &s, nil
}
