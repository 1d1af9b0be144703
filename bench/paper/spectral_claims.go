package main

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// The methods of the sweeps by their places.
const (
	placeMS = iota
	placeMI
	placeRM
	placeTRM
	placeGathered
)

// at is the mean of a measure over the seeds, for a value and a method.
func (w *sweep) at(value, method int, measure func(quality) float64) float64 {
	return report.Mean(report.Column(w.rows[value][method], measure))
}

// size is that of a method's BLOBs in the mean, for a value.
func (w *sweep) size(value, method int) int {
	return int(w.at(value, method, func(q quality) float64 { return q.bytes }))
}

// notWorse counts the values at which a method's mean error is at most that of
// another.
func (w *sweep) notWorse(a, b int, measure func(quality) float64) (n int) {
	for i := range w.values {
		if w.at(i, a, measure) <= w.at(i, b, measure) {
			n++
		}
	}
	return n
}

// notWorseIn is at how many values of several sweeps a method is not worse than
// another: additive error, wrong answers, and of how many.
func notWorseIn(results []*sweep, a, b int) (add, ratio, n int) {
	for _, w := range results {
		add += w.notWorse(a, b, additive)
		ratio += w.notWorse(a, b, wrong)
		n += len(w.values)
	}
	return add, ratio, n
}

// asGood is at how many a method is not worse than ms, as text.
func asGood(method int, results ...*sweep) (text string, all bool) {
	add, ratio, n := notWorseIn(results, method, placeMS)
	return fmt.Sprintf("%d; %d of %d", add, ratio, n), add == n && ratio == n
}

// span is from where to where a figure goes over the values of a sweep.
func (w *sweep) span(show func(float64) string, figure func(i int) float64) (text string, most float64) {
	least := math.Inf(1)
	for i := range w.values {
		if v := figure(i); !math.IsNaN(v) {
			least, most = min(least, v), max(most, v)
		}
	}
	return show(least) + " to " + show(most), most
}

// nearest is the value that is nearest to the default gamma.
func (w *sweep) nearest() (at int) {
	for i, v := range w.values {
		if math.Abs(v-spectralGamma) < math.Abs(w.values[at]-spectralGamma) {
			at = i
		}
	}
	return at
}

const (
	// whyRM is why recurring minimum is worse than published.
	whyRM = "a third of the memory goes to the second filter, and in a stream a key moves there late"
	// whyOverfull is what of it is left to the sketches that sbf_agg builds.
	whyOverfull = whyRM + "; as sbf_agg builds it, only overfull filters are worse"
	// whyLate is the same of wrong answers alone.
	whyLate = "streamed only: a key that moves late keeps an error of a few occurrences, which is a wrong answer"
)

