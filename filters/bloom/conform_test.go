package bloom

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
)

// family returns a form of filter with 12 bits for each of 5,000 keys. A single bit that is not set
// then misses a key. Small BLOBs have 6 bits for each of 50 keys. keep is the fraction of the bits
// after a shrink, 0 without one.
func family(name string, p Params, keep float64) conform.Family {
	p.Seed = 9
	p.Bits = 60_013 // a prime, of binary digits 1110101001101101
	made := func(p Params) (*Sketch, error) {
		s, err := New(p)
		if err == nil && keep != 0 {
			err = s.Shrink(uint64(keep*float64(len(s.bits))) + mostAround)
		}
		return s, err
	}
	small := p
	small.Bits = 299 // 100101011
	const load = 5000
	s, err := made(p)
	if err != nil {
		panic(err)
	}
	// The mean, and four sigma of the one filter's fill.
	f := conform.KeyedOf(Family, name, p, small, nil, made).Bound(load, s.FPPAt(load)+4*rateSigma(&s.filter, load))
	f.Drawn = conform.Keyed(Family, name, p, small, func(r *rand.Rand) Params {
		p := p
		p.Bits, p.Seed = conform.Size(r, 300), r.Uint64()
		if p.K = 64 * r.Float64(); p.Variant == Standard {
			p.K = float64(1 + r.IntN(64))
		}
		return p
	}).Drawn // not shrunk
	return f
}

var families = []conform.Family{
	family("standard", Params{K: 4}, 0),
	family("rational", Params{K: 4.3, Variant: Rational}, 0),
	family("by position", Params{K: 4.3, Variant: Rational, Activation: ByPosition}, 0),
	family("blocks", Params{K: 4.3, Variant: Blocks}, 0),
	family("shrunk", Params{K: 4.3, Variant: Blocks}, 0.9),
	growing(),
}

// growing is a filter that keeps its keys until it is encoded, and is exact until then.
func growing() conform.Family {
	p := Params{Grow: true, Seed: 9}
	f := conform.KeyedOf(Family, "grow", p, p, func(r *rand.Rand) Params {
		return Params{Grow: true, FPP: r.Float64(), Capacity: conform.Size(r, 300), Seed: r.Uint64()}
	}, NewGathering).Bound(5000, 1e-9)
	f.BlobsApart = true
	return f
}

func TestConformance(t *testing.T) {
	for _, f := range families {
		t.Run(f.Name, func(t *testing.T) { conform.Run(t, f) })
	}
}

func FuzzBlob(f *testing.F)         { conform.Fuzz(f, families[0]) }
func FuzzBlobRational(f *testing.F) { conform.Fuzz(f, families[1]) }
func FuzzBlobShrunk(f *testing.F)   { conform.Fuzz(f, families[4]) }
func FuzzOps(f *testing.F)          { conform.FuzzOps(f, families[3]) }
