//go:build amd64 || arm64

// (Where the real data are read: `make machines` need not compile what reads them.)

package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/exact"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// accuracy is the mean error of a tree. high and estimate are errors of boxes around cells with points, as
// fractions of the truth, by side. The others are errors of counts: of cells with points, of others up to
// 4 cells away, and of others anywhere in the bounds.
type accuracy struct {
	high, estimate       [4]mean
	held, near, anywhere mean
}

// mean is the mean of a sample.
type mean struct{ n, sum, squares float64 }

func (m *mean) add(v float64) {
	m.n++
	m.sum += v
	m.squares += v * v
}

func (m mean) value() float64 { return m.sum / m.n }

// sigma is the standard error.
func (m mean) sigma() float64 {
	v := m.value()
	return math.Sqrt(max(0, m.squares/m.n-v*v) / (m.n - 1))
}

func (m mean) String() string { return fmt.Sprintf("%.4g ± %.2g", m.value(), m.sigma()) }

var boxSides = [4]uint64{4, 16, 64, 256}

// measured returns the accuracy of the tree that Fit makes in limit bytes, at samples that a seed draws.
// Bounds that do not hold end the test.
func measured(t *testing.T, held cells.Squares, limit uint64) (a accuracy, p *Pruning) {
	t.Helper()
	p, ok := Fit([]cells.Squares{held}, limit)
	if !ok {
		t.Fatalf("%d cells do not fit %d bytes", held.Len(), limit)
	}
	sheets := encoded(t, p.Code, p.Sheets[0])
	tree := p.Parts[0]
	sums := sumsOf(held)
	r := rand.New(rand.NewPCG(61, 0))
	room := int64(64 << 20)
	s := sheets[0]
	s.Keep(&room)
	measuredBoxes(t, &a, held, sums, sheets, r)
	most := tree.Most()
	out := make([]cells.Leaf, held.Len())
	s.FindAll(held.Keys, out)
	for i, n := range held.Counts {
		if out[i].Count < n || out[i].Count-n > most {
			t.Fatalf("cell %#x counts %d of %d, at most %d too many", held.Keys[i], out[i].Count, n, most)
		}
		a.held.add(float64(out[i].Count - n))
	}
	left, bottom, right, top := uint32(math.MaxUint32), uint32(math.MaxUint32), uint32(0), uint32(0)
	for _, k := range held.Keys {
		x, y := grid.Deinterleave(k)
		left, bottom, right, top = min(left, x), min(bottom, y), max(right, x), max(top, y)
	}
	const others = 20000
	absent := func(draw func() (x, y uint32)) (m mean) {
		for m.n < others {
			x, y := draw()
			k := grid.Interleave(x, y)
			if i := cells.SearchAbove(held.Keys, k); i > 0 && held.Keys[i-1] == k {
				continue
			}
			l, _ := find(&s, k)
			if l.Count > most {
				t.Fatalf("cell %#x counts %d of none, at most %d too many", k, l.Count, most)
			}
			m.add(float64(l.Count))
		}
		return m
	}
	a.near = absent(func() (uint32, uint32) {
		x, y := grid.Deinterleave(held.Keys[r.IntN(held.Len())])
		return x + r.Uint32N(9) - 4, y + r.Uint32N(9) - 4
	})
	a.anywhere = absent(func() (uint32, uint32) {
		return left + r.Uint32N(right-left+1), bottom + r.Uint32N(top-bottom+1)
	})
	// The accuracy that building states.
	if said := float64(p.Excess) / float64(p.Cells); math.Abs(said-a.held.value()) > 1e-9*said || p.Cells != uint64(held.Len()) {
		t.Errorf("the mean excess at cells with points is %v, building says %g", a.held, said)
	}
	return a, p
}

