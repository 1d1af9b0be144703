package tree

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// sheetsOf are the sheets of squares, written and read.
func sheetsOf(t *testing.T, s *Squares) []Sheet {
	t.Helper()
	lists := s.Sheets()
	return encoded(t, CodeFor([][]Squares{lists}), lists)
}

func TestSpots(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 0))
	var b Packet
	for name, counts := range inOrder(smallShapes(r)) {
		nested, truth := mixed(r, counts)
		if len(truth) == 0 {
			continue
		}
		for _, s := range []Squares{nested, cut(squaresOf(truth), 60)} {
			sheets := sheetsOf(t, &s)
			keys := sortedByNumber(truth)
			for range 10 {
				x, y := grid.Deinterleave(keys[r.IntN(len(keys))])
				size := uint64(1) << r.IntN(12)
				a := box{x0: uint64(x) - min(uint64(x), r.Uint64N(size)), y0: uint64(y) - min(uint64(y), r.Uint64N(size))}
				a.x1, a.y1 = a.x0+size, a.y0+1+r.Uint64N(size)
				// Every square that meets the box, by what its first cell that is in
				// no smaller square counts.
				var want []Leaf
				for i, k := range s.Keys {
					if w, h, _ := a.overlap(k, s.Level(i)); w == 0 || h == 0 {
						continue
					}
					n := uint64(0)
					for j := range s.Keys[:i+1] {
						if s.Keys[j] <= k && s.last(j) >= s.last(i) {
							n += s.Counts[j]
						}
					}
					want = append(want, Leaf{k, n, s.Level(i)})
				}
				slices.SortFunc(want, order)
				threshold := uint64(1)
				if len(want) > 0 {
					threshold = want[r.IntN(len(want))].Count
				}
				hot := slices.DeleteFunc(slices.Clone(want), func(l Leaf) bool { return l.Count < threshold })
				got, ok := Hotspots(sheets, &a, threshold, len(hot), &b)
				if slices.SortFunc(got, order); !ok || !slices.Equal(got, hot) {
					t.Fatalf("%s: %d hotspots of %d, expected %d", name, len(got), threshold, len(hot))
				}
				for _, k := range keys { // none is missed
					if a.has(k) && truth[k] >= threshold && !slices.ContainsFunc(got, func(l Leaf) bool { return l.Key <= k && k <= l.Key|side2(l.Level) }) {
						t.Fatalf("%s: cell %#x has %d points and is no hotspot of %d", name, k, truth[k], threshold)
					}
				}
				if len(hot) > 0 {
					if got, ok := Hotspots(sheets, &a, threshold, len(hot)-1, &b); ok || len(got) != len(hot)-1 {
						t.Fatalf("%s: %d hotspots where %d were allowed", name, len(got), len(hot)-1)
					}
				}
				k := r.IntN(len(want) + 2)
				if top := TopK(sheets, &a, k, &b); !slices.Equal(top, want[:min(k, len(want))]) {
					t.Fatalf("%s: the top %d are %d others", name, k, len(top))
				}
				sum := AreaSum(sheets, &a, &b)
				if low, high := bounds(&s, &a); sum.Low != low || sum.High != high {
					t.Fatalf("%s: box %+v has bounds %+v, square by square %d and %d", name, a, sum, low, high)
				}
			}
			for range 20 {
				k := keys[r.IntN(len(keys))] + r.Uint64N(3)
				x, y := grid.Deinterleave(k)
				a := box{x0: uint64(x), y0: uint64(y), x1: uint64(x) + 1, y1: uint64(y) + 1}
				one, sum := Cell(sheets, k, &b), AreaSum(sheets, &a, &b)
				if one.Low != sum.Low || one.High != sum.High || math.Abs(one.Estimate-sum.Estimate) > 1e-9*sum.Estimate || one.High != counted(&s, k) {
					t.Fatalf("%s: cell %#x has %+v, its area %+v", name, k, one, sum)
				}
			}
		}
	}
}

// A picture's pixels have what the area of each pixel has of every leaf.
func TestPicture(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 0))
	var b Packet
	for name, counts := range inOrder(smallShapes(r)) {
		if name == "corners" || name == "lonely" {
			continue // coordinates of 32 bits and pixels of less than a cell leave no digits
		}
		s, truth := mixed(r, counts)
		sheets := sheetsOf(t, &s)
		keys := sortedByNumber(truth)
		if len(keys) == 0 {
			continue
		}
		for _, side := range []float64{0.3, 1, 2.7, 16, 100} {
			x, y := grid.Deinterleave(keys[r.IntN(len(keys))])
			p := Picture{DX: side, DY: side * 1.25, Width: 17, Height: 9, Pixels: make([]float64, 17*9)}
			p.Left, p.Bottom = float64(x)-side*17*r.Float64(), float64(y)-side*9*r.Float64()
			want := make([]float64, len(p.Pixels))
			part := func(a0, a1, b0, b1 float64) float64 { return max(0, min(a1, b1)-max(a0, b0)) }
			for i, k := range s.Keys {
				x, y := grid.Deinterleave(k)
				d := float64(uint64(1) << s.Level(i))
				for j := range want {
					px, py := p.Left+float64(j%17)*p.DX, p.Bottom+float64(8-j/17)*p.DY
					share := part(px, px+p.DX, float64(x), float64(x)+d) / d * (part(py, py+p.DY, float64(y), float64(y)+d) / d)
					want[j] += share * float64(s.Counts[i])
				}
			}
			for i := range sheets {
				p.Add(&sheets[i], &b)
			}
			for j := range want {
				// Coordinates below 2^21 leave 2^-32 of a cell, pixels have at most 100 cells.
				if math.Abs(p.Pixels[j]-want[j]) > 1e-7*(1+want[j]) {
					t.Fatalf("%s, pixels of %g: pixel %d has %g, expected %g", name, side, j, p.Pixels[j], want[j])
				}
			}
		}
		// All of it: the pixels add up to the points.
		p := Picture{Left: -1, Bottom: -1, DX: 1 << 29, DY: 1 << 29, Width: 9, Height: 9, Pixels: make([]float64, 81)}
		sum := 0.0
		for i := range sheets {
			p.Add(&sheets[i], &b)
		}
		for _, n := range p.Pixels {
			sum += n
		}
		if math.Abs(sum-float64(s.Total())) > 1e-9*sum {
			t.Errorf("%s: pixels add up to %g of %d points", name, sum, s.Total())
		}
	}
}
