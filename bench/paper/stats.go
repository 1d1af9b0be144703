package main

import (
	"math"
	"time"
)

// bloomRate is the false positive rate of m bits or counters with n keys and k
// hash functions, whole or not, that nothing ties together.
func bloomRate(m, n, k float64) float64 { return math.Pow(-math.Expm1(-n*k/m), k) }

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

// none says whether a share is 0.
func none(share float64) string {
	if share == 0 {
		return "none is"
	}
	return "**some are**"
}
