package load

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// draw is where all chance comes from: a query is a function of a seed and its
// number.
type draw struct{ *rand.Rand }

func newDraw(seed, stream uint64) draw { return draw{rand.New(rand.NewPCG(seed, stream))} }

// one is one of the options, each as likely.
func (d draw) one(options ...string) string { return options[d.IntN(len(options))] }

// chance is true once in n times.
func (d draw) chance(n int) bool { return d.IntN(n) == 0 }

// between is a whole number from lo to hi, both included.
func (d draw) between(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

func (d draw) text(lo, hi int) string { return strconv.Itoa(d.between(lo, hi)) }

// fill writes values for the names $name of a text: fill("$s > 0", "s", "s0").
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
