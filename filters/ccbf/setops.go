package ccbf

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Which sketches combine. What counters are, two sketches that have some must agree on:
// nothing else can add them up. An exact sketch knows its cells, and a tree its squares,
// so of those only what a cell is must agree. An exact sketch that meets counters is
// counted in them.

// sameCells returns an error that wraps sketch.ErrDiffer where sketches of two
// configurations do not combine, whatever their forms.
func (c *Config) sameCells(o *Config) error {
	switch {
	case c.Grid != o.Grid:
		return sketch.Differ("resolution", c.Grid.Res(), o.Grid.Res())
	case c.Categories != o.Categories:
		return sketch.Differ("category", c.Categories, o.Categories)
	}
	return nil
}

// withFactor adds to an error what makes one of two resolutions the other, where
// something does.
func withFactor(err error, a, b grid.Grid) error {
	fine, coarse, which := a, b, "first"
	if a.Res() > b.Res() {
		fine, coarse, which = b, a, "second"
	}
	factor := math.Round(coarse.Res() / fine.Res())
	if factor < 2 || factor > 1<<MaxLevels {
		return err
	}
	if g, notOne := fine.Coarser(uint64(factor)); notOne != nil || g != coarse {
		return err
	}
	return fmt.Errorf("%w, or ccbf_coarsen the %s by %.0f", err, which, factor)
}

// combine returns an error that wraps sketch.ErrDiffer where a sketch of a form does not
// go with another; ErrForms of a tree and counters.
func (c *Config) combine(form Form, o *Config, other Form) error {
	if err := c.sameCells(o); err != nil {
		return withFactor(err, c.Grid, o.Grid)
	}
	switch {
	case form == Exact || other == Exact || form == Tree && other == Tree:
		return nil
	case form != other:
		return ErrForms
	}
	return c.differCounters(o)
}

// joined is the configuration of what two sketches that combine are made into, by a
// rule that does not ask which came first: the result for any number of sketches is the
// same in any order.
//
// Where one of them has counters, it is that one's. Otherwise the larger Bytes wins, and
// where one of them overflows to a tree, so does the result; its counters, which it
// falls back to, are those that follow from Bytes. If neither does, all that concerns
// counters is that of the greater in the order of compareCounters, Bytes first.
func joined(a *Config, form Form, b *Config, other Form) Config {
	if *a == *b {
		return *a
	}
	out := *a
	switch {
	case form == Dense && other == Dense:
		// The same counters: Bytes says no more than what an exact form could have had,
		// and Overflow what it became.
		out.Bytes, out.Overflow, out.Exact = max(a.Bytes, b.Bytes), max(a.Overflow, b.Overflow), a.Exact && b.Exact
		return out
	case form == Dense:
		return out
	case other == Dense:
		return *b
	case a.Overflow == ToTree && b.Overflow == ToTree:
		out.Seed = max(a.Seed, b.Seed)
		if slices.Compare(a.shape.Sizes(), b.shape.Sizes()) < 0 {
			out.shape = b.shape
		}
	case b.Overflow == ToTree:
		out = *b
	case a.Overflow == ToTree:
	default:
		out = *greater(a, b)
	}
	out.Bytes, out.Totals, out.Exact = max(a.Bytes, b.Bytes), a.Totals || b.Totals, true
	if out.Overflow == ToTree {
		if s, ok := fitted(out.shape, out.Bytes); ok {
			out.shape = s
		}
	}
	return out
}

// greater is the greater of two configurations by compareCounters.
func greater(a, b *Config) *Config {
	if compareCounters(a, b) < 0 {
		return b
	}
	return a
}

// compareCounters orders configurations by Bytes, then by all that concerns counters
// alone. Those that it finds equal differ in nothing else that joined chooses.
func compareCounters(a, b *Config) int {
	return cmp.Or(
		cmp.Compare(a.Bytes, b.Bytes),
		cmp.Compare(a.Mode, b.Mode),
		cmp.Compare(a.shape.K, b.shape.K),
		cmp.Compare(a.Levels, b.Levels),
		cmp.Compare(a.Base, b.Base),
		slices.Compare(a.shape.Sizes(), b.shape.Sizes()),
		slices.Compare(a.shape.Widths(), b.shape.Widths()),
		cmp.Compare(a.Seed, b.Seed),
	)
}

