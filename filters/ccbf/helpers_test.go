package ccbf

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
)

func must[T any](v T, err error) T { return kit.Must(v, err) }

var noError = kit.NoError

// spot is a cell of a model, in a category. The category of points without one
// is plain.
type spot struct {
	grid.Cell
	category string
}

const plain = "(none)"

// countersOf is the counters of a dense sketch.
func countersOf(v *View) *counters.Reader { return v.reader().(*counters.Reader) }

// levelCount returns the count of a square of a level.
func levelCount(v *View, level int, square grid.Cell, category []byte) uint64 {
	h := v.Config.counters().Hasher(uint8(level))
	h1, h2 := h.Hash(square, category)
	return v.counters.Counters.Count(h1, h2)
}

func (s spot) bytes() []byte {
	if s.category == plain {
		return nil
	}
	return []byte(s.category)
}

func (s spot) class() key.Class {
	if s.category == plain {
		return 0
	}
	return key.Text
}

// occurrences are n points of a cell.
type occurrences struct {
	spot
	n uint64
}

// points are occurrences in the order in which they come.
type points []occurrences

func (p *points) add(s spot, n uint64) { *p = append(*p, occurrences{s, n}) }

// model returns the true counts of points.
func (p points) model() model {
	m := model{}
	for _, o := range p {
		m[o.spot] = saturate.Add(m[o.spot], o.n)
	}
	return m
}

// model is the true counts of cells, which every answer is compared with.
type model map[spot]uint64

// where is the sum over the cells inside of an area.
func (m model) where(inside func(grid.Cell) bool, of Categories) (sum uint64) {
	for s, n := range m {
		if of.Has(s.bytes()) && inside(s.Cell) {
			sum = saturate.Add(sum, n)
		}
	}
	return sum
}

// in is the sum over a box.
func (m model) in(box grid.Rect, of Categories) uint64 { return m.where(box.Contains, of) }

// cells are the counts of cells inside of an area, of some categories together.
func (m model) cells(inside func(grid.Cell) bool, of Categories) map[grid.Cell]uint64 {
	out := map[grid.Cell]uint64{}
	for s, n := range m {
		if n > 0 && of.Has(s.bytes()) && inside(s.Cell) {
			out[s.Cell] = saturate.Add(out[s.Cell], n)
		}
	}
	return out
}

// insideOf reports whether a cell's centre lies in a polygon, by orb's planar. It lies within the
// outer ring of a part and within none of its holes.
func insideOf(mp orb.MultiPolygon, g grid.Grid) func(grid.Cell) bool {
	return func(c grid.Cell) bool {
		x, y := g.Center(c)
		return planar.MultiPolygonContains(mp, orb.Point{x, y})
	}
}

func (p points) shuffled(r *rand.Rand) points {
	p = slices.Clone(p)
	r.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}

// hot makes n points without category in a few cells, of which some are frequent.
func hot(r *rand.Rand, n, cells int) (p points) {
	for _, c := range kit.Hot(r, n, cells) {
		p.add(spot{c, plain}, 1)
	}
	return p
}

func builderOf(t testing.TB, c Config, p points) *Builder {
	t.Helper()
	b := NewBuilder(c, nil)
	for _, o := range p {
		noError(t, b.Add(o.Cell, o.bytes(), o.class(), o.n))
	}
	return b
}

// blobOf returns the BLOB that a builder writes from its stores. It has the bytes of Builder.Sketch's
// BLOB, which sketchOf decodes.
func blobOf(t testing.TB, b *Builder) []byte {
	t.Helper()
	return must(b.appendBlob(nil))
}

func sketchOf(t testing.TB, c Config, p points) *Sketch {
	t.Helper()
	return must(Decode(must(builderOf(t, c, p).Sketch()).Blob()))
}

func viewOf(t testing.TB, blob []byte) *View {
	t.Helper()
	noError(t, sketch.Verify(blob))
	return reset(t, blob)
}

