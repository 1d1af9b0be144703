package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/template"
)

// claim is a promise and what became of it: the part is what was measured as a part of what
// was promised, so that at most 1 keeps it.
type claim struct {
	what, promised string
	part, measured []float64
	beside         string   // what measured is a part of, where what does not say it
	more           bool     // of what was measured more is better
	reason         []string // for falling short, as far as it is known
}

// Parts are values as parts of a limit.
func Parts[T ~[]float64](x T, limit float64) T {
	return Column(x, func(v float64) float64 { return v / limit })
}

// inverse is 1 / x.
func inverse(x []float64) []float64 { return Column(x, func(v float64) float64 { return 1 / v }) }

// atMost is the claim that a ratio is so large at most, atLeast that it is at least.
func atMost(what string, limit float64, measured []float64, reason ...string) claim {
	return claim{what: what, promised: "at most " + Num(limit), part: Parts(measured, limit), measured: measured, reason: reason}
}

func atLeast(what string, limit float64, measured []float64, reason ...string) claim {
	return claim{what: what, promised: "at least " + Num(limit), part: inverse(Parts(measured, limit)), measured: measured, more: true, reason: reason}
}

// within is the claim that something "took" so many milliseconds at most. The page has how long
// it takes beside something else.
func within(what string, milliseconds float64, beside string, d *Data, reason ...string) claim {
	return claim{what: what, promised: fmt.Sprintf("at most %v ms", milliseconds), part: Parts(d.All("took"), milliseconds/1000), measured: d.All("ratio"),
		beside: beside, reason: reason}
}

// rate is the claim that n things "took" as long as at so many a second, or less.
func rate(what, promised string, n, perSecond float64, beside string, d *Data) claim {
	return claim{what: what, promised: promised, part: Parts(d.All("took"), n/perSecond), measured: d.All("ratio"), beside: beside}
}

// worst is the claim that comes off worst.
func worst(claims []any) any {
	return slices.MaxFunc(claims, func(a, b any) int { return cmp.Compare(Median(a.(claim).part), Median(b.(claim).part)) })
}

// promise is the line of a claim in the page's list, whose figures are held against those of
// earlier runs: that does not depend on the machine as times do.
func (s *Section) promise(c claim) string {
	measured, part := Rounds(c.measured), Rounds(c.part)
	if c.beside != "" {
		measured += " of " + c.beside
	}
	if Median(c.part) > 1 {
		part = strings.Join(append([]string{"short: " + part}, c.reason...), ", as ")
	}
	kept := c.measured // so that less is better
	if c.more {
		kept = inverse(kept)
	}
	what, _, _ := strings.Cut(c.what, ", slowest: ") // which one that is changes from run to run
	s.Keep(what, kept)
	return "| " + strings.Join([]string{c.what, c.promised, measured, part}, " | ") + " |"
}

// promising are the functions of a text that say what was promised.
func (s *Section) promising() template.FuncMap {
	return template.FuncMap{
		"atMost": atMost, "atLeast": atLeast, "within": within, "rate": rate, "worst": worst, "promise": s.promise,
		"append": func(list []any, value any) []any { return append(list, value) },
		// A figure that nothing was promised of, to be held against earlier runs.
		"keep": func(what string, rounds []float64) string { s.Keep(what, rounds); return "" },
	}
}
