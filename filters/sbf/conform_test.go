package sbf

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

func family(name string, p Params) conform.Family { return familyOf(name, p, New) }

// gathering is a form that is built at once, with unions as those of SQL's parallel parts. Counts are
// exact until it is encoded.
func gathering(name string, p Params) conform.Family {
	f := familyOf(name, p, NewGathering)
	f.Laws.OrderFree, f.Laws.UnionEqualsWhole, f.Laws.Restores, f.BlobsApart = true, true, true, true
	return f
}

func familyOf(name string, p Params, newSketch func(Params) (*Sketch, error)) conform.Family {
	small := p
	small.Counters, small.K = 60, 3
	// 400 keys use at most 2,000 of 4,000 counters, so that an absent key
	// meets 5 of them with at most 0.5^5.
	p.Counters = 4000
	keys, load, absent := 2000, 400, math.Pow(0.5, 5)
	if p.Blocked {
		load, absent = 200, blockedAbsent(200, 63, 5)
	}
	if p.Range != (Range{}) {
		// 64 nodes a key.
		p.Counters, keys, load = 64_000, 400, 100
	}
	f := conform.Keyed(Family, name, p, small, func(r *rand.Rand) Params {
		p := p
		p.K = 1 + r.Uint64N(MaxK)
		if r.IntN(2) == 0 {
			p.K = 1 + r.Uint64N(4)
		}
		p.Counters, p.Seed = p.K-1+conform.Size(r, 100), r.Uint64()
		return p
	}, newSketch).Bound(load, absent)
	f.Keys = keys
	return f
}

// blockedAbsent bounds the probability that an absent key has a count when n keys are in blocks of 64.
// The number j of keys in a block has a binomial distribution, and at most j*k counters are in use. The
// mean over the blocks of one sketch is at most that and 4 sigma.
func blockedAbsent(n, blocks, k int) float64 {
	mean, square := 0.0, 0.0
	q := 1 / float64(blocks)
	p := math.Pow(1-q, float64(n)) // of j keys
	for j := range n {
		v := math.Pow(min(1, float64(j*k)/blockLen), float64(k))
		mean += p * v
		square += p * v * v
		p *= float64(n-j) / float64(j+1) * q / (1 - q)
	}
	return mean + 4*math.Sqrt((square-mean*mean)/float64(blocks))
}

var all64 = Range{math.MinInt64, math.MaxInt64}

var families = []conform.Family{
	family("ms", Params{}),
	family("ms/elias", Params{Encoding: Elias}),
	family("ms/steps", Params{Encoding: Steps}),
	family("ms/index", Params{Encoding: Index}),
	family("ms/blocked", Params{Blocked: true}),
	family("ms/range", Params{Range: all64}),
	family("mi", Params{Method: MI}),
	family("mi/elias", Params{Method: MI, Encoding: Elias}),
	family("mi/steps", Params{Method: MI, Encoding: Steps}),
	family("mi/index", Params{Method: MI, Encoding: Index}),
	family("mi/blocked", Params{Method: MI, Blocked: true}),
	family("mi/range", Params{Method: MI, Range: all64}),
	family("rm", Params{Method: RM}),
	family("rm/unmarked", Params{Method: RM, Marker: Unmarked}),
	family("rm/blocked/steps", Params{Method: RM, Blocked: true, Encoding: Steps}),
	family("trm", Params{Method: TRM}),
	family("trm/unmarked/index", Params{Method: TRM, Marker: Unmarked, Encoding: Index}),
	gathering("rm/gathering", Params{Method: RM}),
	gathering("rm/unmarked/blocked/gathering", Params{Method: RM, Marker: Unmarked, Blocked: true}),
	gathering("trm/gathering", Params{Method: TRM, Marker: Unmarked}),
}

func TestConformance(t *testing.T) {
	for _, f := range families {
		t.Run(f.Name, func(t *testing.T) { conform.Run(t, f) })
	}
}