func config(t testing.TB, p Params) Config {
	t.Helper()
	if p.Res == 0 {
		p.Res = 1
	}
	return must(p.Config())
}

func sameBytes(t testing.TB, what string, a, b []byte) {
	t.Helper()
	if !bytes.Equal(a, b) {
		i := 0
		for i < len(a) && i < len(b) && a[i] == b[i] {
			i++
		}
		t.Fatalf("%s: %d and %d bytes, the first difference at %d", what, len(a), len(b), i)
	}
}

// counts compares every count of a view with a model: equal or, without exact, not below it. Cells
// count together as they do one by one.
func counts(t testing.TB, what string, v *View, m model, exact bool) {
	t.Helper()
	for s, n := range m {
		if got := v.Count(s.Cell, s.bytes()); got < n || exact && got != n {
			t.Fatalf("%s: %v counts %d, want %d (exact %v)", what, s, got, n, exact)
		}
	}
	var at []grid.Cell
	for s := range m {
		if s.category == plain {
			at = append(at, s.Cell)
		}
	}
	together := make([]uint64, len(at))
	v.Counts(together, at, Categories{})
	for i, c := range at {
		if got := v.Count(c, nil); together[i] != got {
			t.Fatalf("%s: %v counts %d among others, %d alone", what, c, together[i], got)
		}
	}
}

var errFull = errors.New("the budget is spent")

// budget is a Budget that remembers the most it gave. It refuses what is beyond a limit and one request,
// if there are any. Builders may know that its last half is scarce.
type budget struct {
	limit, now, most int64
	asked, refuse    int
	scarce           bool
}

func (b *budget) Grow(delta int64) error {
	if delta > 0 {
		b.asked++
		if b.asked == b.refuse || b.limit > 0 && b.now+delta > b.limit {
			return fmt.Errorf("%w: %d of %d are held, %d more wanted", errFull, b.now, b.limit, delta)
		}
	}
	b.now += delta
	b.most = max(b.most, b.now)
	return nil
}

func (b *budget) Turn(int64) func() { return func() {} }

func (b *budget) Scarce() int {
	if !b.scarce {
		return 0
	}
	return int(max(0, (b.now-b.limit/2+b.limit/4-1)/(b.limit/4)))
}

// atCeiling reports whether a counter of a dense sketch is at its ceiling: all
// bits of one in the last layer are set.
func atCeiling(s *Sketch) bool {
	if s.dense == nil {
		return false
	}
	l := &s.dense.Layers[s.shape.Layers-1]
	for j := range l.Size {
		if l.Load(j) == l.Flag|l.Mask {
			return true
		}
	}
	return false
}

func sortedSpots(m model) []spot {
	return slices.SortedFunc(maps.Keys(m), func(a, b spot) int {
		pa, pb := labelOfSpot(a), labelOfSpot(b)
		if c := pa.Compare(&pb); c != 0 {
			return c
		}
		_, _, za := cells.Key(a.Cell)
		_, _, zb := cells.Key(b.Cell)
		if za < zb {
			return -1
		}
		return 1
	})
}

func labelOfSpot(s spot) cells.Label {
	p, _ := cells.LabelOf(s.Cell, s.bytes())
	return p
}

// sectionsOf lays a model out as the sections of an exact sketch.
func sectionsOf(m model) cells.List {
	var out cells.List
	for _, s := range sortedSpots(m) {
		if m[s] == 0 {
			continue
		}
		p := labelOfSpot(s)
		if len(out) == 0 || out[len(out)-1].Compare(&p) != 0 {
			out = append(out, cells.Section{Label: p})
		}
		last := &out[len(out)-1]
		_, _, z := cells.Key(s.Cell)
		last.Keys = append(last.Keys, z)
		last.Counts = append(last.Counts, m[s])
	}
	return out
}

// crowd makes keys of n points in towns.
func crowd(n int) []uint64 {
	keys := make([]uint64, n)
	for i, c := range kit.Towns(n) {
		_, _, keys[i] = cells.Key(c)
	}
	return keys
}
