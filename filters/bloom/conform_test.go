package bloom

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/internal/script"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/cockroachdb/datadriven"
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
	f := conform.Keyed(Family, name, p, small, nil, made).Bound(load, s.FPPAt(load)+4*rateSigma(&s.filter, load))
	f.Drawn = conform.Keyed(Family, name, p, small, func(r *rand.Rand) Params {
		p := p
		p.Bits, p.Seed = conform.Size(r, 300), r.Uint64()
		if p.K = 64 * r.Float64(); p.Variant == Standard {
			p.K = float64(1 + r.IntN(64))
		}
		return p
	}, New).Drawn // not shrunk
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
	f := conform.Keyed(Family, "grow", p, p, func(r *rand.Rand) Params {
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

// The scripts in testdata, and the golden BLOBs.
func TestScripts(t *testing.T) {
	script.Keyed(t, Family, map[string]script.Command[*Sketch]{
		"intersect": func(_ *testing.T, _ *datadriven.TestData, _ map[string]*Sketch, s, other *Sketch) (string, error) {
			return "", s.Intersect(other)
		},
		"shrink": func(t *testing.T, d *datadriven.TestData, _ map[string]*Sketch, s, _ *Sketch) (string, error) {
			var size uint64
			d.ScanArgs(t, "bytes", &size)
			return "", s.Shrink(size)
		},
	})
}

// documented are the examples of docs/FORMAT.md.
var documented = []Params{
	{Bits: 40, K: 3, Seed: 42},
	{Bits: 40, K: 2.5, Variant: Rational, Seed: 42},
	{Bits: 40, K: 2.5, Variant: Blocks, Seed: 42},
}

// The code writes the worked example of the documentation, and the model of the tests finds every
// number in it.
func TestFormatExample(t *testing.T) {
	has := conform.Format(t)
	rows := map[string][]string{}
	for i, p := range documented {
		s := mustNew(t, p)
		if err := s.SetKeyClass(key.Text); err != nil {
			t.Fatal(err)
		}
		m := model{form: s.form}
		for _, k := range []string{"oak", "elm"} {
			s.AddKey([]byte(k), 1)
			h1, h2 := key.Hash(p.Seed, []byte(k))
			if i == 0 {
				rows[k] = []string{"`" + k + "`", fmt.Sprintf("%#016x", h1), fmt.Sprintf("%#016x", h2), fmt.Sprintf("%.4f", float64(activation(h1, h2))/one)}
			}
			rows[k] = append(rows[k], strings.Trim(fmt.Sprint(m.positions(h1, h2)), "[]"))
		}
		if i == 0 {
			has(hex.Dump(s.Blob()))
		}
	}
	has("| " + strings.Join(rows["oak"], " | ") + " |\n| " + strings.Join(rows["elm"], " | ") + " |\n")
}

// exactFillPower is fillPower by the distribution of the bits set, one throw after the other.
func exactFillPower(m, throws int, power float64) (sum float64) {
	p := make([]float64, m+1)
	p[0] = 1
	for range throws {
		for s := m; s >= 0; s-- {
			p[s] *= float64(s) / float64(m)
			if s > 0 {
				p[s] += p[s-1] * float64(m-s+1) / float64(m)
			}
		}
	}
	for s, v := range p {
		sum += v * math.Pow(float64(s)/float64(m), power)
	}
	return sum
}

func TestFillPower(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 8, 16, 32, 100} {
		for _, k := range []int{1, 2, 4, 7, 10, 14, 20, 30} {
			for _, m := range []int{64, 128, 192, 512, 960, 1472} {
				want := exactFillPower(m, n*k, float64(k))
				got := fillPower(float64(m), float64(k), float64(n), float64(k))
				if got < want*(1-1e-9) || want >= 1e-7 && got > 1.25*want || got > 2.2*want && want > 1e-15 {
					t.Errorf("%d keys, k %d, %d bits: %.4g, exactly %.4g", n, k, m, got, want)
				}
			}
		}
	}
}

// Small filters keep their FPP, and the rate that their parameters name.
func TestSmallFilters(t *testing.T) {
	var all []Params
	for _, p := range []Params{{}, {Variant: Rational}, {Variant: Rational, Activation: ByPosition}, {Variant: Blocks}} {
		for _, p.Capacity = range []uint64{1, 2, 4, 8, 16, 32, 100} {
			for _, p.FPP = range []float64{0.9, 0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9} {
				all = append(all, p)
			}
		}
	}
	conform.SmallRates(t, Family, 200, all, func(p Params) uint64 { return p.Capacity },
		func(p Params, seed uint64) Params { p.Seed = seed; return p },
		func(_ testing.TB, p Params, s *Sketch) []conform.Rate {
			return []conform.Rate{{By: "FPP", Mean: s.FPP()}, {By: "the option fpp", Mean: p.FPP}}
		})
}
