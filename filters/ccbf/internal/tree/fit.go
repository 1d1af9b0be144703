package tree

import "github.com/ccbfsql/ccbfsql/filters/internal/saturate"

// Pruned is a tree that fits its bytes.
type Pruned struct {
	Tau    Tau
	Parts  []Squares
	Sheets [][]Squares // of each part
	Code   *Code
	// Excess is by how much the counts of all cells with points are too high
	// together, and Cells how many those are; 0 where that is not known, because
	// the squares were none of cells.
	Excess, Cells uint64
}

// Size is how many bytes the code and the sheets take, at most.
func (p *Pruned) Size() uint64 { return p.Code.Size() }

// Fit prunes parts, such as those of several categories, by one threshold: the
// least on the scale for which code and sheets take at most limit bytes. False
// where no threshold does. The result depends on the points alone, not on the
// order in which they came. O(n log n) for n squares.
func Fit(parts []Squares, limit uint64) (*Pruned, bool) {
	f := fitter{limit: limit, known: true}
	for _, s := range parts {
		n := nodesOf(s, &f.squares)
		f.nodes = append(f.nodes, n)
		f.known = f.known && n.cellsKnown
	}
	for t := range Taus {
		f.squares[t+1] += f.squares[t]
	}
	return f.fit()
}

type fitter struct {
	limit   uint64
	nodes   []Nodes
	known   bool          // all squares were cells
	squares [Taus + 1]int // that are left by each threshold
	root    *uint8        // the root level that was best at first
}

const (
	usualBytes = 1 // of a leaf
	quickTries = 6 // by the bytes of a leaf; by halves from then on
)

// fit looks for a threshold that fits and whose next lower one does not: it
// guesses by the number of squares and the bytes that they took in the guess
// before.
func (f *fitter) fit() (*Pruned, bool) {
	low, high := -1, Taus-1 // low does not fit; high does, if any does
	var fits *Pruned
	each := float64(usualBytes)
	for try := 0; low+1 < high; try++ {
		t := (low + high) / 2
		if try < quickTries {
			t = min(max(f.guess(float64(f.limit)/each), low+1), high-1)
		}
		p := f.at(Tau(t))
		if p.Size() <= f.limit {
			high, fits = t, p
		} else {
			low = t
		}
		if f.squares[t] > 0 {
			each = float64(p.Size()) / float64(f.squares[t])
		}
	}
	if fits == nil {
		fits = f.at(Tau(high))
	}
	if c := CodeFor(fits.Sheets); c.size < fits.Code.size {
		fits.Code = c
	}
	return fits, fits.Size() <= f.limit
}

// guess is the least threshold that leaves so many squares at most.
func (f *fitter) guess(squares float64) int {
	low, high := 0, Taus-1
	for low < high {
		if mid := (low + high) / 2; float64(f.squares[mid]) <= squares {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// at is the tree pruned by a threshold.
func (f *fitter) at(tau Tau) *Pruned {
	p := &Pruned{Tau: tau}
	for i := range f.nodes {
		s, excess, cells := f.nodes[i].At(tau, Squares{})
		p.Parts = append(p.Parts, s)
		p.Sheets = append(p.Sheets, s.Sheets())
		if f.known {
			p.Excess, p.Cells = saturate.Add(p.Excess, excess), p.Cells+cells
		}
	}
	if f.root == nil {
		p.Code = CodeFor(p.Sheets)
		f.root = &p.Code.root
	} else {
		p.Code = codeWith(p.Sheets, *f.root)
	}
	return p
}
