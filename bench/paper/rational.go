package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/bloom"
)

// rationalRate is the probability that an absent key finds all its bits set, a
// part q of the bits being so: it looks at floor(k) of them or at one more.
func rationalRate(k, q float64) float64 {
	whole, p := math.Floor(k), k-math.Floor(k)
	return (1-p)*math.Pow(q, whole) + p*math.Pow(q, whole+1)
}

// fillOf is the share of ones that n keys with k hash functions leave in m
// bits.
func fillOf(m, n, k float64) float64 { return -math.Expm1(n * k * math.Log1p(-1/m)) }

// rationalPoint is the outcome of one setting: hits among absent keys beside the
// chord, and what q^k expects of the filters' own fill.
type rationalPoint struct {
	tally
	k, theorem float64
}

// rationalBits is the length of the filters. Figure 3.
const rationalBits = 131072

// rational tests why the rate of filters with fractional k is least near whole
// k. Walther, Mansour, Zollner and Werner, section 4 and figure 3.
func rational(c report.Config, s *report.Section) {
	const m = rationalBits
	seeds := report.Pick(c, 1, 2, 5)
	asked := report.Pick(c, 1000, 100_000, 400_000)
	keys := report.Pick(c, []int{60000}, []int{20000, 60000, 100000}, []int{20000, 40000, 60000, 80000, 100000})
	s.Set("m", m, "seeds", seeds, "asked", asked, "keys", len(keys), "example", m*math.Ln2/60000)
	curves := map[int][]rationalPoint{} // by keys, of the activation by hash
	for _, a := range []bloom.Activation{bloom.ByHash, bloom.ByPosition} {
		for _, n := range keys {
			curve := report.Parallel(56, func(i int) rationalPoint {
				p := rationalPoint{k: float64(5+i) / 10}
				for i := range seeds {
					seed := seedOf(i)
					f := report.Must(bloom.New(bloom.Params{Bits: m, K: p.k, Variant: bloom.Rational, Activation: a, Seed: seed}))
					h := numbers(seed, 0, n)
					f.AddHashes(h.h1, h.h2, nil)
					p.add(falsePositives(f, seed, asked), asked, rationalRate(p.k, f.Fill()))
					p.theorem += math.Pow(f.Fill(), p.k) / float64(seeds)
				}
				return p
			})
			for i, p := range curve {
				of := p.figures()
				of["theorem"], of["fill"], of["excess"] = p.theorem, fillOf(m, float64(n), p.k), p.rate()/p.theorem-1
				var hi float64
				if of["lo"], hi = report.Wilson(p.hits, p.asked); !p.whole() {
					of["low"] = map[bool]float64{true: 1}[of["lo"] > p.theorem]
				}
				of["hi"] = hi
				s.Record(report.At{"n": n, "by": a, "k": p.k, "whole": p.whole(), "shown": i%5 == 0 || p.whole()}, of)
			}
			if a == bloom.ByHash {
				curves[n] = curve
				best := m * math.Ln2 / float64(n)
				whole, near := bestOf(curve, best)
				s.Record(report.At{"keys": n, "best whole": whole.k}, report.Figures{"best": best, "promised": math.Exp2(-best), "whole": whole.rate(), "near": near.rate(),
					"at whole": map[bool]float64{true: 1}[!strings.Contains(strings.Join(minimaOf(curve), " "), ".")]})
			}
		}
	}
	rationalClaims(c, s, curves[60000])
	var row []report.Panel
	for _, n := range report.Pick(c, []int{60000}, []int{60000}, []int{20000, 60000, 100000}) {
		row = append(row, report.Panel{Title: fmt.Sprintf("n = %d keys in %d bits", n, m), X: "hash functions k", Y: "false positive rate", Series: rationalLines(s.Where("n", n), float64(n))})
	}
	row[0].Legend = report.TopRight
	s.Plot("rate", row)
}

// rationalLines are the curves for so many keys, and what was measured: one of the two
// activations at each k, or they hide each other.
func rationalLines(d *report.Data, n float64) []report.Series {
	lines := []report.Series{
		{Label: "chord", Only: report.Line}, {Label: "q^k", Style: 1, Only: report.Line},
		{Label: "measured, by hash", Only: report.Marks}, {Label: "measured, by position", Only: report.Marks, Style: 4},
	}
	for i, at := range d.By("k", "whole") {
		k := at.At["k"].(float64)
		q := fillOf(rationalBits, n, k)
		lines[0].At(k, rationalRate(k, q))
		lines[1].At(k, math.Pow(q, k))
		for a, of := range at.By("by") {
			if i%2 == a || at.At["whole"] == true {
				lines[2+a].Within(k, of.First("rate"), of.First("lo"), of.First("hi"))
			}
		}
	}
	return lines
}

// whole says whether k is a whole number.
func (p rationalPoint) whole() bool { return p.k == math.Trunc(p.k) }

