package main

import (
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// bloomjoin joins a relation in which every key occurs once with one of many rows a key, by
// the product of their sketches. Half of the keys are in both. Section 5.3.
func bloomjoin(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 2, 10, 50)
	keys, draws := spectralSize(c)
	s.Set("keys", keys, "draws", draws, "seeds", seeds, "bloom", bloomRate(spectralK/spectralGamma, 1, spectralK))
	for _, skew := range []float64{0, 0.5, 1, 1.5} {
		for _, m := range []method{methodMS, methodMI} {
			set := settingOf(keys, draws, skew, spectralGamma, spectralK)
			s.Record(report.At{"skew": skew, "method": m.name}, report.Parallel(seeds, func(i int) report.Figures { return set.join(m, seedOf(i)) })...)
		}
	}
}

// join asks the product for the keys of the relation at the own site: "extra" is the share of
// the keys without rows at the other site that are reported, "many" that of keys below the
// threshold, the mean count, that are reported as above; "recall" and "alarms" count keys with
// the median count or the one of some key: "=" has errors on both sides. "lost" is the share of
// keys that a validating filter reports as already reported.
func (s setting) join(m method, seed uint64) report.Figures {
	n := len(s.counts)
	own := numbers(seed, 0, n)
	of := map[uint64]uint64{} // the rows of a key at the other site
	other, r := m.sketch(s.m, s.k, seed), random(seed, 31)
	order := r.Perm(n)
	for _, rank := range order { // in random order, for mi
		k := uint64(n/2 + rank)
		of[k] = s.counts[rank]
		h := numbers(seed, k, 1)
		other.AddHashes(h.h1, h.h2, s.counts[rank:rank+1])
	}
	mine := m.sketch(s.m, s.k, seed)
	mine.AddHashes(own.h1, own.h2, nil)
	product := report.Must(sbf.Product(other, mine))
	estimates := counts(product, own)
	mean := uint64(math.Ceil(float64(total(s.counts)) / float64(n)))
	wanted := s.counts[n/2] // of "="
	q := report.Figures{"sent": float64(len(other.Blob()))}
	var absent, below, equal, found, alarms float64
	for i, estimate := range estimates {
		truth := of[uint64(i)]
		report.Require(estimate >= truth, "key %d: %d rows, the product says %d", i, truth, estimate)
		absent += yesNo(truth == 0)
		q["extra"] += yesNo(truth == 0 && estimate > 0)
		below += yesNo(truth < mean)
		q["many"] += yesNo(truth < mean && estimate >= mean)
		equal += yesNo(truth == wanted)
		found += yesNo(truth == wanted && estimate == wanted)
		alarms += yesNo(truth != wanted && estimate == wanted)
	}
	q["extra"], q["many"], q["recall"], q["alarms"] = q["extra"]/absent, q["many"]/below, 1, alarms/float64(n)
	if equal > 0 {
		q["recall"] = found / equal
	}
	// The other way: a Bloom filter of the own keys goes there, and the rows that it has come back.
	filter := report.Must(bloom.New(bloom.Params{Bits: uint64(s.m), K: float64(s.k), Seed: seed}))
	filter.AddHashes(own.h1, own.h2, nil)
	q["bloomjoin"] = float64(len(filter.Blob()))
	for k, rows := range of {
		h := numbers(seed, k, 1)
		q["bloomjoin"] += 8 * float64(rows) * yesNo(filter.Contains(h.h1[0], h.h2[0]))
	}
	// A validating filter, as keys may come more than once: each is reported the first time.
	validating := report.Must(bloom.New(bloom.Params{Bits: uint64(s.m), K: float64(s.k), Seed: seed ^ 1}))
	h := numbers(seed^1, 0, n)
	for i := range n {
		q["lost"] += yesNo(validating.Contains(h.h1[i], h.h2[i])) / float64(n)
		validating.AddHashes(h.h1[i:i+1], h.h2[i:i+1], nil)
	}
	return q
}