// differCounters returns an error where counters of two sketches do not add up.
func (c *Config) differCounters(o *Config) error {
	if err := c.differKeys(o); err != nil {
		return err
	}
	if c.shape != o.shape {
		return sketch.Differ("counters", c.Counters(), o.Counters())
	}
	return nil
}

// differKeys is differCounters but for how many there are.
func (c *Config) differKeys(o *Config) error {
	switch {
	case c.Mode != o.Mode:
		return sketch.Differ("mode", c.Mode, o.Mode)
	case c.shape.K != o.shape.K:
		return sketch.Differ("k", c.shape.K, o.shape.K)
	case c.Seed != o.Seed:
		return sketch.Differ("seed", c.Seed, o.Seed)
	case c.Totals != o.Totals:
		return sketch.Differ("totals", c.Totals, o.Totals)
	case c.Levels != o.Levels:
		return sketch.Differ("levels", c.Levels, o.Levels)
	case c.Base != o.Base:
		return sketch.Differ("factor of coarsening", uint64(1)<<c.Base, uint64(1)<<o.Base)
	case !c.shape.SameWidths(&o.shape):
		return sketch.Differ("layers", c.Widths(), o.Widths())
	}
	return nil
}

// differ returns an error that wraps sketch.ErrDiffer and names the first parameter in
// which two configurations differ. Exact may differ: it says how a sketch is built.
// Sketches with more differences can combine; Sketch.differ says whether two do.
func (c *Config) differ(o *Config) error {
	if err := c.sameCells(o); err != nil {
		return err
	}
	if err := c.differKeys(o); err != nil { // modes, k and the like ask for counters, and say more than that
		return err
	}
	switch {
	case c.Overflow != o.Overflow:
		return sketch.Differ("overflow", c.Overflow, o.Overflow)
	case c.Overflow != ToCounters && c.Bytes != o.Bytes: // numbers of counters follow from it
		return sketch.Differ("bytes", c.Bytes, o.Bytes)
	case c.shape != o.shape:
		return sketch.Differ("counters", c.Counters(), o.Counters())
	case c.Bytes != o.Bytes:
		return sketch.Differ("bytes", c.Bytes, o.Bytes)
	}
	return nil
}

// ErrNeedsWeight says that all points of a cell were to be moved in a sketch that is
// not exact, which cannot tell how many there are.
var ErrNeedsWeight = fmt.Errorf("a sketch that is not exact cannot tell how many points a cell has: give the option \"weight\"")

// count is the estimate of one cell, as View.Count.
func (s *Sketch) count(c grid.Cell, category []byte) uint64 { return s.body().count(c, category) }

// Count is View.Count of a sketch in memory: the points of a cell and a category, which
// is that of every point of it or nil.
func (s *Sketch) Count(c grid.Cell, category []byte) (uint64, error) {
	if err := s.checkPoint(c, category); err != nil {
		return 0, err
	}
	return s.count(c, category), nil
}

// CountAt is Count of the cell at (x, y).
func (s *Sketch) CountAt(x, y float64, category []byte) (uint64, error) {
	c, err := s.Grid.Cell(x, y)
	if err != nil {
		return 0, err
	}
	return s.Count(c, category)
}

// Remove takes n points out of a cell. More than the estimate is an error that
// wraps sketch.ErrTooMany; counters that are no sums one that wraps
// sketch.ErrNotAdditive; either changes nothing. Removing from a dense sketch
// points that were never added cannot always be noticed, and makes other
// cells' estimates too small.
func (s *Sketch) Remove(c grid.Cell, category []byte, n uint64) error {
	if err := s.canRemove(c, category, n); err != nil || n == 0 {
		return err
	}
	return s.body().remove(c, category, n)
}