// bestOf are the points with the best whole k, and with the k that is nearest to one.
func bestOf(points []rationalPoint, k float64) (whole, near rationalPoint) {
	for _, p := range points {
		if p.whole() && (whole.asked == 0 || p.rate() < whole.rate()) {
			whole = p
		}
		if near.asked == 0 || math.Abs(p.k-k) < math.Abs(near.k-k) {
			near = p
		}
	}
	return whole, near
}

// rationalClaims is what the paper says of figure 3, and the whole k that bloom_agg
// chooses for the same bits.
func rationalClaims(c report.Config, s *report.Section, points []rationalPoint) {
	const example = 60000
	seeds, asked := report.Pick(c, 1, 2, 5), report.Pick(c, 1000, 100_000, 400_000)
	best := rationalBits * math.Ln2 / example
	ours := bloom.Params{Bits: rationalBits, Capacity: example}
	defaults := report.Must(bloom.New(ours))
	h := numbers(0, 0, example)
	defaults.AddHashes(h.h1, h.h2, nil)
	_, near := bestOf(points, best)
	least := slices.MinFunc(points, func(a, b rationalPoint) int { return cmp.Compare(a.rate(), b.rate()) })
	s.Set("size", float64(len(defaults.Blob())), "paper's size", float64(len(report.Must(bloom.New(bloom.Params{Bits: rationalBits, K: best, Variant: bloom.Rational})).Blob())),
		"rate", bloomTally(ours, example, seeds, asked).rate(), "least", least.k, "k", defaults.K(), "fill", defaults.Fill(),
		"paper's fill", fillOf(rationalBits, example, near.k), "minima", strings.Join(minimaOf(points), ", "))
	rationalSmall(s, seeds, asked)
	rationalCauses(c, s, seeds)
}

// rationalSmall is figure 1: filters of 8,192 bits with the k* of so many keys.
func rationalSmall(s *report.Section, seeds, asked int) {
	const m = 8192
	for _, n := range []int{1000, 2000, 3000, 4000, 5000} {
		best := m * math.Ln2 / float64(n)
		var rates [4]float64
		for i, p := range []bloom.Params{
			{Bits: m, K: best, Variant: bloom.Rational}, {Bits: m, Capacity: uint64(n)}, {Bits: m, K: max(1, math.Floor(best))}, {Bits: m, K: math.Ceil(best)},
		} {
			// The share of ones varies more where there are fewer.
			rates[i] = bloomTally(p, n, 10*seeds, asked/10).rate()
			s.Set("small size", float64(len(report.Must(bloom.New(p)).Blob())))
		}
		whole := min(rates[2], rates[3])
		s.Record(report.At{"small": n}, report.Figures{"of best": rates[0] / whole, "of defaults": rates[1] / whole})
	}
}

// rationalCauses puts aside what the paper suspects: a filter 32 times as
// large, and another hash function, still have their least rates at whole k.
// Section 4.
func rationalCauses(c report.Config, s *report.Section, seeds int) {
	const keys = 60000
	asked := report.Pick(c, 1000, 20_000, 200_000)
	larger := report.Pick(c, 1, 4, 32)
	present, none := shaNumbers(0, keys), shaNumbers(absent, asked)
	for _, k := range []float64{1, 1.5, 2} {
		p := bloom.Params{Bits: rationalBits * uint64(larger), K: k, Variant: bloom.Rational}
		rate := bloomTally(p, keys*larger, seeds, asked).rate()
		p.Bits = rationalBits
		f := report.Must(bloom.New(p))
		f.AddHashes(present.h1, present.h2, nil)
		s.Record(report.At{"cause": fmt.Sprintf("%d times the bits and keys", larger)}, report.Figures{fmt.Sprint("rate ", k): rate})
		s.Record(report.At{"cause": "positions from SHA-256"}, report.Figures{fmt.Sprint("rate ", k): float64(positives(f, none)) / float64(asked)})
		s.Set("cause size", float64(len(f.Blob())))
	}
}

// shaNumbers are hashes of the n whole numbers from a first one on: two quarters
// of their SHA-256.
func shaNumbers(first uint64, n int) hashes {
	h := hashes{make([]uint64, n), make([]uint64, n)}
	for i := range n {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], first+uint64(i))
		sum := sha256.Sum256(b[:])
		h.h1[i], h.h2[i] = binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])|1
	}
	return h
}

// minimaOf are the k of the least rates, each among three neighbours on either
// side.
func minimaOf(points []rationalPoint) (ks []string) {
	for i, p := range points {
		least := i > 0 && i < len(points)-1
		for _, q := range points[max(0, i-3):min(len(points), i+4)] {
			least = least && p.rate() <= q.rate()
		}
		if least {
			ks = append(ks, report.Num(p.k))
		}
	}
	return ks
}
