package load

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// draw is the random generator for one query. Equal seeds and equal numbers of queries give equal
// sequences.
type draw struct{ *rand.Rand }

func newDraw(seed, stream uint64) draw { return draw{rand.New(rand.NewPCG(seed, stream))} }

// one returns one of the options with equal probability.
func (d draw) one(options ...string) string { return options[d.IntN(len(options))] }

// chance returns true with a probability of 1/n.
func (d draw) chance(n int) bool { return d.IntN(n) == 0 }

// between returns a whole number from lo to hi, both included.
func (d draw) between(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

func (d draw) text(lo, hi int) string { return strconv.Itoa(d.between(lo, hi)) }

// fill replaces the names $name in a text by values: fill("$s > 0", "s", "s0").
func fill(text string, pairs ...string) string {
	with := make([]string, len(pairs))
	for i, p := range pairs {
		if i%2 == 0 {
			p = "$" + p
		}
		with[i] = p
	}
	return strings.NewReplacer(with...).Replace(text)
}
