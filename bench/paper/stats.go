package main

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// deviation is the standard deviation of a sample; 0 of less than two.
func deviation(x []float64) float64 {
	if len(x) < 2 {
		return 0
	}
	m, sum := mean(x), 0.0
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(x)-1))
}

// standardError is that of the mean.
func standardError(x []float64) float64 { return deviation(x) / math.Sqrt(float64(len(x))) }

func median(x []float64) float64 {
	c := slices.Sorted(slices.Values(x))
	if n := len(c); n%2 == 0 {
		return (c[n/2-1] + c[n/2]) / 2
	}
	return c[len(c)/2]
}

// wilson is the 95% score interval of a share that was seen hits times in n.
// Wilson 1927.
func wilson(hits, n int) (lo, hi float64) {
	const z = 1.959963984540054
	p, m := float64(hits)/float64(n), float64(n)
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, centre-half), min(1, centre+half)
}

// zScore is how far hits in n are from the probability p, in standard errors.
func zScore(hits, n int, p float64) float64 {
	return (float64(hits) - float64(n)*p) / math.Sqrt(float64(n)*p*(1-p))
}

// bloomRate is the false positive rate of m bits or counters with n keys and k
// hash functions, whole or not, that nothing ties together.
func bloomRate(m, n, k float64) float64 { return math.Pow(-math.Expm1(-n*k/m), k) }

// parallel calls f with 0 to n-1, on all processors, and returns the results in
// their order and the first error.
func parallel[T any](n int, f func(i int) (T, error)) ([]T, error) {
	out, errs := make([]T, n), make([]error, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				out[i], errs[i] = f(i)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// pieceLen is how many keys race hands over at once.
const pieceLen = 4096

// race times functions on the same keys, in seconds for each key. They take
// turns, each going through all keys in pieces; the time of a piece is the
// least of all rounds, so that what else the machine does is left out.
func race(h hashes, rounds int, fs ...func(hashes)) []float64 {
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

// column is one figure of each of several results.
func column[T any](x []T, f func(T) float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = f(v)
	}
	return out
}

// quantile is the value below which a share of a sample is, between two values
// in proportion.
func quantile(x []float64, share float64) float64 {
	c := slices.Sorted(slices.Values(x))
	at := share * float64(len(c)-1)
	i := int(at)
	if i+1 >= len(c) {
		return c[len(c)-1]
	}
	return c[i] + (at-float64(i))*(c[i+1]-c[i])
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

func (t *tally) rate() float64    { return float64(t.hits) / float64(t.asked) }
func (t *tally) formula() float64 { return t.expected / float64(t.asked) }
func (t *tally) z() float64       { return (float64(t.hits) - t.expected) / math.Sqrt(t.variance) }

// none says whether a share is 0.
func none(share float64) string {
	if share == 0 {
		return "none is"
	}
	return "**some are**"
}