// methodClaims puts what the paper says of figures 6 and 8 beside ours: the
// sweeps over skew, gamma, k and occurrences. Our defaults are method ms or, of rm, a sketch
// as sbf_agg builds it.
func methodClaims(s *report.Section, bySkew, byGamma, byK, byTotal *sweep) {
	results := []*sweep{bySkew, byGamma, byK, byTotal}
	last := len(byK.values) - 1 // skew 0.5, gamma 0.7, k 5
	bytes := bytesOf(byK.size(last, placeMS), byK.size(last, placeMI))
	bytesRM := bytesOf(byK.size(last, placeGathered), byK.size(last, placeRM))
	three := func(show func(float64) string, measure func(quality) float64) string {
		return fmt.Sprintf("ms %s, mi %s, rm %s", show(byK.at(last, placeMS, measure)), show(byK.at(last, placeMI, measure)), show(byK.at(last, placeRM, measure)))
	}
	s.Compare("additive error, skew 0.5, gamma 0.7, k 5", "-").Paper(three(report.Num, additive)).Defaults(report.Num(byK.at(last, placeMS, additive))).Bytes(bytes).
		Note("our default is ms: keys can be removed, and parts united exactly")
	s.Compare("wrong answers, skew 0.5, gamma 0.7, k 5", "3.2% of ms (table 1)").Paper(three(report.Percent2, wrong)).Defaults(report.Percent2(byK.at(last, placeMS, wrong))).
		Bytes(bytes)
	text, all := asGood(placeMI, results...)
	s.Compare("points at which mi is at least as good as ms: additive; wrong (figures 6, 8)", "all").Paper(text).Bytes(bytes).Worse(!all, "see the tables")
	text, all = asGood(placeRM, results...)
	gathered, _ := asGood(placeGathered, results...)
	s.Compare("points at which rm is at least as good as ms: additive; wrong (figures 6, 8)", "all").Paper(text).Defaults(gathered).Bytes(bytesRM).Worse(!all, whyOverfull)
	sum := 0.0
	msOverMI, _ := bySkew.span(report.Num2, func(i int) float64 {
		r := bySkew.at(i, placeMS, wrong) / bySkew.at(i, placeMI, wrong)
		sum += r / float64(len(bySkew.values))
		return r
	})
	s.Compare("wrong answers of ms over those of mi, gamma 0.7, mean over the skews (section 3.4)", "about 5").
		Paper(report.Num2(sum)+" ("+msOverMI+")").Bytes(bytes).
		Worse(sum < 5, "where counts are even, a key all of whose counters are shared is off by little, but wrong; about 5 at the largest skew alone")
	s.Compare("additive error of ms over that of mi, even counts (claim 5: k)", "5").Paper(report.Num2(bySkew.at(0, placeMS, additive) / bySkew.at(0, placeMI, additive))).
		Bytes(bytes)
	text, all = asGood(placeMI, byTotal)
	s.Compare("the same of mi with fewer and more occurrences (section 6.1)", "consistent").Paper(text).Bytes(bytes).Worse(!all, "see the table")
	span := func(method int) string {
		text, _ := bySkew.span(report.Num, func(i int) float64 { return bySkew.at(i, method, additive) })
		return text
	}
	s.Compare("additive error of mi over all skews (figure 8a)", "very stable").Paper(span(placeMI)).Defaults(span(placeMS)).Bytes(bytes)
	over := func(w *sweep, value, a, b int, measure func(quality) float64) string {
		return ratioText(w.at(value, a, measure), w.at(value, b, measure))
	}
	middle := byGamma.nearest()
	s.Compare(fmt.Sprintf("wrong answers of rm over those of mi, gamma %g (figure 6b)", byGamma.values[middle]), "nearly 1").Paper(over(byGamma, middle, placeRM, placeMI, wrong)).
		Defaults(over(byGamma, middle, placeGathered, placeMI, wrong)).Bytes(bytesRM).Worse(byGamma.at(middle, placeRM, wrong) > byGamma.at(middle, placeMI, wrong), whyLate)
	spanned, high := byGamma.span(report.Num2, func(i int) float64 { return ratioOr(byGamma.at(i, placeRM, wrong), byGamma.at(i, placeMI, wrong)) })
	s.Compare("the same over all gammas at which mi has an error", "nearly 1").Paper(spanned).Bytes(bytesRM).Worse(high > 1, whyLate)
	s.Compare("additive error over that of ms with k = 1: mi; rm (figure 6c)", "1; 1").
		Paper(over(byK, 0, placeMI, placeMS, additive) + "; " + over(byK, 0, placeRM, placeMS, additive)).Defaults("-; " + over(byK, 0, placeGathered, placeMS, additive)).
		Bytes(bytesRM)
	s.Compare("least k from which rm is better than ms: additive; wrong (figure 6c)", "3; 3").Paper(byK.leastFrom(placeRM, additive)+"; "+byK.leastFrom(placeRM, wrong)).
		Defaults(byK.leastFrom(placeGathered, additive)+"; "+byK.leastFrom(placeGathered, wrong)).Bytes(bytesRM).Worse(byK.leastFrom(placeRM, wrong) == "none", whyLate)
}

// leastFrom is the least value from which on a method's error is below that of
// ms.
func (w *sweep) leastFrom(method int, measure func(quality) float64) string {
	from := "none"
	for i := len(w.values) - 1; i >= 0 && w.at(i, method, measure) < w.at(i, placeMS, measure); i-- {
		from = report.Num(w.values[i])
	}
	return from
}