func (s *Sketch) canRemove(c grid.Cell, category []byte, n uint64) error {
	if err := s.checkPoint(c, category); err != nil {
		return err
	}
	if !s.additive() {
		return s.notAdditive()
	}
	switch have := s.body().removable(c, category); {
	case n > 0 && have == full && s.dense == nil: // full counters stay full
		return errSaturated
	case n > have:
		return fmt.Errorf("%w: remove %d from cell (%d, %d), which has %d", sketch.ErrTooMany, n, c.X, c.Y, have)
	}
	return nil
}

// notAdditive is why s is not additive, or why it cannot lose what counters count.
func (s *Sketch) notAdditive() error {
	if s.Mode == MinimalIncrement && s.tree == nil {
		return fmt.Errorf("%w: a dense sketch of mode 'mi' (build with mode: 'standard')", sketch.ErrNotAdditive)
	}
	return errNarrowed
}

// errSaturated refuses to take points out of a count that may be of more than it says.
var errSaturated = fmt.Errorf("%w: a count reached 2^64-1 and can be of more points", sketch.ErrNotAdditive)

var errNarrowed = fmt.Errorf("%w: the sketch is the result of intersect or mask", sketch.ErrNotAdditive)

// Add counts n points in a cell. It is an error if a category is given and the
// sketch has none, or vice versa.
func (s *Sketch) Add(c grid.Cell, category []byte, n uint64) error {
	if err := s.checkPoint(c, category); err != nil || n == 0 {
		return err
	}
	before := s.Total
	if s.TotalKnown {
		s.Total = saturate.Add(s.Total, n)
	}
	err := s.body().add(c, category, n)
	if err != nil {
		s.Total = before
	}
	return err
}

// Move takes n points out of a cell and counts them in another; n nil moves
// all points of the cell, which only an exact sketch can tell: ErrNeedsWeight.
// Other errors are those of Remove.
func (s *Sketch) Move(from, to grid.Cell, category []byte, n *uint64) error {
	if !s.additive() { // a weight would not help
		return s.notAdditive()
	}
	if n == nil {
		all, err := s.body().all(from, category)
		if err != nil {
			return err
		}
		n = &all
	}
	if err := s.Remove(from, category, *n); err != nil {
		return err
	}
	return s.Add(to, category, *n)
}

// Union adds the points of o to s, as SQL does of their BLOBs. Where the two do not combine
// the error wraps sketch.ErrDiffer, and s is unchanged. o is unchanged.
func (s *Sketch) Union(o *Sketch) error {
	b := NewBuilder(s.Config, nil)
	for _, part := range [...]*Sketch{s, o} {
		v, err := NewView(part.Blob())
		if err != nil {
			return err
		}
		if err := b.AddView(&v); err != nil {
			return err
		}
	}
	out, err := b.Sketch()
	if err == nil {
		*s = *out
	}
	return err
}

// Subtract takes o out of s; o must be part of s: built from some of the
// points that s was built from. Where it visibly is not, the error wraps
// sketch.ErrTooMany and s is unchanged. Both must be additive. o is unchanged.
func (s *Sketch) Subtract(o *Sketch) error {
	form, err := s.meet(o)
	if err != nil {
		return err
	}
	if s.dense == nil && s.Saturated() || o.dense == nil && o.Saturated() {
		return errSaturated
	}
	if form == Dense {
		return s.subtractCounters(o)
	}
	return s.subtractSquares(o)
}

// lessTotal takes n points that are gone out of a dense sketch's total. One that
// reached 2^64-1 stays: how much more there was is unknown.
func (s *Sketch) lessTotal(n uint64) {
	if s.TotalKnown && s.Total != ^uint64(0) {
		s.Total -= min(n, s.Total)
	}
}

// lostTotal marks a dense sketch after an operation that makes its total
// unknown and its counters no sums.
func (s *Sketch) lostTotal() {
	s.Total, s.TotalKnown, s.sums, s.parts = 0, false, false, cascade.Origin{}
}

