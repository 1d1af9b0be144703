package advise

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// TestCodeBits: numbers of any distribution take no more than the bound for their mean, in the order
// that is best for them. Some of them take nearly as much.
func TestCodeBits(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	cost := func(numbers []uint64) float64 {
		least := math.Inf(1)
		for k := range uint(57) {
			sum := uint(0)
			for _, v := range numbers {
				sum += bitio.ClassBits(uint(bits.Len64(v)), k)
			}
			least = math.Min(least, float64(sum))
		}
		return least / float64(len(numbers))
	}
	closest := math.Inf(1)
	for range 20_000 {
		numbers := make([]uint64, 1+r.IntN(128))
		few := make([]uint64, 1+r.IntN(3)) // numbers that most of them are
		top := r.IntN(62)
		for i := range few {
			few[i] = r.Uint64() >> (63 - r.IntN(top+1))
			if r.IntN(2) == 0 { // the cheapest ones to cost more: powers of two, and 0
				few[i] = uint64(1) << r.IntN(top+1) >> r.IntN(2)
			}
		}
		sum := 0.0
		for i := range numbers {
			numbers[i] = few[r.IntN(len(few))]
			sum += float64(numbers[i])
		}
		got, bound := cost(numbers), codeBits(sum/float64(len(numbers)))
		if got > bound+1e-9 {
			t.Fatalf("%d numbers of %v with the mean %v take %v bits, the bound is %v", len(numbers), few, sum/float64(len(numbers)), got, bound)
		}
		closest = math.Min(closest, bound-got)
	}
	if closest > 0.5 {
		t.Errorf("no numbers come closer to the bound than %v bits", closest)
	}
}

// TestSurely: cells anywhere within an extent fit the bound. They are even, clustered, on lines, in the
// corners, with counts alike and not. The worst case is evenly distributed cells with one count. The
// bound is then at most 5 bits a cell above their size. The gaps and heads of 4 sections come on top,
// though one section alone has next to none. 2 of the bits are for an extent that is not aligned, the
// others for gaps and counts that are not alike.
func TestSurely(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	for round := range 300 {
		cells := 1 + r.IntN(1+1<<(1+r.IntN(13)))
		side := int64(1) << (1 + r.IntN(53))
		for float64(side)*float64(side) < 2*float64(cells) {
			side *= 2
		}
		lowX, lowY := int64(0), int64(0)
		if room := int64(1)<<53 - side; room > 0 {
			lowX, lowY = r.Int64N(2*room)-room, r.Int64N(2*room)-room
		} else {
			lowX, lowY = -side/2, -side/2
		}
		if r.IntN(2) == 0 { // around the corner of a square
			lowX, lowY = -0x55555555-side/2, -0x55555555-side/2
		}
		spread := []func() int64{
			func() int64 { return r.Int64N(side) },
			func() int64 { return min(side-1, r.Int64N(side)>>r.IntN(50)) },
			func() int64 { return r.Int64N(2) * (side - 1) },
			func() int64 { return side/2 + max(-side/2, min(side/2-1, int64(r.NormFloat64()*float64(side)/64))) },
		}
		x, y := spread[r.IntN(len(spread))], spread[r.IntN(len(spread))]
		even := round%5 == 0
		if even {
			x, y = spread[0], spread[0]
		}
		b := ccbf.NewBuilder(mustConfig(t), nil)
		d := Data{Extent: uint64(side), Bytes: MaxBytes}
		seen := map[grid.Cell]bool{}
		big := r.IntN(30)
		for range cells {
			c := grid.Cell{X: lowX + x(), Y: lowY + y()}
			if seen[c] {
				continue
			}
			seen[c] = true
			n := uint64(7)
			if !even {
				n = 1 + r.Uint64N(1<<big)>>r.IntN(30)
			}
			if err := b.Add(c, nil, key.None, n); err != nil {
				t.Fatal(err)
			}
			d.Distinct++
			d.Occurrences += n
		}
		s, err := b.Sketch()
		if err != nil {
			t.Fatal(err)
		}
		blob := s.Blob()
		parts, err := sketch.Parse(blob)
		if err != nil {
			t.Fatal(err)
		}
		body := float64(len(parts.Body))
		if side <= 1<<31 && max(lowX, lowY, -lowX, -lowY) < 1<<30 && len(blob)-len(parts.Body) > headerBytes {
			t.Errorf("%d bytes before the body, at most %d are counted on", len(blob)-len(parts.Body), headerBytes)
		}
		what := fmt.Sprintf("round %d: %d cells within %d from %d, %d", round, d.Distinct, side, lowX, lowY)
		bound := d.largestList()
		if body > bound {
			t.Errorf("%s take %v bytes, surely %v", what, body, bound)
		}
		if even && side <= 1<<32 && side*side > 16*int64(d.Distinct) && bound > body+5*float64(d.Distinct)/8+4*sectionExtra+5*blockExtra+5+3*longGap/8 {
			t.Errorf("%s lie evenly and take %v bytes, surely %v", what, body, bound)
		}
	}
}

func mustConfig(t *testing.T) ccbf.Config {
	t.Helper()
	c, err := ccbf.Params{Res: 1, Bytes: MaxBytes}.Config()
	if err != nil {
		t.Fatal(err)
	}
	return c
}