// forestClaims puts what the paper says of figure 7 beside ours: the sweeps in
// the order of the file and in a random one.
func forestClaims(s *report.Section, file, random *sweep) {
	at := file.nearest()
	for _, m := range []struct {
		name    string
		measure func(quality) float64
		show    func(float64) string
	}{{"additive error", additive, report.Num}, {"wrong answers", wrong, report.Percent2}} {
		s.Compare(fmt.Sprintf("%s, gamma %g, order of the file (figure 7)", m.name, file.values[at]), "-").
			Paper(fmt.Sprintf("ms %s, mi %s, rm %s", m.show(file.at(at, placeMS, m.measure)), m.show(file.at(at, placeMI, m.measure)), m.show(file.at(at, placeRM, m.measure)))).
			Defaults(m.show(file.at(at, placeMS, m.measure))).Bytes(bytesOf(file.size(at, placeMS), file.size(at, placeMI))).Note("our default is ms")
	}
	s.Compare(fmt.Sprintf("rm over mi, gamma %g, order of the file; random order: additive error (figure 7)", file.values[at]), "slightly above 1").
		Paper(ratioText(file.at(at, placeRM, additive), file.at(at, placeMI, additive))+"; "+ratioText(random.at(at, placeRM, additive), random.at(at, placeMI, additive))).
		Defaults(ratioText(file.at(at, placeGathered, additive), file.at(at, placeMI, additive))+" (as sbf_agg builds it)").
		Bytes(bytesOf(file.size(at, placeGathered), file.size(at, placeMI))).
		Worse(file.at(at, placeRM, additive) > file.at(at, placeMI, additive), "in the order of the file equal values come together, and the keys that step on a counter come after its owner's last occurrence")
	for _, w := range []struct {
		order string
		*sweep
	}{{"order of the file", file}, {"random order", random}} {
		text, all := asGood(placeMI, w.sweep)
		s.Compare("gammas at which mi is at least as good as ms, "+w.order+": additive; wrong", "all").Paper(text).Bytes(bytesOf(w.size(at, placeMS), w.size(at, placeMI))).
			Worse(!all, "see the table")
		text, all = asGood(placeRM, w.sweep)
		gathered, _ := asGood(placeGathered, w.sweep)
		s.Compare("gammas at which rm is at least as good as ms, "+w.order+": additive; wrong", "all").Paper(text).Defaults(gathered).
			Bytes(bytesOf(w.size(at, placeGathered), w.size(at, placeRM))).Worse(!all, whyOverfull)
	}
}

// changeClaims puts what the paper says of figures 8 and 9 beside ours. The
// sweeps are over skew: without removals, with deletions, in a window, of the
// methods ms, rm, rm without marker, trm, and mi as it must not be used.
func changeClaims(s *report.Section, none, deletions, window *sweep, refusal error) {
	const raw = 4
	bytes := bytesOf(none.size(0, placeMS), none.size(0, 1))
	both := []*sweep{deletions, window}
	most := func(method int) (share float64) {
		for _, w := range both {
			for i := range w.values {
				share = math.Max(share, w.at(i, method, below))
			}
		}
		return share
	}
	s.Compare("keys below the truth after removals, most: ms; rm (figure 8)", "0; 0").Paper(report.Percent2(most(placeMS))+"; "+report.Percent2(most(1))).
		Defaults(report.Percent2(most(placeMS))).Bytes(bytes).Worse(most(1) > 0, "rm alone: the removal of a key that only seems to be in the second filter takes from others there")
	mistakes, _ := deletions.span(report.Percent, func(i int) float64 { return deletions.at(i, raw, below) / deletions.at(i, raw, wrong) })
	s.Compare("errors of mi with deletions that are below the truth (figure 8)", "almost all").Paper(mistakes).Defaults(fmt.Sprintf("refused: %q", refusal)).Bytes(bytes)
	over := func(method int) string {
		text, _ := window.span(report.Num2, func(i int) float64 { return ratioOr(window.at(i, raw, additive), window.at(i, method, additive)) })
		return text
	}
	s.Compare("additive error of mi over that of rm in a window (section 3.4)", "10 to 100").Paper(over(1)).Defaults("refused").Bytes(bytes)
	s.Compare("additive error of mi over that of ms in a window (figure 9)", "much larger").Paper(over(placeMS)).Defaults("refused").Bytes(bytes)
	for i, w := range both {
		text, all := asGood(1, w)
		s.Compare([]string{"skews at which rm is at least as good as ms with deletions: additive; wrong (figure 8)", "the same in a window (figure 9)"}[i], "all").Paper(text).
			Bytes(bytes).Worse(!all, whyRM)
	}
	middle := len(none.values) / 2
	s.Compare(fmt.Sprintf("additive error, skew %g: without removals; with deletions; in a window", none.values[middle]), "-").
		Paper(fmt.Sprintf("rm %s; %s; %s", report.Num(none.at(middle, 1, additive)), report.Num(deletions.at(middle, 1, additive)), report.Num(window.at(middle, 1, additive)))).
		Defaults(fmt.Sprintf("ms %s; %s; %s", report.Num(none.at(middle, placeMS, additive)), report.Num(deletions.at(middle, placeMS, additive)), report.Num(window.at(middle, placeMS, additive)))).
		Bytes(bytes)
}