func FuzzBlob(f *testing.F)      { conform.Fuzz(f, families[0]) }
func FuzzBlobTRM(f *testing.F)   { conform.Fuzz(f, families[15]) }
func FuzzBlobIndex(f *testing.F) { conform.Fuzz(f, families[3]) }
func FuzzBlobSteps(f *testing.F) { conform.Fuzz(f, families[14]) }
func FuzzOps(f *testing.F)       { conform.FuzzOps(f, families[0]) }
func FuzzOpsMI(f *testing.F)     { conform.FuzzOps(f, families[6]) }
func FuzzOpsTRM(f *testing.F)    { conform.FuzzOps(f, families[15]) }
func FuzzOpsRange(f *testing.F)  { conform.FuzzOps(f, families[5]) }

// The scripts in testdata, and the golden BLOBs.
func TestScripts(t *testing.T) {
	script.Keyed(t, Family, map[string]script.Command[*Sketch]{
		"product": func(t *testing.T, d *datadriven.TestData, all map[string]*Sketch, s, other *Sketch) (string, error) {
			p, err := Product(s, other)
			if err == nil {
				var as string
				d.ScanArgs(t, "as", &as)
				all[as] = p
			}
			return "", err
		},
		"sum": func(t *testing.T, d *datadriven.TestData, _ map[string]*Sketch, s, _ *Sketch) (string, error) {
			var lo, hi int64
			d.ScanArgs(t, "lo", &lo)
			d.ScanArgs(t, "hi", &hi)
			n, err := s.RangeSum(lo, hi)
			return fmt.Sprintln(n), err
		},
	})
}

// exampleSeed is one with which the second key is moved to the second filter.
const exampleSeed = 3

// The code writes the worked examples of the documentation.
func TestFormatExamples(t *testing.T) {
	has := conform.Format(t)
	build := func(p Params, add func(s *Sketch)) (View, []byte) {
		s := mustNew(t, p)
		add(s)
		blob := s.Blob()
		has(hex.Dump(blob))
		v, err := NewView(blob)
		must(t, err)
		return v, blob
	}
	words := func(s *Sketch) {
		must(t, s.SetKeyClass(key.Text))
		must(t, s.AddKey([]byte("oak"), 300))
		must(t, s.AddKey([]byte("elm"), 2))
	}
	list := func(ps []uint32) string { return strings.Trim(fmt.Sprint(ps), "[]") }
	v, _ := build(Params{Counters: 18, K: 3, Seed: 42}, words)
	var room, two, marks [MaxK]uint32
	for _, k := range []string{"oak", "elm"} {
		h1, h2 := key.Hash(v.Seed(), []byte(k))
		has(fmt.Sprintf("| `%s` | %#016x | %#016x | %s | %d |\n", k, h1, h2, list(v.firstPositions(&room, h1, h2)), v.Count(h1, h2)))
	}
	v, _ = build(Params{Counters: 8, K: 2, Method: TRM, Seed: exampleSeed}, words)
	for _, k := range []string{"oak", "elm"} {
		h1, h2 := key.Hash(v.Seed(), []byte(k))
		first, second, marked := v.firstPositions(&room, h1, h2), v.secondPositions(&two, h1, h2), v.markPositions(&marks, h1, h2)
		has(fmt.Sprintf("| `%s` | %s | %s | %s | %v | %d |\n", k, list(first), list(second), list(marked), v.isMarked(h1, h2), v.Count(h1, h2)))
	}
	// Positions in blocks, and nodes of a range.
	h1, h2 := key.Hash(42, []byte("oak"))
	has(fmt.Sprintf("`oak` with the seed 42 has the counters `%s` in blocks of a filter of 256", list(blockPositions(room[:3], 256, h1, h2))))
	n1, n2 := node(42, Range{-8, 7}, 2, 3)
	has(fmt.Sprintf("| 42 | -8 to 7 | 2 | 3 | `%#016x` | `%#016x` |", n1, n2))
}
