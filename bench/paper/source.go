package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
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

// pick are those with these indices.
func pick[I int | int32](h hashes, order []I) hashes {
	out := hashes{make([]uint64, len(order)), make([]uint64, len(order))}
	for at, i := range order {
		out.h1[at], out.h2[at] = h.h1[i], h.h2[i]
	}
	return out
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

// stream is so many draws.
func (z zipf) stream(r *rand.Rand, n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = min(sort.SearchFloat64s(z.upTo, r.Float64()), len(z.upTo)-1)
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

// timed are the seconds of a function for each piece of the keys.
func timed[P pieces[P]](h P, f func(P)) (took []float64) {
	for from := 0; from < h.len(); from += pieceLen {
		part := h.slice(from, min(from+pieceLen, h.len()))
		start := time.Now()
		f(part)
		took = append(took, time.Since(start).Seconds())
	}
	return took
}

// least has the lesser of each two, b where a has none.
func least(a, b []float64) []float64 {
	for i := range a {
		b[i] = min(a[i], b[i])
	}
	return b
}

// race times functions on the same keys, in seconds for each key. They take
// turns, each going through all keys in pieces; the time of a piece is the
// least of all rounds, so that what else the machine does is left out.
func race[P pieces[P]](h P, rounds int, fs ...func(P)) []float64 {
	took := make([][]float64, len(fs))
	for round := range rounds {
		for turn := range fs {
			i := (turn + round) % len(fs)
			took[i] = least(took[i], timed(h, fs[i]))
		}
	}
	return report.Column(took, func(t []float64) float64 { return report.Mean(t) * float64(len(t)) / float64(h.len()) })
}

// leastOf is the first of those with the least value.
func leastOf[T any](all []T, value func(T) float64) T {
	return slices.MinFunc(all, func(a, b T) int { return cmp.Compare(value(a), value(b)) })
}

// yesNo is 1 of what holds, to be added up.
func yesNo(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// shareOf is how much of something is of a kind.
func shareOf[T any](x []T, is func(T) bool) float64 {
	return float64(report.Count(x, is)) / float64(len(x))
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

// transposed are the columns of rows.
func transposed[T any](rows [][]T) [][]T {
	out := make([][]T, len(rows[0]))
	for _, row := range rows {
		for i, v := range row {
			out[i] = append(out[i], v)
		}
	}
	return out
}