// Intersect leaves in every cell the smaller of both counts. Never below the
// truth; exact where both are. The order of the two does not matter.
func (s *Sketch) Intersect(o *Sketch) error {
	return s.narrow(o, narrower{true, tree.Intersect, (*cascade.Counters).Intersect})
}

// Mask keeps the cells that o has, with the counts of s. Never below the
// truth; exact where both are.
func (s *Sketch) Mask(o *Sketch) error {
	return s.narrow(o, narrower{false, tree.Mask, (*cascade.Counters).Mask})
}

// narrower is how less is left of a sketch by another: of its squares, a cell being one, and of
// its counters.
type narrower struct {
	// either says that neither sketch is the one that is narrowed: what they are made
	// into has the configuration that joined chooses. Otherwise it keeps that of the
	// left one, as far as its form can have it.
	either   bool
	squares  func(a, b tree.Squares) tree.Squares
	counters func(d, o *cascade.Counters)
}

// narrow leaves less of s by o, which is unchanged.
func (s *Sketch) narrow(o *Sketch, by narrower) error {
	form, err := s.meet(o)
	if err != nil {
		return err
	}
	if form == Dense {
		left, right := s.asDensePair(o)
		*s = *left
		by.counters(s.dense, right.dense)
		s.limit(right)
		s.lostTotal()
		return nil
	}
	return s.narrowSquares(o, by)
}

// limit takes over what the intersection with o, apart from counts, changes.
func (s *Sketch) limit(o *Sketch) {
	s.Class = max(s.Class, o.Class)
	s.Exact = s.Exact && o.Exact
	if s.bounds = s.bounds.Intersect(o.bounds); s.bounds.Empty() {
		s.bounds = cells.NoBounds
	}
}

// meet is the form in which two sketches are made into one: exact while both are, a tree where one
// is, and counters otherwise. It is an error where they do not combine: sketch.ErrDiffer, or
// ErrForms of a tree and counters.
func (s *Sketch) meet(o *Sketch) (Form, error) {
	if err := s.differ(o); err != nil {
		return 0, err
	}
	a, b := s.Form(), o.Form()
	switch {
	case a == Exact:
		return b, nil
	case a != b && b != Exact:
		return 0, ErrForms
	}
	return a, nil
}

var errNoPart = fmt.Errorf("%w: the right sketch is not part of the left one", sketch.ErrTooMany)

// leaves is an exact sketch or a tree as squares.
func (s *Sketch) leaves() *tree.List {
	if s.tree != nil {
		return s.tree
	}
	return tree.ListOf(s.cells)
}

// keepLeaves leaves these of the leaves of s, none of which has points outside of bounds. across says
// that some have points that are gone.
func (s *Sketch) keepLeaves(left *tree.List, bounds grid.Rect, across bool) {
	if s.tree == nil {
		s.cells, _ = left.Cells()
		s.Total = s.cells.Total()
		return
	}
	s.tree = left
	if s.bounds = bounds; bounds.Empty() {
		s.bounds = cells.NoBounds
	}
	if across {
		s.lostTotal()
	} else if s.TotalKnown {
		s.Total = left.Total()
	}
}

// subtractSquares is Subtract of two exact sketches or trees.
func (s *Sketch) subtractSquares(o *Sketch) error {
	if !s.additive() || !o.additive() {
		return errNarrowed
	}
	a, b := s.leaves(), o.leaves()
	for i := range b.Sections {
		t := &b.Sections[i]
		left, err := tree.Subtract(a.Squares(t.Label), t.Squares)
		if err != nil {
			return cannotSubtract(err)
		}
		a = a.With(t.Label, left)
	}
	if s.IsExact() {
		s.cells, _ = a.Cells()
	} else {
		s.tree = a
	}
	s.Total = a.Total()
	return nil
}