// multiscan finds frequent keys by several small sketches, one after the other: a key goes into
// one if all before it say that it is frequent enough. Section 5.2.
func multiscan(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 2, 10, 50)
	keys, draws := report.Pick(c, 1000, 100_000, 100_000), report.Pick(c, 10_000, 1_000_000, 1_000_000)
	const scans = 4
	s.Set("keys", keys, "draws", draws, "seeds", seeds, "scans", scans)
	for _, skew := range []float64{0.8, 1, 1.2} {
		data := zipfCounts(keys, draws, skew)
		for _, part := range []int{50, 100, 200} { // counters of a scan: 2%, 1% and 0.5% of the keys
			// A threshold that the mean counter of one sketch with k = 1 is a quarter of.
			threshold := uint64(4 * draws * part / keys)
			heavy := float64(report.Count(data, func(n uint64) bool { return n >= threshold }))
			for _, k := range []int{1, 2} {
				s.Record(report.At{"skew": skew, "part": part, "k": k}, report.Parallel(seeds, func(i int) report.Figures {
					q := report.Figures{"heavy": heavy, "threshold": float64(threshold)}
					for scan, left := range scanned(data, keys/part, k, scans, threshold, seedOf(i)) {
						q[[...]string{"first", "second", "third", "last"}[scan]] = left
					}
					q["one"] = scanned(data, scans*keys/part, k, 1, threshold, seedOf(i))[0]
					return q
				})...)
			}
		}
	}
}

// scanned is how many keys are left after each scan with sketches of m counters.
func scanned(data []uint64, m, k, scans int, threshold uint64, seed uint64) (left []float64) {
	passed := slices.Repeat([]bool{true}, len(data))
	for scan := range scans {
		own := seed + uint64(scan)*0x2545f4914f6cdd1d
		sk, h := report.Must(sbf.New(sbf.Params{Counters: uint64(m), K: uint64(k), Seed: own})), numbers(own, 0, len(data))
		for i, n := range data {
			if passed[i] {
				sk.Add(h.h1[i], h.h2[i], n)
			}
		}
		n := 0.0
		for i, estimate := range counts(sk, h) {
			passed[i] = passed[i] && estimate >= threshold
			report.Require(passed[i] || data[i] < threshold, "key %d of %d is lost in scan %d", i, data[i], scan)
			n += yesNo(passed[i])
		}
		left = append(left, n)
	}
	return left
}

// bifocal estimates the size of a join from samples, with the counts of an index and with
// those of a sketch in its place. Section 5.4, after Ganguly et al. 1996.
func bifocal(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 2, 20, 200)
	keys, draws := spectralSize(c)
	s.Set("keys", keys, "draws", draws, "seeds", seeds, "gamma", spectralGamma)
	for _, skew := range [][2]float64{{0, 0}, {0.5, 0.5}, {1, 0.5}, {1, 1}, {1.5, 1}} {
		a, b := settingOf(keys, draws, skew[0], spectralGamma, spectralK), zipfCounts(keys, draws, skew[1])
		for _, m := range []method{methodMS, methodMI} {
			s.Record(report.At{"left": skew[0], "right": skew[1], "method": m.name}, report.Parallel(seeds, func(i int) report.Figures { return a.joinSize(b, m, seedOf(i)) })...)
		}
	}
}

