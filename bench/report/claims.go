package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/template"
)

// claim is a promise with the measured result. part is the measured value as a fraction of the
// promised limit, so that at most 1 keeps the promise.
type claim struct {
	what, promised string
	part, measured []float64
	beside         string   // The thing that measured is a ratio to; "": the text in what names it.
	more           bool     // True: larger measured values are better; false: smaller ones.
	reason         []string // Known reasons for a broken promise.
}

// Parts returns values as fractions of a limit.
func Parts[T ~[]float64](x T, limit float64) T {
	return Column(x, func(v float64) float64 { return v / limit })
}

// inverse returns 1 / x for each x.
func inverse(x []float64) []float64 { return Column(x, func(v float64) float64 { return 1 / v }) }

// atMost returns the claim that a ratio is at most limit, atLeast that it is at least limit.
func atMost(what string, limit float64, measured []float64, reason ...string) claim {
	return claim{what: what, promised: "at most " + Num(limit), part: Parts(measured, limit), measured: measured, reason: reason}
}

func atLeast(what string, limit float64, measured []float64, reason ...string) claim {
	return claim{what: what, promised: "at least " + Num(limit), part: inverse(Parts(measured, limit)), measured: measured, more: true, reason: reason}
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

// promise returns the line of a claim in a table. It also keeps the claim's figures for a
// comparison with later runs. As ratios they do not depend on the machine.
func (s *Section) promise(c claim) string {
	measured, part := Rounds(c.measured), Rounds(c.part)
	if c.beside != "" {
		measured += " of " + c.beside
	}
	if Median(c.part) > 1 {
		part = strings.Join(append([]string{"short: " + part}, c.reason...), ", as ")
	}
	kept := c.measured // ratios for which smaller is better, as Keep needs them
	if c.more {
		kept = inverse(kept)
	}
	what, _, _ := strings.Cut(c.what, ", slowest: ") // the slowest case changes from run to run
	s.Keep(what, kept)
	return "| " + strings.Join([]string{c.what, c.promised, measured, part}, " | ") + " |"
}

// promising returns the functions of a text that state promises.
func (s *Section) promising() template.FuncMap {
	return template.FuncMap{
		"atMost": atMost, "atLeast": atLeast, "within": within, "rate": rate, "worst": worst, "promise": s.promise,
		"append": func(list []any, value any) []any { return append(list, value) },
		// keep stores a figure that has no promise, for a comparison with later runs.
		"keep": func(what string, rounds []float64) string { s.Keep(what, rounds); return "" },
	}
}
