package tree

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/beside"
)

func always() bool { return true }

// crowds are cells as many as are pruned in halves, of several kinds, each behind the one before
// on the curve where they are parts of one list.
func crowds(r *rand.Rand) map[string]Squares {
	towns := clusters(r, 3*manySquares/2)
	full := map[uint64]uint64{} // a rectangle
	for k := range uint64(manySquares + 100) {
		full[k+7] = 1 + k%3
	}
	apart := map[uint64]uint64{} // all by themselves
	for range manySquares + 5 {
		apart[r.Uint64()] += 1 + r.Uint64N(1000)
	}
	return map[string]Squares{"towns": squaresOf(towns), "full": squaresOf(full), "apart": squaresOf(apart)}
}

// A list is cut between two squares only where what holds both is larger than a tree, and split
// by all thresholds of a window.
func TestBorder(t *testing.T) {
	cuts := 0
	for name, s := range crowds(rand.New(rand.NewPCG(75, 0))) {
		for _, high := range []int{0, 5, 21, 60, 150, 400, Taus - 1} {
			for _, near := range []int{1, s.Len() / 3, s.Len() / 2, s.Len() - 1} {
				at := s.border(near, window{-1, high})
				if at == 0 {
					continue
				}
				cuts++
				level := common(s.Keys[at-1], s.Keys[at])
				total := uint64(0)
				for i, k := range s.Keys {
					if k&^side2(level) == s.Keys[at]&^side2(level) {
						total += s.Counts[i]
					}
				}
				if level <= maxRoot || total <= s.Counts[at] || weight(level, total) <= Tau(high).Value() {
					t.Errorf("%s: cut at %d for thresholds up to %d, in a square of level %d with %d points", name, at, high, level, total)
				}
			}
		}
	}
	if cuts < 20 {
		t.Errorf("%d cuts", cuts)
	}
}

// Two goroutines count for any threshold what one counts, and make the same leaves.
func TestTriesInHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(76, 0))
	lists := crowds(r)
	cuts := 0
	nested, _ := mixed(r, map[uint64]uint64{5: 3, 1 << 20: 2, grid.Interleave(99, 1000): 1})
	for name, s := range lists {
		for what, parts := range map[string][]Squares{
			"alone": {s}, "behind others": {lists["full"], {}, s, nested}, "before others": {s, nested, lists["apart"], {}},
		} {
			for _, w := range []window{{-1, 12}, {15, 27}, {100, 112}, allTaus} {
				one, two := fitter{share: 1}, fitter{share: 0.1} // of room that grows
				two.spare = always
				one.build(parts, w)
				two.build(parts, w)
				cuts += int(bit(len(two.nodes) > len(parts)))
				for tau := max(w.low, 0); tau < w.high; tau += 1 + (w.high-w.low)/3 {
					if one.leaves[tau] != two.leaves[tau] {
						t.Fatalf("%s %s, thresholds %+v: %d leaves at %d, in halves %d", name, what, w, one.leaves[tau], tau, two.leaves[tau])
					}
					for _, upTo := range []uint64{math.MaxUint64, s.Keys[s.Len()/3]} {
						a, b := one.try(Tau(tau+1), upTo), two.try(Tau(tau+1), upTo)
						sameTree(t, name+" "+what, one.whole(&a), two.whole(&b))
					}
				}
			}
		}
	}
	if cuts < 12 {
		t.Errorf("%d lists were cut", cuts)
	}
}

// Fit makes the same of many cells in halves, and its sheets the same bytes.
func TestFitInHalves(t *testing.T) {
	s := squaresOf(clusters(rand.New(rand.NewPCG(77, 0)), sampleLeast*3/2))
	whole := CodeFor([][]Squares{{s}}).Size()
	for _, part := range []uint64{1, 2, 4, 16, 64} {
		before := beside.Started()
		a, _ := Fit([]Squares{s}, whole/part)
		if n := beside.Started() - before; n > 0 {
			t.Errorf("%d goroutines that nobody asked for", n)
		}
		b, _ := FitBeside([]Squares{s}, whole/part, always)
		if n := beside.Started() - before; n < 3 && (part > 1 || n < 1) { // nodes, sizes, excess; or sizes alone
			t.Errorf("1/%d of the bytes: %d goroutines", part, n)
		}
		sameTree(t, "towns", a, b)
	}
}

func sameTree(t *testing.T, name string, a, b *Pruned) {
	t.Helper()
	if a.Tau != b.Tau || a.UpTo != b.UpTo || a.Excess != b.Excess || a.Cells != b.Cells || a.Size() != b.Size() {
		t.Fatalf("%s: threshold %d up to %#x, excess %d, %d cells, %d bytes; in halves %d up to %#x, %d, %d, %d",
			name, a.Tau, a.UpTo, a.Excess, a.Cells, a.Size(), b.Tau, b.UpTo, b.Excess, b.Cells, b.Size())
	}
	for i := range a.Parts {
		if !equal(&a.Parts[i], &b.Parts[i]) || len(a.Sheets[i]) != len(b.Sheets[i]) {
			t.Fatalf("%s: part %d comes out otherwise in halves", name, i)
		}
	}
	x, y := a.Code.AppendCode(nil), b.Code.AppendCode(nil)
	e, h := NewEncoder(a.Code), NewEncoder(b.Code)
	for i := range a.Sheets {
		for j := range a.Sheets[i] {
			x = e.AppendSheet(x, &a.Sheets[i][j])
			y = h.AppendSheetBeside(y, &b.Sheets[i][j], always)
		}
	}
	if !bytes.Equal(x, y) || uint64(len(x)) > a.Size() {
		t.Fatalf("%s: other bytes in halves, %d and %d of %d", name, len(x), len(y), a.Size())
	}
}

// Wherever two goroutines meet, their plans add up to that of one.
func TestMeetings(t *testing.T) {
	lists := crowds(rand.New(rand.NewPCG(78, 0)))
	parts := []Squares{lists["towns"], {}, lists["apart"], lists["full"]}
	f := fitter{spare: always}
	f.lay(parts, window{-1, 0})
	pieces := len(f.nodes)
	if pieces < 7 {
		t.Fatalf("%d pieces", pieces)
	}
	want := CodeFor([][]Squares{parts[:1], nil, parts[2:3], parts[3:]})
	for firsts := 1; firsts < pieces; firsts++ {
		counted := 0 // by the second one
		taken, done := make(chan struct{}), make(chan struct{})
		m := f.count(func(m *planner, half, i int) {
			m.plan.squares(&f.nodes[i].s)
			switch {
			case half == 0 && i == firsts-1:
				close(taken)
				<-done
			case half == 0 && i >= firsts:
				t.Errorf("piece %d is counted here, of the first %d", i, firsts)
			case half == 1:
				<-taken
				if counted++; counted == pieces-firsts {
					close(done)
				}
			}
		})
		if got := m.codeFor(parts); !bytes.Equal(got.AppendCode(nil), want.AppendCode(nil)) || got.Size() != want.Size() {
			t.Errorf("of %d pieces one counts %d, and comes to another code", pieces, firsts)
		}
		planners.Put(m)
	}
}
