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
	seeds := report.Pick(c, 1, 3, 10)
	asked := report.Pick(c, 1000, 200_000, 1_000_000)
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
	lines := []report.Series{{Label: "formula", Only: report.Line, Style: 1}, {Label: "measured", Only: report.Marks}}
	for _, part := range []uint64{1, 2, 3, 4, 6} {
		size := (m/8 + 1 + part - 1) / part
		var sum tally
		shrunk := report.At{"size": size}
		lost := 0
		for _, f := range report.Parallel(seeds, func(seed int) *bloom.Sketch {
			f := report.Must(bloom.New(bloom.Params{Bits: m, K: k, Variant: bloom.Blocks, Seed: seedOf(seed)}))
			h := numbers(seedOf(seed), 0, n)
			f.AddHashes(h.h1, h.h2, nil)
			report.Check(f.Shrink(size))
			return f
		}) {
			shrunk["bits"], shrunk["left"], shrunk["k left"] = f.Bits(), len(f.Blocks()), f.K()
			lost += n - positives(f, numbers(f.Seed(), 0, n))
			sum.add(falsePositives(f, f.Seed(), asked), asked, f.FPP())
		}
		of := sum.figures()
		of["per key"], of["lost"], of["dropped"] = float64(shrunk["bits"].(uint64))/float64(n), float64(lost), of["far"]
		s.Record(shrunk, of)
		lo, hi := report.Wilson(sum.hits, sum.asked)
		lines[0].At(of["per key"], sum.formula())
		lines[1].Within(of["per key"], sum.rate(), lo, hi)
	}
	blocksClaims(c, s)
	s.Plot("shrink", []report.Panel{{X: "bits per key", Y: "false positive rate", LogY: true, Legend: report.TopRight, Series: lines}})
}

// bloomTally asks filters of n keys for absent ones, with so many seeds.
func bloomTally(p bloom.Params, n, seeds, asked int) (sum tally) {
	all := report.Parallel(seeds, func(seed int) (t tally) {
		p := p
		p.Seed = seedOf(seed)
		f := report.Must(bloom.New(p))
		h := numbers(p.Seed, 0, n)
		f.AddHashes(h.h1, h.h2, nil)
		t.add(falsePositives(f, p.Seed, asked), asked, f.FPP())
		return t
	})
	for _, t := range all {
		sum.merge(t)
	}
	return sum
}

// blocksClaims is what the paper says of filters of blocks besides, and what is so of
// the filters that bloom_agg lays out for a capacity.
func blocksClaims(c report.Config, s *report.Section) {
	seeds, asked := report.Pick(c, 1, 3, 10), report.Pick(c, 1000, 200_000, 1_000_000)
	rounds := report.Pick(c, 2, 7, 15)
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
	clash := clashes(seeds, report.Pick(c, 10, 1000, 10_000))
	s.Set("timed m", m, "ours", bloomTally(forms[1], n, seeds, asked).rate()/bloomTally(forms[0], n, seeds, asked).rate(),
		"add", took[3]/took[2], "add by default", took[1]/took[0], "ask", tested[3]/tested[2], "ask by default", tested[1]/tested[0],
		"size", size[1], "paper's size", size[3], "sizes", size[3]/size[2], "sizes by default", size[1]/size[0], "clash", clash[0], "clash of blocks", clash[1])
}

// clashes is the share of keys of which two probes meet, in a standard filter
// and in one of blocks: those that set fewer than k bits of an empty one.
func clashes(seeds, keys int) (share [2]float64) {
	const m, k = 1000, 10
	for i, v := range []bloom.Variant{bloom.Standard, bloom.Blocks} {
		all := report.Parallel(seeds, func(seed int) float64 {
			met := 0.0
			h := numbers(seedOf(seed), 0, keys)
			for key := range keys {
				f := report.Must(bloom.New(bloom.Params{Bits: m, K: k, Variant: v, Seed: seedOf(seed)}))
				f.Add(h.h1[key], h.h2[key], 1)
				if math.Round(f.Fill()*m) < k {
					met++
				}
			}
			return met / float64(keys)
		})
		share[i] = report.Mean(all)
	}
	return share
}
