package main

import (
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// varlenTheorems holds the rates of theorems 5.1 and 5.2, and what the paper
// says of fingerprints and buckets, against ours of 12 bits and of k = 4.
func varlenTheorems(s *report.Section, size int) {
	const f, k, slots = 12, 4, 4
	for _, load := range varlenLoads {
		// Theorem 5.1, with the Poisson distribution of its proof.
		cuckoo, rest, p := 0.0, 1.0, math.Exp(-slots*load)
		for n := 1; n <= slots; n++ {
			rest -= p
			p *= slots * load / float64(n)
			share := p
			if n == slots {
				share = rest
			}
			cuckoo += 2 * share * float64(n) * math.Exp2(-fingerprintLength(f, slots, n))
		}
		hashes := float64(k)
		if load <= 0.5 {
			hashes = 2 * k
		}
		s.Record(report.At{"at load": load}, report.Figures{"cuckoo formula": cuckoo, "counting formula": bloomRate(k/math.Ln2, load, hashes)})
	}
	share, bytes := occupancy(size, 0.25)
	bits, keys := 0.0, 0.0
	for n, x := range share[1:] {
		keys += x * float64(n+1)
		bits += x * float64(n+1) * fingerprintLength(f, slots, n+1)
	}
	share, _ = occupancy(size, 0.9)
	s.Set("fingerprint", bits/keys, "not full", 1-share[slots], "occupied bytes", float64(bytes))
}

// varlenAlpha is what the paper sets alpha by: the mean of the rate over all
// loads up to the capacity, from the filters' own formula. Section V-B.
func varlenAlpha(s *report.Section, size int) {
	const k, steps = 4, 40
	alphas := []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}
	for _, of := range []struct {
		options string
		params  cbf.Params
	}{{"defaults", cbf.Params{}}, {"paper's", cbf.Params{Counters: uint64(math.Ceil(float64(size*k) / math.Ln2)), K: k}}} {
		of.params.Capacity, of.params.VariableLength, of.params.Seed = uint64(size), true, seedOf(0)
		all := report.Parallel(len(alphas), func(j int) report.Figures {
			p := of.params
			p.Alpha = alphas[j]
			f := countingFilter{report.Must(cbf.New(p))}
			h, rate, stuck := numbers(seedOf(0), 0, size), 0.0, 0.0
			for step := range steps {
				f.add(h.slice(size*step/steps, size*(step+1)/steps))
				i := f.info()
				rate += i.FPP / steps
				stuck = float64(i.Stuck) / float64(i.Counters)
			}
			// Of two equal rates the smaller alpha's is the least.
			return report.Figures{"mean rate": rate, "closeness": -rate, "stuck": stuck}
		})
		p := of.params
		p.Alpha = cbf.DefaultAlpha
		for j, f := range all {
			s.Record(report.At{"alpha of": of.options, "alpha": alphas[j]}, f)
		}
		s.Set("alpha bytes of "+of.options, float64(report.Must(cbf.New(p)).Bytes()))
	}
}

// fingerprintLength is how many bits each of n fingerprints has in a bucket of
// slots of f bits, three of which say how many there are. Section III.
func fingerprintLength(f, slots, n int) float64 {
	if n == slots {
		return float64(f)
	}
	return float64(slots*f-3) / float64(n)
}

// occupancy is the shares of buckets with 0, 1, ... fingerprints in a default
// filter with so many slots, read from the body of its BLOB: buckets of four
// slots of 12 bits, of which those that are 0 are empty (docs/FORMAT.md).
func occupancy(size int, load float64) (share []float64, bytes int) {
	s := report.Must(cuckoo.New(cuckoo.Params{Capacity: uint64(size) * 945 / 1000, Seed: seedOf(0)}))
	const slots = cuckoo.DefaultSlots
	h := numbers(seedOf(0), 0, int(load*float64(slots*s.Buckets())))
	report.Check(s.AddHashes(h.h1, h.h2, nil))
	blob := report.Must(sketch.Parse(s.Blob()))
	share = make([]float64, slots+1)
	for bucket := range int(s.Buckets()) {
		n := 0
		for pair := 2 * bucket; pair < 2*bucket+2; pair++ { // two slots in three bytes
			b := blob.Body[3*pair:]
			for _, slot := range []int{int(b[0]) | int(b[1]&15)<<8, int(b[1]>>4) | int(b[2])<<4} {
				if slot != 0 {
					n++
				}
			}
		}
		share[n] += 1 / float64(s.Buckets())
	}
	return share, len(blob.Body)
}