// measuredBoxes is measured for boxes, of all sheets of a tree.
func measuredBoxes(t *testing.T, a *accuracy, held cells.Squares, sums []uint64, sheets []Sheet, r *rand.Rand) {
	t.Helper()
	for i, side := range boxSides {
		for range 2000 {
			x, y := grid.Deinterleave(held.Keys[r.IntN(held.Len())])
			q := box{x0: uint64(x) - r.Uint64N(side), y0: uint64(y) - r.Uint64N(side)}
			q.x1, q.y1 = q.x0+side, q.y0+side
			truth := truthOf(&held, sums, &q, 0, cells.MaxLevel+1)
			sum := q.sum(sheets)
			if sum.Low > truth || truth > sum.High {
				t.Fatalf("box %+v has %d points, bounds %+v", q, truth, sum)
			}
			a.high[i].add((float64(sum.High) - float64(truth)) / float64(truth))
			a.estimate[i].add(math.Abs(sum.Estimate-float64(truth)) / float64(truth))
		}
	}
}

// sumsOf are the points of the cells before each, and of all.
func sumsOf(held cells.Squares) []uint64 {
	sums := make([]uint64, held.Len()+1)
	for i, n := range held.Counts {
		sums[i+1] = sums[i] + n
	}
	return sums
}

// truthOf is the sum over a box of the cells in a square: those of a stretch of the
// curve where it lies inside.
func truthOf(held *cells.Squares, sums []uint64, q *box, key uint64, level uint8) uint64 {
	from := 0
	if key > 0 {
		from = cells.SearchAbove(held.Keys, key-1)
	}
	to := len(held.Keys)
	if level <= cells.MaxLevel {
		to = cells.SearchAbove(held.Keys, key|cells.LowBits(level))
	}
	if from == to {
		return 0
	}
	switch w, h, side := q.overlap(key, level); {
	case w == 0 || h == 0:
		return 0
	case w == side && h == side:
		return sums[to] - sums[from]
	}
	n := uint64(0)
	for part := range uint64(4) {
		n += truthOf(held, sums, q, key+part<<(2*(level-1)), level-1)
	}
	return n
}

// long says that there is time.
func long() bool { return os.Getenv("CCBF_LONG") == "1" }

// Trees of real data in half the bytes of the exact form are as accurate as promised. Limits are on means
// over samples: one of n values may be above by 4 of its standard errors.
func TestAccuracy(t *testing.T) {
	type limits struct {
		high, estimate       [4]float64
		held, near, anywhere float64 // 0 for none
	}
	for _, d := range []struct {
		name string
		limits
	}{
		{"uk", limits{[4]float64{1.2, 0.30, 0.08, 0.02}, [4]float64{0.42, 0.11, 0.02, 0.003}, 3.0, 3.4, 0.15}},
		{"cities", limits{high: [4]float64{0.7, 0.45, 0.14, 0.04}}},
		{"nyc", limits{high: [4]float64{0.8, 0.17, 0.05, 0.025}}},
	} {
		s := dataCells(t, d.name)
		list := cells.List{{Squares: s, Label: cells.Label{None: true}}}
		body, _ := exact.AppendList(nil, list, list.Bounds(), math.MaxInt32)
		tree := CodeFor([][]cells.Squares{{s}}).Size()
		sizes := []uint64{uint64(len(body)) / 2}
		if long() {
			sizes = append(sizes, tree/2) // for comparison, without limits
		}
		for _, bytes := range sizes {
			a, p := measured(t, s, bytes)
			t.Logf("%s: %d cells, exact form %d bytes, in this code %d; %d leaves in %d of %d bytes, tau %d, most %d", d.name, s.Len(), len(body), tree, p.Parts[0].Len(), p.Size(), bytes, p.Tau.Value(), p.Parts[0].Most())
			check := func(what string, m mean, limit float64) {
				t.Logf("  %s %v, limit %g", what, m, limit)
				if limit > 0 && m.value() > limit+4*m.sigma() && bytes != tree/2 {
					t.Errorf("%s: %s %v is above %g", d.name, what, m, limit)
				}
			}
			for i, side := range boxSides {
				check(fmt.Sprintf("boxes of %d, upper bound", side), a.high[i], d.high[i])
				check(fmt.Sprintf("boxes of %d, estimate", side), a.estimate[i], d.estimate[i])
			}
			check("cells with points", a.held, d.held)
			check("others near them", a.near, d.near)
			check("others anywhere", a.anywhere, d.anywhere)
		}
	}
}