// joinSize is the relative error of the estimate with an index, "index", and with sketches,
// "sketch", and how much larger the second is than the first, "more". Both samples have
// m2 = sqrt(N log2(N)) rows; a key is dense where it occurs N/m2 times or more.
func (s setting) joinSize(right []uint64, m method, seed uint64) report.Figures {
	r, n := random(seed, 33), len(s.counts)
	order := r.Perm(n) // the ranks of the right relation
	left, other := s.counts, make([]uint64, n)
	truth := 0.0
	for i := range n {
		other[i] = right[order[i]]
		truth += float64(left[i]) * float64(other[i])
	}
	rows := float64(total(left))
	size := int(math.Sqrt(rows * math.Log2(rows)))
	h := numbers(seed, 0, n)
	sketched := func(data []uint64) []uint64 {
		sk := m.sketch(s.m, s.k, seed)
		for _, i := range r.Perm(n) {
			sk.AddHashes(h.h1[i:i+1], h.h2[i:i+1], data[i:i+1])
		}
		return counts(sk, h)
	}
	sampled := func(data []uint64) []int {
		stream := shuffled(data, r)
		return stream[:min(size, len(stream))]
	}
	sampleA, sampleB := sampled(left), sampled(other)
	estimate := func(a, b []uint64) float64 {
		scale, dense := rows/float64(size), uint64(math.Ceil(rows/float64(size)))
		inA, inB := make([]float64, n), make([]float64, n)
		sum := 0.0
		for _, k := range sampleA {
			inA[k]++
			if a[k] < dense { // sparse by any
				sum += scale * float64(b[k])
			}
		}
		for _, k := range sampleB {
			inB[k]++
			if b[k] < dense && a[k] >= dense { // dense by sparse
				sum += scale * float64(a[k])
			}
		}
		for k, x := range inA {
			if a[k] >= dense && b[k] >= dense {
				sum += x * scale * inB[k] * scale
			}
		}
		return sum
	}
	index, sketch := estimate(left, other), estimate(sketched(left), sketched(other))
	return report.Figures{"index": math.Abs(index-truth) / truth, "sketch": math.Abs(sketch-truth) / truth, "more": sketch/index - 1}
}

// recurringUnbiased takes the minimum of a key where it recurs, and lemma 3's estimate
// elsewhere. The end of section 3.1.
func recurringUnbiased(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 3, 20, 200)
	keys, draws := spectralSize(c)
	s.Set("keys", keys, "draws", draws, "seeds", seeds)
	for _, gamma := range []float64{0.7, 2} {
		for _, skew := range []float64{0, 0.5, 1, 1.5} {
			set := settingOf(keys, draws, skew, gamma, spectralK)
			for i, of := range transposed(report.Parallel(seeds, func(seed int) []report.Figures { return set.joined(seedOf(seed)) })) {
				s.Record(report.At{"gamma": gamma, "skew": skew, "estimator": [...]string{"minimum (ms)", "unbiased", "unbiased unless the minimum recurs"}[i]}, of...)
			}
		}
	}
}

// joined are the errors of the three for one seed: the root mean square of a key, the error of
// the sum over a random half of the keys, and the share of the estimates below the truth.
func (s setting) joined(seed uint64) []report.Figures {
	f := &model{make([]int, s.m), make([][]int, len(s.counts))}
	h := numbers(seed, 0, len(s.counts))
	for i, n := range s.counts {
		for j := range s.k {
			f.positions[i] = append(f.positions[i], int((h.h1[i]+uint64(j+1)*h.h2[i])%uint64(s.m)))
		}
		f.add(i, int(n))
	}
	all := float64(total(s.counts))
	chosen, half := random(seed, 34).Perm(len(s.counts)), 0.0
	out := []report.Figures{{}, {}, {}}
	for i, n := range s.counts {
		mean := report.MeanOf(f.positions[i], func(p int) float64 { return float64(f.counters[p]) })
		k, m := float64(s.k), float64(s.m)
		unbiased := (mean - k*all/m) / (1 - k/m)
		least, both := float64(f.least(i)), unbiased
		if f.recurs(i) {
			both = least
		}
		in := yesNo(chosen[i] < len(chosen)/2)
		half += in * float64(n)
		for j, v := range []float64{least, unbiased, both} {
			d := v - float64(n)
			out[j]["additive"] += d * d / float64(len(s.counts))
			out[j]["sum"] += in * d
			out[j]["below"] += yesNo(d < -1e-6) / float64(len(s.counts))
		}
	}
	for _, q := range out {
		q["additive"], q["sum"] = math.Sqrt(q["additive"]), q["sum"]/half
	}
	return out
}
