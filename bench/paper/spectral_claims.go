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
// ms, as text: additive error, wrong answers, and of how many.
func notWorseIn(results []*sweep, method int) (text string, all bool) {
	add, ratio, n := 0, 0, 0
	for _, w := range results {
		add += w.notWorse(method, placeMS, additive)
		ratio += w.notWorse(method, placeMS, wrong)
		n += len(w.values)
	}
	return fmt.Sprintf("%d; %d of %d", add, ratio, n), add == n && ratio == n
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
	text, all := notWorseIn(results, placeMI)
	s.Compare("points at which mi is at least as good as ms: additive; wrong (figures 6, 8)", "all").Paper(text).Bytes(bytes).Worse(!all, "see the tables")
	text, all = notWorseIn(results, placeRM)
	gathered, _ := notWorseIn(results, placeGathered)
	s.Compare("points at which rm is at least as good as ms: additive; wrong (figures 6, 8)", "all").Paper(text).Defaults(gathered).Bytes(bytesRM).Worse(!all, whyOverfull)
	least, most, sum := math.Inf(1), 0.0, 0.0
	for i := range bySkew.values {
		r := bySkew.at(i, placeMS, wrong) / bySkew.at(i, placeMI, wrong)
		least, most, sum = math.Min(least, r), math.Max(most, r), sum+r/float64(len(bySkew.values))
	}
	s.Compare("wrong answers of ms over those of mi, gamma 0.7, mean over the skews (section 3.4)", "about 5").
		Paper(fmt.Sprintf("%s (%s to %s)", report.Num2(sum), report.Num2(least), report.Num2(most))).Bytes(bytes).
		Worse(sum < 5, "where counts are even, a key all of whose counters are shared is off by little, but wrong; about 5 at the largest skew alone")
	s.Compare("additive error of ms over that of mi, even counts (claim 5: k)", "5").Paper(report.Num2(bySkew.at(0, placeMS, additive) / bySkew.at(0, placeMI, additive))).
		Bytes(bytes)
	text, all = notWorseIn([]*sweep{byTotal}, placeMI)
	s.Compare("the same of mi with fewer and more occurrences (section 6.1)", "consistent").Paper(text).Bytes(bytes).Worse(!all, "see the table")
	range2 := func(method int) string {
		least, most := math.Inf(1), 0.0
		for i := range bySkew.values {
			least, most = math.Min(least, bySkew.at(i, method, additive)), math.Max(most, bySkew.at(i, method, additive))
		}
		return report.Num(least) + " to " + report.Num(most)
	}
	s.Compare("additive error of mi over all skews (figure 8a)", "very stable").Paper(range2(placeMI)).Defaults(range2(placeMS)).Bytes(bytes)
	over := func(w *sweep, value, a, b int, measure func(quality) float64) string {
		return ratioText(w.at(value, a, measure), w.at(value, b, measure))
	}
	middle := 0 // gamma 0.7
	for i, v := range byGamma.values {
		if math.Abs(v-spectralGamma) < math.Abs(byGamma.values[middle]-spectralGamma) {
			middle = i
		}
	}
	s.Compare(fmt.Sprintf("wrong answers of rm over those of mi, gamma %g (figure 6b)", byGamma.values[middle]), "nearly 1").Paper(over(byGamma, middle, placeRM, placeMI, wrong)).
		Defaults(over(byGamma, middle, placeGathered, placeMI, wrong)).Bytes(bytesRM).Worse(byGamma.at(middle, placeRM, wrong) > byGamma.at(middle, placeMI, wrong), whyLate)
	low, high := math.Inf(1), 0.0
	for i := range byGamma.values {
		if mi := byGamma.at(i, placeMI, wrong); mi > 0 {
			ratio := byGamma.at(i, placeRM, wrong) / mi
			low, high = math.Min(low, ratio), math.Max(high, ratio)
		}
	}
	s.Compare("the same over all gammas at which mi has an error", "nearly 1").Paper(report.Num2(low)+" to "+report.Num2(high)).Bytes(bytesRM).Worse(high > 1, whyLate)
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
	at := 0
	for i, v := range file.values {
		if math.Abs(v-spectralGamma) < math.Abs(file.values[at]-spectralGamma) {
			at = i
		}
	}
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
		one := []*sweep{w.sweep}
		text, all := notWorseIn(one, placeMI)
		s.Compare("gammas at which mi is at least as good as ms, "+w.order+": additive; wrong", "all").Paper(text).Bytes(bytesOf(w.size(at, placeMS), w.size(at, placeMI))).
			Worse(!all, "see the table")
		text, all = notWorseIn(one, placeRM)
		gathered, _ := notWorseIn(one, placeGathered)
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
	low, high, worstRatio, bestRatio := 1.0, 0.0, math.Inf(1), 0.0
	for i := range deletions.values {
		share := deletions.at(i, raw, below) / deletions.at(i, raw, wrong)
		low, high = math.Min(low, share), math.Max(high, share)
		if rm := window.at(i, 1, additive); rm > 0 {
			ratio := window.at(i, raw, additive) / rm
			worstRatio, bestRatio = math.Min(worstRatio, ratio), math.Max(bestRatio, ratio)
		}
	}
	s.Compare("errors of mi with deletions that are below the truth (figure 8)", "almost all").Paper(report.Percent(low) + " to " + report.Percent(high)).
		Defaults(fmt.Sprintf("refused: %q", refusal)).Bytes(bytes)
	s.Compare("additive error of mi over that of rm in a window (section 3.4)", "10 to 100").Paper(report.Num2(worstRatio) + " to " + report.Num2(bestRatio)).Defaults("refused").
		Bytes(bytes)
	low, high = math.Inf(1), 0
	for i := range window.values {
		if ms := window.at(i, placeMS, additive); ms > 0 {
			ratio := window.at(i, raw, additive) / ms
			low, high = math.Min(low, ratio), math.Max(high, ratio)
		}
	}
	s.Compare("additive error of mi over that of ms in a window (figure 9)", "much larger").Paper(report.Num2(low) + " to " + report.Num2(high)).Defaults("refused").Bytes(bytes)
	for i, w := range both {
		text, all := notWorseIn([]*sweep{w}, 1)
		s.Compare([]string{"skews at which rm is at least as good as ms with deletions: additive; wrong (figure 8)", "the same in a window (figure 9)"}[i], "all").Paper(text).
			Bytes(bytes).Worse(!all, whyRM)
	}
	middle := len(none.values) / 2
	s.Compare(fmt.Sprintf("additive error, skew %g: without removals; with deletions; in a window", none.values[middle]), "-").
		Paper(fmt.Sprintf("rm %s; %s; %s", report.Num(none.at(middle, 1, additive)), report.Num(deletions.at(middle, 1, additive)), report.Num(window.at(middle, 1, additive)))).
		Defaults(fmt.Sprintf("ms %s; %s; %s", report.Num(none.at(middle, placeMS, additive)), report.Num(deletions.at(middle, placeMS, additive)), report.Num(window.at(middle, placeMS, additive)))).
		Bytes(bytes)
}
