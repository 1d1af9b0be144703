package main

import (
	"math"
	"math/rand/v2"
	"sort"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// random is the source of everything that an experiment draws: the same for
// equal numbers.
func random(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// seedOf is the i-th seed of an experiment. Seeds are large, for small ones may
// be a key's length, which is an experiment of its own (see unluckySeeds).
func seedOf(i int) uint64 { return uint64(i+1) * 0x9e3779b97f4a7c15 }

// hashes are the halves of the hashes of some keys.
type hashes struct{ h1, h2 []uint64 }

// numbers are the hashes of the n whole numbers from a first one on.
func numbers(seed, first uint64, n int) hashes {
	vs, h := make([]uint64, n), hashes{make([]uint64, n), make([]uint64, n)}
	for i := range vs {
		vs[i] = first + uint64(i)
	}
	key.HashUint64s(seed, vs, h.h1, h.h2)
	return h
}

// absent is the first of the numbers that no experiment inserts.
const absent = 1 << 40

func (h hashes) len() int { return len(h.h1) }

func (h hashes) slice(from, to int) hashes { return hashes{h.h1[from:to], h.h2[from:to]} }

// eachBlock calls f with pieces of at most 4,096 hashes.
func (h hashes) eachBlock(f func(h hashes)) {
	for from := 0; from < h.len(); from += 4096 {
		f(h.slice(from, min(from+4096, h.len())))
	}
}

// container answers for many keys.
type container interface {
	ContainsHashes(dst []bool, h1s, h2s []uint64)
}

// positives counts the keys that a filter says it may hold.
func positives(c container, h hashes) int {
	var dst [4096]bool
	hits := 0
	h.eachBlock(func(h hashes) {
		d := dst[:h.len()]
		c.ContainsHashes(d, h.h1, h.h2)
		for _, yes := range d {
			if yes {
				hits++
			}
		}
	})
	return hits
}

// falsePositives counts, of n absent keys, those that a filter says it may
// hold, without keeping all their hashes.
func falsePositives(c container, seed uint64, n int) int {
	hits := 0
	for from := 0; from < n; from += 1 << 16 {
		hits += positives(c, numbers(seed, absent+uint64(from), min(1<<16, n-from)))
	}
	return hits
}

// counter answers how often.
type counter interface {
	CountHashes(dst, h1s, h2s []uint64)
}

// counts are the estimates of keys.
func counts(c counter, h hashes) []uint64 {
	dst := make([]uint64, h.len())
	c.CountHashes(dst, h.h1, h.h2)
	return dst
}

// zipf draws ranks 0 to n-1 with probabilities in proportion to
// (rank+1)^-skew; skew 0 is uniform.
type zipf struct{ upTo []float64 }

func newZipf(n int, skew float64) zipf {
	z := zipf{make([]float64, n)}
	sum := 0.0
	for i := range z.upTo {
		sum += math.Pow(float64(i+1), -skew)
		z.upTo[i] = sum
	}
	for i := range z.upTo {
		z.upTo[i] /= sum
	}
	return z
}

func (z zipf) draw(r *rand.Rand) int {
	return min(sort.SearchFloat64s(z.upTo, r.Float64()), len(z.upTo)-1)
}

// stream is so many draws.
func (z zipf) stream(r *rand.Rand, n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = z.draw(r)
	}
	return s
}

// bloomRate is the false positive rate of m bits or counters with n keys and k
// hash functions, whole or not, that nothing ties together.
func bloomRate(m, n, k float64) float64 { return math.Pow(-math.Expm1(-n*k/m), k) }

// pieceLen is how many keys race hands over at once.
const pieceLen = 4096

// pieces are keys that can be handed over in parts.
type pieces[P any] interface {
	len() int
	slice(from, to int) P
}

// race times functions on the same keys, in seconds for each key. They take
// turns, each going through all keys in pieces; the time of a piece is the
// least of all rounds, so that what else the machine does is left out.
func race[P pieces[P]](h P, rounds int, fs ...func(P)) []float64 {
	least := make([][]float64, len(fs))
	for round := range rounds {
		for turn := range fs {
			i := (turn + round) % len(fs)
			piece := 0
			for from := 0; from < h.len(); from += pieceLen {
				part := h.slice(from, min(from+pieceLen, h.len()))
				start := time.Now()
				fs[i](part)
				took := time.Since(start).Seconds()
				if round == 0 {
					least[i] = append(least[i], took)
				}
				least[i][piece] = min(least[i][piece], took)
				piece++
			}
		}
	}
	out := make([]float64, len(fs))
	for i := range fs {
		for _, t := range least[i] {
			out[i] += t / float64(h.len())
		}
	}
	return out
}

// tally is hits of absent keys over several filters, with what was expected of
// each.
type tally struct {
	hits, asked        int
	expected, variance float64 // of the hits
}

func (t *tally) add(hits, asked int, rate float64) {
	t.hits += hits
	t.asked += asked
	t.expected += float64(asked) * rate
	t.variance += float64(asked) * rate * (1 - rate)
}

func (t *tally) merge(o tally) {
	t.hits += o.hits
	t.asked += o.asked
	t.expected += o.expected
	t.variance += o.variance
}

func (t tally) rate() float64    { return float64(t.hits) / float64(t.asked) }
func (t tally) formula() float64 { return t.expected / float64(t.asked) }
func (t tally) z() float64       { return (float64(t.hits) - t.expected) / math.Sqrt(t.variance) }

// figures are the tally's, with the distance of the rate from the formula in standard
// errors, 0 where nothing is left to chance.
func (t tally) figures() report.Figures {
	z := t.z()
	if t.variance == 0 {
		z = 0
	}
	return report.Figures{"hits": float64(t.hits), "asked": float64(t.asked), "rate": t.rate(), "formula": t.formula(), "z": z, "far": math.Abs(z)}
}

// worseError is the note of the mean errors of some runs and of the largest one,
// each beside the published, and why the mean is worse where it is.
func worseError(means []float64, most, publishedMean, publishedMost float64, why string) string {
	mean, chance := report.Mean(means), 2*report.Deviation(means)
	switch {
	case mean <= publishedMean:
		return report.Worse(most > publishedMost, "the largest, which is that of a single key")
	case mean-chance <= publishedMean:
		why = "by less than two standard deviations of a run"
	}
	return report.Worse(true, why)
}
