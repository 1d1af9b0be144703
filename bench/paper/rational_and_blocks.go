package main

import (
	"math"
	"math/bits"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/bloom"
)

// rationalRate returns the probability that an absent key finds all its bits set if a fraction q of
// the bits is set. The filter tests floor(k) bits or one more.
func rationalRate(k, q float64) float64 {
	whole, p := math.Floor(k), k-math.Floor(k)
	return (1-p)*math.Pow(q, whole) + p*math.Pow(q, whole+1)
}

// fillOf returns the expected fraction of set bits after n keys with k hash functions in m bits.
func fillOf(m, n, k float64) float64 { return -math.Expm1(n * k * math.Log1p(-1/m)) }

// bloomOf returns a filter of the first n numbers.
func bloomOf(p bloom.Params, n int, seed uint64) *bloom.Sketch {
	p.Seed = seed
	f := report.Must(bloom.New(p))
	h := numbers(seed, 0, n)
	f.AddHashes(h.h1, h.h2, nil)
	return f
}

// bloomTally looks up absent keys in filters of n keys with several seeds.
func bloomTally(p bloom.Params, n, seeds, asked int) tally {
	return tallies(seeds, asked, func(i int) (container, float64) {
		f := bloomOf(p, n, seedOf(i))
		return f, f.FPP()
	})
}

// rational tests why the rate of filters with fractional k is lowest near whole k. Walther,
// Mansour, Zollner and Werner, section 4 and figure 3.
func rational(c report.Scale, s *report.Section) {
	const m, example = 131072, 60000 // m is the length of the filters in figure 3
	seeds, asked := report.Pick(c, 1, 2, 5), report.Pick(c, 1000, 100_000, 400_000)
	keys := report.Pick(c, []int{example}, []int{20000, example, 100000}, []int{20000, 40000, example, 80000, 100000})
	s.Set("m", m, "seeds", seeds, "asked", asked, "keys", len(keys), "example", m*math.Ln2/example)
	for by, a := range []bloom.Activation{bloom.ByHash, bloom.ByPosition} {
		for _, n := range keys {
			for i := range 56 {
				k, theorem := float64(5+i)/10, make([]float64, seeds)
				t := tallies(seeds, asked, func(i int) (container, float64) {
					f := bloomOf(bloom.Params{Bits: m, K: k, Variant: bloom.Rational, Activation: a}, n, seedOf(i))
					theorem[i] = math.Pow(f.Fill(), k)
					return f, rationalRate(k, f.Fill())
				})
				of, whole := t.figures(), k == math.Trunc(k)
				q := fillOf(m, float64(n), k)
				of["theorem"], of["fill"], of["chord"], of["q^k"] = report.Mean(theorem), q, rationalRate(k, q), math.Pow(q, k)
				of["excess"] = t.rate()/of["theorem"] - 1
				if !whole {
					of["low"] = yesNo(of["lo"] > of["theorem"])
				}
				// The plot has the marks of only one activation at each k that is no integer, so that
				// marks do not hide each other.
				s.Record(report.At{"n": n, "by": a, "k": k, "whole": whole, "shown": i%5 == 0 || whole, "drawn": i%2 == by || whole}, of)
			}
		}
	}
	for _, n := range keys {
		curve, best := s.Where("n", n, "by", bloom.ByHash), m*math.Ln2/float64(n)
		whole := leastRate(curve.Where("whole", true))
		s.Record(report.At{"keys": n, "best whole": whole.At["k"]}, report.Figures{"best": best, "promised": math.Exp2(-best), "whole": whole.First("rate"),
			"near": nearK(curve, best).First("rate"), "at whole": yesNo(!strings.Contains(strings.Join(minimaOf(curve), " "), "."))})
	}
	// These are the figures for the paper's claims about figure 3, and for the whole k that bloom_agg
	// chooses for the same bits.
	curve, best := s.Where("n", example, "by", bloom.ByHash), m*math.Ln2/float64(example)
	ours := bloom.Params{Bits: m, Capacity: example}
	defaults := bloomOf(ours, example, 0)
	s.Set("size", float64(len(defaults.Blob())), "paper's size", float64(len(bloomOf(bloom.Params{Bits: m, K: best, Variant: bloom.Rational}, 0, 0).Blob())),
		"rate", bloomTally(ours, example, seeds, asked).rate(), "least", leastRate(curve).At["k"], "k", defaults.K(), "fill", defaults.Fill(),
		"paper's fill", fillOf(m, example, nearK(curve, best).Number("k")), "minima", strings.Join(minimaOf(curve), ", "))
	rationalSmall(s, seeds, asked)
}

// leastRate returns the rows of the k with the lowest rate. nearK returns the rows of the k
// nearest to a value.
func leastRate(curve *report.Data) *report.Data {
	return leastOf(curve.By("k"), func(at *report.Data) float64 { return at.First("rate") })
}

func nearK(curve *report.Data, k float64) *report.Data {
	return leastOf(curve.By("k"), func(at *report.Data) float64 { return math.Abs(at.Number("k") - k) })
}

// minimaOf returns the k of local minima of the rate: the lowest among three neighbours on each
// side.
func minimaOf(curve *report.Data) (ks []string) {
	all, rates := curve.By("k"), curve.All("rate")
	for i, at := range all {
		least := i > 0 && i < len(all)-1
		for _, rate := range rates[max(0, i-3):min(len(all), i+4)] {
			least = least && rates[i] <= rate
		}
		if least {
			ks = append(ks, report.Num(at.Number("k")))
		}
	}
	return ks
}

