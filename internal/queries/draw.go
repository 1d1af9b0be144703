package queries

import (
	"io/fs"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"text/template"
)

// Draw is the random generator for one query, with methods that choose its parts.
type Draw struct{ *rand.Rand }

// NewDraw returns a generator. Equal seeds and equal streams give equal sequences. The stream is mostly the
// number of a query.
func NewDraw(seed, stream uint64) Draw { return Draw{rand.New(rand.NewPCG(seed, stream))} }

// One returns one of the texts with equal probability.
func (d Draw) One(texts ...string) string { return texts[d.IntN(len(texts))] }

// Chance returns true with a probability of 1/n.
func (d Draw) Chance(n int) bool { return d.IntN(n) == 0 }

// Between returns a whole number from lo to hi, both included.
func (d Draw) Between(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

// Text returns a number of Between as text.
func (d Draw) Text(lo, hi int) string { return strconv.Itoa(d.Between(lo, hi)) }

// Uneven returns a number from 1 to most, evenly distributed by its logarithm.
func (d Draw) Uneven(most int) int {
	return min(most, int(math.Exp(d.Float64()*math.Log(float64(most)+1))))
}

// Templates parses files with templates of statements. It returns a function that fills in a template with
// values, among them often a Draw. Wrong templates and values panic.
func Templates(files fs.FS, pattern string, functions template.FuncMap) func(name string, values any) string {
	all := template.Must(template.New("").Funcs(functions).ParseFS(files, pattern))
	return func(name string, values any) string {
		var b strings.Builder
		if err := all.ExecuteTemplate(&b, name, values); err != nil {
			panic(err)
		}
		return strings.TrimSpace(b.String())
	}
}