// narrowSquares is narrow of two exact sketches or trees.
func (s *Sketch) narrowSquares(o *Sketch, by narrower) error {
	a, b := s.leaves(), o.leaves()
	out := &tree.List{Tau: max(a.Tau, b.Tau)}
	bounds := s.body().limits().Intersect(o.body().limits())
	for i := range a.Sections {
		t := &a.Sections[i]
		if squares := squaresWithin(bounds, t.Label, by.squares(t.Squares, b.Squares(t.Label))); squares.Len() > 0 {
			out.Sections = append(out.Sections, tree.Section{Label: t.Label, Squares: squares})
		}
	}
	config, exact := s.Config, s.IsExact() && o.IsExact()
	if by.either || !exact && config.Overflow != ToTree {
		config = joined(&s.Config, s.Form(), &o.Config, o.Form())
	}
	if exact {
		s.Config, s.Class = config, max(s.Class, o.Class)
		s.keepLeaves(out, bounds, false)
		return nil
	}
	p, ok := out.Within(config.Bytes)
	if !ok {
		return out.TooLong(config.Bytes)
	}
	s.Config = config
	s.bounds = s.body().limits()
	right := *o
	right.bounds = o.body().limits()
	s.cells, s.tree = nil, p.List
	s.tree.Fit = tree.Accuracy{}
	s.limit(&right)
	s.lostTotal()
	return nil
}

// squaresWithin returns the squares of a section that have a cell within bounds. The others
// have no points of both sketches.
func squaresWithin(bounds grid.Rect, l cells.Label, squares tree.Squares) (out tree.Squares) {
	a := tree.RegionArea{Bounds: bounds, X: l.X, Y: l.Y}
	for i, key := range squares.Keys {
		if !a.Rect(key, squares.Level(i)).Empty() {
			out.Push(squares.Leaf(i))
		}
	}
	return out
}

// asDensePair is both sketches with counters: the cells of an exact one are counted in such as the
// other has. Both stay as they are.
func (s *Sketch) asDensePair(o *Sketch) (left, right *Sketch) {
	c := joined(&s.Config, s.Form(), &o.Config, o.Form())
	return s.asDenseOf(c), o.asDenseOf(c)
}

// subtractCounters is Subtract where one sketch has counters.
func (s *Sketch) subtractCounters(o *Sketch) error {
	for _, of := range []*Sketch{s, o} {
		if of.dense != nil && (!of.additive() || of.Mode != Standard) {
			return of.notAdditive()
		}
	}
	left, right := s.asDensePair(o)
	if left.Saturated() || right.Saturated() {
		return fmt.Errorf("%w: a counter reached its ceiling", sketch.ErrNotAdditive)
	}
	if err := left.dense.Subtract(right.dense); err != nil {
		return errNoPart
	}
	*s = *left
	if s.TotalKnown = s.TotalKnown && o.TotalKnown; s.TotalKnown {
		s.lessTotal(o.Total)
	} else {
		s.Total = 0
	}
	return nil
}

// intersector is bridge.Intersector.
type intersector struct {
	exact  *Sketch  // of the exact sketches and trees; nil before the first
	rest   *Sketch  // of the dense ones, but for their counters; nil before the first
	values []uint64 // of their counters
	held   int64    // bytes of all of it
	budget Budget
}

func newIntersector(budget Budget) *intersector { return &intersector{budget: budget} }

func (x *intersector) grow(delta int64) error {
	if x.budget != nil {
		if err := x.budget.Grow(delta); err != nil {
			return err
		}
	}
	x.held += delta
	return nil
}

// AddView intersects with a sketch, after verifying its checksum.
func (x *intersector) AddView(v *View) error {
	most := v.reader().Memory()
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

// Merge intersects with what another intersector has, which is left unchanged.
func (x *intersector) Merge(from *intersector) error {
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
func (x *intersector) settle() error {
	now := int64(cap(x.values)) * 8
	if x.exact != nil {
		now += x.exact.body().memory()
	}
	return x.grow(now - x.held)
}

// differ returns an error where s does not go with what is there.
func (x *intersector) differ(s *Sketch) error {
	if x.exact != nil {
		if err := x.exact.differ(s); err != nil {
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

func (x *intersector) addExact(s *Sketch) error {
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
func (x *intersector) addValues(s *Sketch, values []uint64) error {
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
