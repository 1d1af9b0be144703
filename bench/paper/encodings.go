package main

import (
	"math"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

var encodingsOf = []sbf.Encoding{sbf.Plain, sbf.Elias, sbf.Steps, sbf.Index}

// encodings measures the size of counters and the time of a lookup. Figures 10 to 13 and 15 of the
// spectral paper.
func encodings(c report.Scale, s *report.Section) {
	encodingBits(c, s)
	indexSize(c, s)
	lookupTimes(c, s)
	hashTable(c, s)
}

// printedBits returns the lengths of a counter in the paper's Elias code and in its steps code as
// printed. That has 0 and 10 for 0 and 1, and 11 before the Elias code of larger values. Section
// 4.5.
func printedBits(v uint64) (elias, steps int) {
	length := func(n uint64) int {
		log := bits.Len64(n) - 1
		return log + 2*(bits.Len64(uint64(log+1))-1) + 1
	}
	if v < 2 {
		return length(v + 1), int(v) + 1
	}
	return length(v + 1), 2 + length(v)
}

// encodingBits measures figure 10: bits per counter.
func encodingBits(c report.Scale, s *report.Section) {
	seeds := report.Pick(c, 1, 2, 5)
	keys := report.Pick(c, 500, 5000, 20_000)
	s.Set("bits seeds", seeds, "bits keys", keys, "bytes per bit", float64(keys)*spectralK/spectralGamma/8)
	claimed := map[float64]string{1: "steps shorter than Elias", 100: "Elias shorter than steps"}
	for _, skew := range []float64{0, 1} {
		for _, mean := range []float64{1, 2, 3, 5, 10, 20, 50, 100} {
			at := report.At{"skew": skew, "mean": mean}
			if claim, is := claimed[mean]; is {
				at["claimed"] = claim
			}
			s.Record(at, report.Parallel(seeds, func(i int) report.Figures {
				return bitsOf(numbers(seedOf(i), 0, keys), zipfCounts(keys, int(mean*float64(keys)), skew), seedOf(i))
			})...)
			of := s.Where("skew", skew, "mean", mean)
			s.Record(report.At{"coded": true, "of skew": skew, "of mean": mean},
				report.Figures{"steps / bound": of.Mean("steps") / of.Mean("bound"), "steps shorter": yesNo(of.Mean("steps") <= of.Mean("elias"))})
		}
	}
}

// bitsOf returns the bits per counter of a data set in every encoding, of the bound, and of the
// codes as printed.
func bitsOf(h hashes, data []uint64, seed uint64) report.Figures {
	of := report.Figures{}
	for _, e := range encodingsOf {
		sk := report.Must(sbf.New(sbf.Params{Capacity: uint64(len(data)), Encoding: e, Seed: seed}))
		sk.AddHashes(h.h1, h.h2, data)
		v := report.Must(sbf.NewView(sk.Blob()))
		of[e.String()] = v.Info().CounterBits
		counters, _ := sk.Counters()
		m := float64(counters)
		of["bound"], of["printed elias"], of["printed steps"] = 0, 0, 0
		for _, v := range report.Must(v.Rows())[0] {
			of["bound"] += float64(bits.Len64(v)) // without anything that separates the counters
			elias, steps := printedBits(v)
			of["printed elias"] += float64(elias) / m
			of["printed steps"] += float64(steps) / m
		}
		of["bound"] /= m
	}
	return of
}

// indexSize measures figures 13 and 15: the string-array index of a BLOB beside its base array, in bits
// per counter.
func indexSize(c report.Scale, s *report.Section) {
	seeds := report.Pick(c, 1, 2, 4)
	sizes := report.Pick(c, []int{1000, 10_000}, []int{1000, 10_000, 100_000}, []int{1000, 10_000, 100_000, 1_000_000})
	for filled := range 2 {
		for _, n := range sizes {
			at := report.At{"filled": 10 * filled, "n": n, "published index": []string{"1.5", "2 to 2.5"}[filled]}
			s.Record(at, report.Parallel(seeds, func(i int) report.Figures { return indexOf(n, 10*n*filled, seedOf(i)) })...)
			of := s.Where("filled", 10*filled, "n", n)
			s.Record(report.At{"size of": []string{"empty", "mean count 10"}[filled], "counters": n},
				report.Figures{"index / N": of.Mean("index") / of.Mean("base"), "published": 1.5 + 0.5*float64(filled)})
		}
	}
	n := float64(sizes[len(sizes)-1])
	tight, _ := math.Lgamma(n + 1)                                                                       // sum of ln i for i from 1 to n
	s.Set("index seeds", seeds, "n", int(n), "log", math.Log2(n), "tight", tight/math.Ln2/n, "words", n) // with a mean of 10, no count exceeds 255
}

// indexOf returns the sizes of n counters after a number of increments. "base" is the bits of the
// counters alone, at least one each, and "index" the bits of the index beside them.
func indexOf(n, increments int, seed uint64) report.Figures {
	sk := report.Must(sbf.New(sbf.Params{Counters: uint64(n), K: 1, Encoding: sbf.Index, Seed: seed}))
	for from := 0; from < increments; from += 10_000 {
		h := numbers(seed, uint64(from), min(10_000, increments-from))
		sk.AddHashes(h.h1, h.h2, nil)
	}
	v := report.Must(sbf.NewView(sk.Blob()))
	base := 0.0
	for _, c := range report.Must(v.Rows())[0] {
		base += float64(max(1, bits.Len64(c))) / float64(n)
	}
	return report.Figures{"base": base, "index": v.Info().CounterBits - base}
}

// answered receives counts that are not used.
var answered [pieceLen]uint64

// timedSizes returns the numbers of counters or keys in figures 11 and 12.
func timedSizes(c report.Scale) []int {
	return report.Pick(c, []int{1000}, []int{1000, 100_000}, []int{1000, 10_000, 100_000, 1_000_000})
}

// lookupTimes measures figure 11: the lookup of a counter in each encoding, relative to plain words
// in the same run.
func lookupTimes(c report.Scale, s *report.Section) {
	rounds, asked := report.Pick(c, 3, 7, 25), report.Pick(c, 1<<12, 1<<17, 1<<20)
	s.Set("timed asked", asked, "timed rounds", rounds)
	var first report.Figures
	for _, n := range timedSizes(c) {
		var lookups []func(hashes)
		h := numbers(0, 0, 10*n)
		for _, e := range encodingsOf {
			sk := report.Must(sbf.New(sbf.Params{Counters: uint64(n), K: 1, Encoding: e}))
			sk.AddHashes(h.h1, h.h2, nil)
			v := report.Must(sbf.NewView(sk.Blob()))
			lookups = append(lookups, func(h hashes) { v.CountHashes(answered[:h.len()], h.h1, h.h2) })
		}
		took := race(numbers(0, absent, asked), rounds, lookups...)
		now := report.Figures{"index over start": took[3], "plain over start": took[0]}
		if first == nil {
			first = now
		}
		of := report.Figures{"elias": took[1] / took[0], "steps": took[2] / took[0], "index": took[3] / took[0]}
		for name, took := range now {
			of[name] = took / first[name]
		}
		s.Record(report.At{"timed": n}, of)
	}
}

// hashTable measures figure 12: a Spectral Bloom Filter with k = 5, and a hash table of the same
// keys. The filter has as many counters as the table has slots. The index is in a BLOB.
func hashTable(c report.Scale, s *report.Section) {
	sizes := timedSizes(c)
	rounds, asked := report.Pick(c, 2, 5, 9), report.Pick(c, 1<<12, 1<<16, 1<<20)
	s.Set("table asked", asked, "table rounds", rounds, "largest", sizes[len(sizes)-1])
	for _, n := range sizes {
		r := random(0, 27)
		table := map[uint64]uint64{}
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = r.Uint64()
			table[keys[i]] = 10
		}
		some := hashes{make([]uint64, asked), make([]uint64, asked)}
		for i := range some.h1 {
			some.h1[i] = keys[r.IntN(n)]
		}
		found := uint64(0)
		raiseTable := func(h hashes) {
			for _, v := range h.h1 {
				table[v]++
			}
		}
		lookUpTable := func(h hashes) {
			for _, v := range h.h1 {
				found += table[v]
			}
		}
		buffer := hashes{make([]uint64, max(n, pieceLen)), make([]uint64, max(n, pieceLen))}
		hash := func(keys []uint64) hashes {
			key.HashUint64s(0, keys, buffer.h1, buffer.h2)
			return buffer.slice(0, len(keys))
		}
		hashed := func(f func(hashes)) func(hashes) {
			return func(h hashes) { f(hash(h.h1)) }
		}
		filled := func(e sbf.Encoding) *sbf.Sketch {
			sk := report.Must(sbf.New(sbf.Params{Counters: uint64(n * 8 / 7), K: spectralK, Encoding: e}))
			all := hash(keys)
			sk.AddHashes(all.h1, all.h2, slices.Repeat([]uint64{10}, n))
			return sk
		}
		index, plain := filled(sbf.Index).Blob(), filled(sbf.Plain)
		view := report.Must(sbf.NewView(index))
		figures := report.Figures{"bytes of index": float64(len(index)), "bytes of plain": float64(plain.Bytes())}
		read := race(some, rounds, lookUpTable,
			hashed(func(h hashes) { view.CountHashes(answered[:h.len()], h.h1, h.h2) }),
			hashed(func(h hashes) { plain.CountHashes(answered[:h.len()], h.h1, h.h2) }))
		raised := race(some, rounds, raiseTable, hashed(func(h hashes) { plain.AddHashes(h.h1, h.h2, nil) }))
		figures["raise: plain"] = raised[1] / raised[0]
		figures["look up: index"], figures["look up: plain"] = read[1]/read[0], read[2]/read[0]
		s.Record(report.At{"table": n}, figures)
	}
}
