package report

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// claim is a promise with the measured result. part is the measured value as a fraction of the
// promised limit, so that at most 1 keeps the promise.
type claim struct {
	what, promised string
	part, measured []float64
	beside         string   // The thing that measured is a ratio to; "": the text in what names it.
	reason         []string // Known reasons for a broken promise.
}

// Parts returns values as fractions of a limit.
func Parts(x []float64, limit float64) []float64 {
	return Column(x, func(v float64) float64 { return v / limit })
}

// atMost returns the claim that a ratio is at most limit, atLeast that it is at least limit.
func atMost(what string, limit float64, measured []float64, reason ...string) claim {
	return claim{what: what, promised: "at most " + Num(limit), part: Parts(measured, limit), measured: measured, reason: reason}
}

func atLeast(what string, limit float64, measured []float64, reason ...string) claim {
	part := Column(measured, func(v float64) float64 { return limit / v })
	return claim{what: what, promised: "at least " + Num(limit), part: part, measured: measured, reason: reason}
}

// within returns the claim that the figure "took" is at most a number of milliseconds. The page
// shows the time relative to something else.
func within(what string, milliseconds float64, beside string, d *Data, reason ...string) claim {
	return claim{what: what, promised: fmt.Sprintf("at most %v ms", milliseconds), part: Parts(d.All("took"), milliseconds/1000), measured: d.All("ratio"),
		beside: beside, reason: reason}
}

// rate returns the claim that n operations, whose time is the figure "took", run at perSecond or
// faster.
func rate(what, promised string, n, perSecond float64, beside string, d *Data) claim {
	return claim{what: what, promised: promised, part: Parts(d.All("took"), n/perSecond), measured: d.All("ratio"), beside: beside}
}

// worst returns the claim with the largest part.
func worst(claims []any) any {
	return slices.MaxFunc(claims, func(a, b any) int { return cmp.Compare(Median(a.(claim).part), Median(b.(claim).part)) })
}

// promise returns the line of a claim in a table. As ratios, its figures do not depend on the
// machine.
func promise(c claim) string {
	measured, part := Rounds(c.measured), Rounds(c.part)
	if c.beside != "" {
		measured += " of " + c.beside
	}
	if Median(c.part) > 1 {
		part = strings.Join(append([]string{"short: " + part}, c.reason...), ", as ")
	}
	return line([]string{c.what, c.promised, measured, part})
}

// rounded matches what Rounds returns.
var rounded = regexp.MustCompile(`^([0-9.e+-]+)(?: \(([0-9.e+-]+) to ([0-9.e+-]+)\))?`)

// measured returns the median, the least and the largest value of each promised figure of a section,
// inverted if larger values are better. The slowest case changes from run to run, and is no part of
// the name.
func (p *Program) measured(section string) map[string][3]float64 {
	figures := map[string][3]float64{}
	for _, c := range p.claimsOf(section) {
		name, _, _ := strings.Cut(c[0], ", slowest: ")
		var f [3]float64
		for i, text := range rounded.FindStringSubmatch(c[slices.Index(p.Claims, Measured)])[1:] {
			f[i] = f[0]
			if text != "" {
				f[i] = Must(strconv.ParseFloat(text, 64))
			}
		}
		if strings.HasPrefix(c[slices.Index(p.Claims, Promised)], "at least ") {
			f = [3]float64{1 / f[0], 1 / f[2], 1 / f[1]}
		}
		figures[name] = f
	}
	return figures
}

// between is the relative difference of medians between runs that is normal, although rounds of one
// run are closer together. On a machine with eight times as many tasks as processors it was up to
// 27%. Work that is done twice is far above it.
const between = 0.3

// slower returns the promised figures that are clearly above the stored ones. The difference exceeds the
// spread of both, and the usual difference between two runs.
func (p *Program) slower(stored, now string) (slower []string) {
	if !slices.Contains(p.Claims, Promised) {
		return nil
	}
	earlier, later := p.measured(stored), p.measured(now)
	for _, name := range slices.Sorted(maps.Keys(later)) {
		is, was := later[name], earlier[name]
		if was[0] > 0 && is[0] > max(was[2], (1+between)*was[0]) && is[1] > was[0] {
			slower = append(slower, fmt.Sprintf("%s: %v, stored %v", name, Rounds(is[:]), Rounds(was[:])))
		}
	}
	return slower
}
