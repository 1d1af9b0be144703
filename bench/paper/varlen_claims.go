package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// middle is the step whose filters stand for a pair where one figure is asked:
// 12 bits or k = 4, as the paper's examples have them.
const middle = 2

// reductions adds the mean reductions of the rate, by load and by filter, with
// every point of the grid alike.
func reductions(s *report.Section, merged, defaults map[varlenJob]varlenOutcome) {
	t := s.Table("mean reduction at load", "published", "ours", "cuckoo", "tagged", "counting", "increment", "tandem", "increment, L 8 when plain", "tandem, L 8 when plain", "cuckoo and counting by default")
	var byLoad, byFilter []string
	largest, largestDefault, sizes := 0.0, 0.0, [2]int{}
	for i, d := range defaultPairs {
		if d.byDefault {
			sizes[0] += defaults[varlenJob{i, d.grid[0], 0}].bytes
		}
		sizes[1] += merged[varlenJob{i, pairs[i].grid[middle], 0}].bytes
	}
	for l, load := range varlenLoads {
		var ours, byDefault []float64
		each := []any{report.Percent(load), report.Percent(varlenPublished[l]), ""}
		for i, p := range pairs {
			mean := meanReduction(merged, pairs, i, l)
			if each = append(each, report.Percent(mean)); p.published == 0 {
				continue
			}
			ours = append(ours, mean)
			for _, step := range p.grid {
				largest = max(largest, merged[varlenJob{i, step, 0}].reduction(l))
			}
			if defaultPairs[i].byDefault {
				byDefault = append(byDefault, meanReduction(defaults, defaultPairs, i, l))
			}
		}
		largestDefault = max(largestDefault, slices.Max(byDefault))
		each[2] = report.Percent(report.Mean(ours))
		byLoad = append(byLoad, report.Percent(report.Mean(ours)))
		t.Row(append(each, report.Percent(report.Mean(byDefault)))...)
		s.Compare(fmt.Sprintf("mean reduction of the rate at a load of %g%%", 100*load), fmt.Sprintf("%.2f%%", 100*varlenPublished[l])).Paper(report.Percent(report.Mean(ours))).
			Defaults(report.Percent(report.Mean(byDefault))).Bytes(bytesOf(sizes[0], sizes[1])).
			Worse(min(report.Mean(ours), report.Mean(byDefault)) < varlenPublished[l], "see the lines of the single filters")
	}
	t = s.Table("mean reduction of", "published", "ours", "defaults")
	overLoads := func(of map[varlenJob]varlenOutcome, pairs []pair, i int) (sum float64) {
		for l := range varlenLoads {
			sum += meanReduction(of, pairs, i, l) / float64(len(varlenLoads))
		}
		return sum
	}
	for i, p := range pairs {
		ours := overLoads(merged, pairs, i)
		if p.published == 0 {
			t.Row(p.name, "-", report.Percent(ours), "-")
			continue
		}
		byDefault := overLoads(defaults, defaultPairs, i)
		byFilter = append(byFilter, report.Percent(ours))
		t.Row(p.name, report.Percent(p.published), report.Percent(ours), report.Percent(byDefault))
		s.Compare("mean reduction of the rate of the filter: "+p.name, fmt.Sprintf("%.2f%%", 100*p.published)).Paper(report.Percent(ours)).Defaults(report.Percent(byDefault)).
			Bytes(bytesOf(defaults[varlenJob{i, defaultPairs[i].grid[0], 0}].bytes, merged[varlenJob{i, p.grid[middle], 0}].bytes)).Worse(min(ours, byDefault) < p.published, costOfHalves)
	}
	s.Compare("largest reduction of the rate", "99.40%").Paper(fmt.Sprintf("%.2f%%", 100*largest)).Defaults(fmt.Sprintf("%.2f%%", 100*largestDefault)).
		Bytes(bytesOf(sizes[0], sizes[1])).Worse(min(largest, largestDefault) < 0.994, "see the lines of the single filters")
	s.Short("mean reduction %s at loads of 25, 50, 75, 90%% (published 88, 68, 11, 4%%); %s for cuckoo, tagged, counting, increment, tandem (published 45, 46, 25, 49, 50%%).",
		strings.Join(byLoad, ", "), strings.Join(byFilter, ", "))
}

// costOfHalves is why our defaults can be worse.
const costOfHalves = "by default only: a plain counter of 8 bits takes increments from 8 on, half a counter from 4 on, which a filter past alpha keeps"

