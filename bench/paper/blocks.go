package main

import (
	"math"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/bloom"
)

// blocks compares filters of blocks with standard ones of the same length.
// Walther, Mansour, Zollner and Werner, section 3.
func blocks(c report.Config, s *report.Section) {
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
	// 16 bits a key and k = 11 = 16 ln 2, so that there is something to drop.
	const m, k = 196607, 11 // 2^17 + 2^16 - 1: one block of each smaller size but 2^16
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
			of["lost"] += float64(n - positives(f, numbers(f.Seed(), 0, n)))
		}
		f := filters[0]
		of["per key"] = float64(f.Bits()) / float64(n)
		s.Record(report.At{"size": size, "bits": f.Bits(), "left": len(f.Blocks()), "k left": f.K()}, of)
	}
	blocksClaims(c, s)
	lines := report.Lines("formula", "measured")
	for _, at := range s.By("size") {
		x := at.First("per key")
		lines[0].At(x, at.First("formula"))
		lines[1].Within(x, at.First("rate"), at.First("lo"), at.First("hi"))
	}
	report.Drawn(lines[:1], "%s", report.Line, 1)
	report.Drawn(lines[1:], "%s", report.Marks, 0)
	s.Plot("shrink", []report.Panel{{X: "bits per key", Y: "false positive rate", LogY: true, Legend: report.TopRight, Series: lines}})
}

// blocksClaims is what the paper says of filters of blocks besides, and what is so of
// the filters that bloom_agg lays out for a capacity.
func blocksClaims(c report.Config, s *report.Section) {
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
	keys := report.Pick(c, 10, 1000, 10_000)
	s.Set("timed m", m, "ours", bloomTally(forms[1], n, seeds, asked).rate()/bloomTally(forms[0], n, seeds, asked).rate(),
		"add", took[3]/took[2], "add by default", took[1]/took[0], "ask", tested[3]/tested[2], "ask by default", tested[1]/tested[0],
		"size", size[1], "paper's size", size[3], "sizes", size[3]/size[2], "sizes by default", size[1]/size[0],
		"clash", clashes(bloom.Standard, seeds, keys), "clash of blocks", clashes(bloom.Blocks, seeds, keys))
}

// clashes is the share of keys of which two probes meet: those that set fewer than k bits
// of an empty filter.
func clashes(v bloom.Variant, seeds, keys int) float64 {
	const m, k = 1000, 10
	return report.Mean(report.Parallel(seeds, func(i int) (share float64) {
		h := numbers(seedOf(i), 0, keys)
		for key := range keys {
			f := report.Must(bloom.New(bloom.Params{Bits: m, K: k, Variant: v, Seed: seedOf(i)}))
			f.Add(h.h1[key], h.h2[key], 1)
			share += yesNo(math.Round(f.Fill()*m) < k) / float64(keys)
		}
		return share
	}))
}