// rationalSmall measures figure 1: filters of 8,192 bits with the k* of several numbers of keys.
func rationalSmall(s *report.Section, seeds, asked int) {
	const m = 8192
	for _, n := range []int{1000, 2000, 3000, 4000, 5000} {
		best := m * math.Ln2 / float64(n)
		rates := report.Column([]bloom.Params{
			{Bits: m, K: best, Variant: bloom.Rational}, {Bits: m, Capacity: uint64(n)}, {Bits: m, K: max(1, math.Floor(best))}, {Bits: m, K: math.Ceil(best)},
		}, func(p bloom.Params) float64 {
			s.Set("small size", float64(len(bloomOf(p, 0, 0).Blob())))
			// The fraction of set bits varies more in small filters, so ten times as many seeds are
			// averaged.
			return bloomTally(p, n, 10*seeds, asked/10).rate()
		})
		whole := min(rates[2], rates[3])
		s.Record(report.At{"small": n}, report.Figures{"of best": rates[0] / whole, "of defaults": rates[1] / whole})
	}
}

// blocks compares filters of blocks with standard ones of the same length.
// Walther, Mansour, Zollner and Werner, section 3.
func blocks(c report.Scale, s *report.Section) {
	seeds, asked := report.Pick(c, 1, 3, 10), report.Pick(c, 1000, 200_000, 1_000_000)
	for _, m := range []uint64{131072, 131071, 100000, 196608, 65537} {
		for _, k := range []float64{3, 7} {
			n := int(float64(m) * math.Ln2 / k)
			standard := bloomTally(bloom.Params{Bits: m, K: k}, n, seeds, asked)
			of := bloomTally(bloom.Params{Bits: m, K: k, Variant: bloom.Blocks}, n, seeds, asked).figures()
			alone := 1.0
			for rest := m; rest != 0; rest &= rest - 1 {
				block := float64(uint64(1) << bits.TrailingZeros64(rest))
				part := k * block / float64(m)
				alone *= rationalRate(part, fillOf(block, float64(n), part))
			}
			of["standard"], of["quotient"], of["alone"], of["per key"] = standard.rate(), of["rate"]/standard.rate(), alone, float64(m)/float64(n)
			s.Record(report.At{"m": m, "blocks": bits.OnesCount64(m), "k": k, "n": n}, of)
		}
	}
	// 16 bits per key and k = 11 = 16 ln 2, so that blocks can be dropped.
	const m, k = 196607, 11 // 2^17 + 2^16 - 1: one block of 2^17 and of each size below 2^16
	n := int(m / 16)
	s.Set("seeds", seeds, "asked", asked, "dropped m", m, "dropped k", k)
	for _, part := range []uint64{1, 2, 3, 4, 6} {
		size := (m/8 + 1 + part - 1) / part
		filters := make([]*bloom.Sketch, seeds)
		of := tallies(seeds, asked, func(i int) (container, float64) {
			f := bloomOf(bloom.Params{Bits: m, K: k, Variant: bloom.Blocks}, n, seedOf(i))
			report.Check(f.Shrink(size))
			filters[i] = f
			return f, f.FPP()
		}).figures()
		of["lost"], of["dropped"] = 0, of["far"]
		for _, f := range filters {
			of["lost"] += float64(n - positives(f, f.Seed(), 0, n))
		}
		f := filters[0]
		of["per key"] = float64(f.Bits()) / float64(n)
		s.Record(report.At{"shrunk": true, "size": size, "bits": f.Bits(), "left": len(f.Blocks()), "k left": f.K()}, of)
	}
	blocksClaims(c, s)
}

// blocksClaims tests the paper's other claims about filters of blocks, also for the filters that
// bloom_agg makes for a capacity.
func blocksClaims(c report.Scale, s *report.Section) {
	seeds, asked, rounds := report.Pick(c, 1, 3, 10), report.Pick(c, 1000, 200_000, 1_000_000), report.Pick(c, 2, 7, 15)
	const m, k = 131071, 7
	n := int(math.Floor(m * math.Ln2 / k))
	forms := []bloom.Params{{Capacity: uint64(n)}, {Capacity: uint64(n), Variant: bloom.Blocks}, {Bits: m, K: k}, {Bits: m, K: k, Variant: bloom.Blocks}}
	var add, test [4]func(hashes)
	var size [4]float64
	for i, p := range forms {
		f := report.Must(bloom.New(p))
		add[i], size[i] = func(h hashes) { f.AddHashes(h.h1, h.h2, nil) }, float64(len(f.Blob()))
		test[i] = func(h hashes) { f.ContainsHashes(yes[:h.len()], h.h1, h.h2) }
	}
	took := race(numbers(0, 0, n), rounds, add[:]...)
	tested := race(numbers(0, 0, n), rounds, test[:]...)
	s.Set("timed m", m, "ours", bloomTally(forms[1], n, seeds, asked).rate()/bloomTally(forms[0], n, seeds, asked).rate(),
		"add", took[3]/took[2], "add by default", took[1]/took[0], "ask", tested[3]/tested[2], "ask by default", tested[1]/tested[0],
		"size", size[1], "paper's size", size[3], "sizes", size[3]/size[2], "sizes by default", size[1]/size[0])
}