// varlenTheorems holds the rates of theorems 5.1 and 5.2, and what the paper
// says of fingerprints and buckets, against ours of 12 bits and of k = 4.
func varlenTheorems(s *report.Section, merged map[varlenJob]varlenOutcome, size int) {
	const f, slots, k = cuckoo.DefaultFingerprintBits, cuckoo.DefaultSlots, 4
	for l, load := range varlenLoads {
		o := merged[varlenJob{0, f, 0}]
		rate, _ := o.at[1][l].best()
		// Theorem 5.1, with the Poisson distribution of its proof.
		formula, rest, p := 0.0, 1.0, math.Exp(-slots*load)
		for n := 1; n <= slots; n++ {
			rest -= p
			p *= slots * load / float64(n)
			share := p
			if n == slots {
				share = rest
			}
			formula += 2 * share * float64(n) * math.Exp2(-fingerprintLength(f, slots, n))
		}
		ours := report.Num(rate)
		s.Compare(fmt.Sprintf("rate of a cuckoo filter of variable length, 12 bits, load %g%% (theorem 5.1)", 100*load), report.Num(formula)).Paper(ours).Defaults(ours).
			Bytes(bytesOf(o.bytes, o.bytes)).Worse(rate > 1.05*formula, "the formula leaves out the keys beyond the fourth of a bucket, which a filter moves to other buckets")
	}
	for l, load := range varlenLoads {
		o := merged[varlenJob{2, k, 0}]
		rate, _ := o.at[1][l].best()
		hashes := float64(k)
		if load <= 0.5 {
			hashes = 2 * k
		}
		formula := bloomRate(k/math.Ln2, load, hashes)
		s.Compare(fmt.Sprintf("rate of a counting filter of variable length, k 4, load %g%% (theorem 5.2)", 100*load), report.Num(formula)).Paper(report.Num(rate)).
			Worse(rate > 1.05*formula, "the two halves of a counter are not independent")
	}
	for _, at := range []struct {
		load      float64
		published string
		what      string
		note      string
		of        func(share []float64) float64
		show      func(v float64) string
	}{
		{0.25, "34.36", "mean length of a fingerprint in bits, 12 bits when full, load 25%", "-", func(share []float64) float64 {
			bits, keys := 0.0, 0.0
			for n, x := range share[1:] {
				keys += x * float64(n+1)
				bits += x * float64(n+1) * fingerprintLength(f, slots, n+1)
			}
			return bits / keys
		}, report.Num},
		{0.9, "24.5%", "buckets that are not full, load 90%", "a key goes to its emptier bucket: the free slots are in more buckets, all of which hold longer fingerprints", func(share []float64) float64 { return 1 - share[slots] }, report.Percent},
	} {
		share, bytes := occupancy(size, at.load)
		ours := at.show(at.of(share))
		s.Compare(at.what, at.published).Paper(ours).Defaults(ours).Bytes(bytesOf(bytes, bytes)).Note(at.note)
	}
}

// varlenAlpha is what the paper sets alpha by: the mean of the rate over all
// loads up to the capacity, from the filters' own formula. Section V-B.
func varlenAlpha(s *report.Section, size int) {
	const k, steps = 4, 40
	alphas := []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}
	paper := func(alpha float64) cbf.Params {
		return cbf.Params{Capacity: uint64(size), Counters: uint64(math.Ceil(float64(size*k) / math.Ln2)), K: k, VariableLength: true, Alpha: alpha, Seed: seedOf(0)}
	}
	defaults := func(alpha float64) cbf.Params {
		return cbf.Params{Capacity: uint64(size), VariableLength: true, Alpha: alpha, Seed: seedOf(0)}
	}
	type outcome struct{ rate, stuck float64 }
	var best [2]string
	var bytes [2]int
	stuck := 0.0
	for i, params := range []func(float64) cbf.Params{defaults, paper} {
		all := report.Parallel(len(alphas), func(j int) (o outcome) {
			sk := report.Must(cbf.New(params(alphas[j])))
			f := countingFilter{sk}
			h := numbers(seedOf(0), 0, size)
			for step := range steps {
				f.add(h.slice(size*step/steps, size*(step+1)/steps))
				i := f.info()
				o.rate += i.FPP / steps
				o.stuck = float64(i.Stuck) / float64(i.Counters)
			}
			return o
		})
		means := report.Column(all, func(o outcome) float64 { return o.rate })
		stuck = math.Max(stuck, all[len(all)-1].stuck)
		least := slices.Index(means, slices.Min(means))
		at := slices.Index(alphas, cbf.DefaultAlpha)
		best[i] = fmt.Sprintf("%g: %s; 0.5: %s", alphas[least], report.Num2(means[least]), report.Num2(means[at]))
		sk := report.Must(cbf.New(params(cbf.DefaultAlpha)))
		bytes[i] = sk.Bytes()
	}
	s.Compare("alpha with the least mean rate over all loads, counting filter: the rate; that of alpha 0.5 (section V-B)", "0.5").Paper(best[1]).Defaults(best[0]).
		Bytes(bytesOf(bytes[0], bytes[1])).
		Note("the rate is less with every larger alpha, but not the use: with alpha 1 a full filter has " + report.Percent2(stuck) + " as many stuck halves as counters, from which nothing is removed")
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