// A union of parts loses little against a tree of all points at once. Parts are drawn at random, and each
// is pruned to half of its own bytes. Their union is pruned to half the bytes of all, or not at all.
// Bounds hold.
func TestUnionLoss(t *testing.T) {
	if !long() {
		t.Skip("only with CCBF_LONG=1: half a minute")
	}
	s := dataCells(t, "uk")
	sums := sumsOf(s)
	half := CodeFor([][]cells.Squares{{s}}).Size() / 2
	for _, n := range []int{1, 3, 12} {
		r := rand.New(rand.NewPCG(63, uint64(n)))
		parts := make([]cells.Squares, n)
		for i, key := range s.Keys {
			drawn := make([]uint64, n)
			for range s.Counts[i] {
				drawn[r.IntN(n)]++
			}
			for j, k := range drawn {
				if k > 0 {
					parts[j].Keys, parts[j].Counts = append(parts[j].Keys, key), append(parts[j].Counts, k)
				}
			}
		}
		var m cells.Merger
		for _, part := range parts {
			p, ok := Fit([]cells.Squares{part}, CodeFor([][]cells.Squares{{part}}).Size()/2)
			if !ok {
				t.Fatal("half the bytes are too few")
			}
			m.Add(p.Parts[0])
		}
		for _, limit := range []uint64{math.MaxUint32, half} {
			p, ok := Fit([]cells.Squares{m.Sum()}, limit)
			if !ok {
				t.Fatal("half the bytes are too few")
			}
			var a accuracy
			sheets := encoded(t, p.Code, p.Sheets[0])
			measuredBoxes(t, &a, s, sums, sheets, rand.New(rand.NewPCG(61, 0)))
			t.Logf("%d parts, %d sheets, %d leaves in %d bytes, most %d: upper bounds %v, estimates %v", n, len(sheets), p.Parts[0].Len(), p.Size(), p.Parts[0].Most(), a.high, a.estimate)
		}
	}
}

// BenchmarkUnpruned compares the exact form with all cells as a tree: bytes of both,
// and single questions for cells with points.
func BenchmarkUnpruned(b *testing.B) {
	for _, name := range []string{"uk", "uk01", "uk0001", "cities", "cities001", "nyc", "covid"} {
		s := dataCells(b, name)
		list := cells.List{{Squares: s, Label: cells.Label{None: true}}}
		body, _ := exact.AppendList(nil, list, list.Bounds(), math.MaxInt32)
		v := exact.Reader{Squares: form.Squares{Head: &form.Head{Bounds: list.Bounds(), Total: s.Total()}}}
		if err := v.Reset(body); err != nil {
			b.Fatal(err)
		}
		r := rand.New(rand.NewPCG(62, 0))
		keys := make([]uint64, 1<<12)
		for i := range keys {
			keys[i] = s.Keys[r.IntN(s.Len())]
		}
		lists := [][]cells.Squares{{s}}
		code := CodeFor(lists)
		sheet := encoded(b, code, lists[0])[0]
		tree := len(code.AppendCode(nil)) + len(sheet.bytes)
		for form, ask := range inOrder(map[string]func(key uint64) uint64{
			"exact": func(key uint64) uint64 { return v.Count(cells.CellOf(0, 0, key), nil) },
			"tree":  func(key uint64) uint64 { l, _ := find(&sheet, key); return l.Count },
		}) {
			b.Run(name+"/"+form, func(b *testing.B) {
				i := 0
				for b.Loop() {
					if ask(keys[i]) == 0 {
						b.Fatal("a cell with points has none")
					}
					i = (i + 1) % len(keys)
				}
				bytes := len(body)
				if form == "tree" {
					bytes = tree
				}
				b.ReportMetric(float64(bytes), "bytes")
				b.ReportMetric(8*float64(bytes)/float64(s.Len()), "bits/cell")
			})
		}
	}
}
