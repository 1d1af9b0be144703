package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// What the CascadeCBF paper says outside its tables and figures.

// overcount is equation 2 of section 3: the total overcount of t insertions of n
// keys into m counters is said to be about k t/n (1 - e^(-kn/m)).
func overcount(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 5, 20)
	own := zipfOf(c, 0)
	s.Text("Equation 2 has k t/n (1 - e^(-kn/m)) for the total overcount of t insertions of n keys into m counters. Here: the sum of (estimate - count) over the n keys that occur, in the mean over %d seeds, of the data of "+
		"figure 3 (%d draws, k = %d) in counters of 16 bits with a second layer of a sixteenth, where a count is carried that they cannot hold. No formula for the total can leave out the number of keys, as this one does. Read as that of one key, it has the chance that one counter of a key is shared "+
		"where all k must be, and for what the others add the mean count, as if one other key were there. \"Bound\" is n k t/m: what the others add to any one counter, of which an estimate takes the least.", seeds, own.draws, paperK)
	t := s.Table("alpha", "counters", "keys n", "mode", "equation 2", "total overcount, measured", "measured / equation 2", "of one key", "of one key / equation 2", "bound of the total")
	panels := []report.Panel{}
	low, high := math.Inf(1), 0.0
	for _, own.alpha = range []float64{1, 1.5, 2} {
		p := report.Panel{Title: fmt.Sprintf("alpha %g", own.alpha), X: "counters", Y: "total overcount", LogX: true, LogY: true, Series: report.Lines("equation 2", "standard", "mi")}
		for _, counters := range []float64{1 << 13, 1 << 15, 1 << 17} {
			type totals struct{ keys, standard, mi float64 }
			all := report.Parallel(seeds, func(i int) (out totals) {
				places, points := own.draw(seedOf(i))
				for j, of := range []structure{cascadeOf("", paperK, ccbf.Standard, parts(1, 16)), cascadeOf("", paperK, ccbf.MinimalIncrement, parts(1, 16))} {
					a := of.count(places, points, 1, uint64(2*counters), seedOf(i))
					for k := range places {
						if n := places[k].points; n > 0 {
							*[]*float64{&out.standard, &out.mi}[j] += float64(a.count(&places[k]) - n)
							out.keys += 0.5
						}
					}
				}
				return out
			})
			mean := func(f func(totals) float64) float64 { return report.MeanOf(all, f) }
			n := mean(func(o totals) float64 { return o.keys })
			equation := paperK * float64(own.draws) / n * -math.Expm1(-paperK*n/counters)
			p.Series[0].At(counters, equation)
			for j, measured := range []float64{mean(func(o totals) float64 { return o.standard }), mean(func(o totals) float64 { return o.mi })} {
				mode := []string{"standard", "mi"}[j]
				t.Row(own.alpha, int(counters), n, mode, equation, measured, report.Num2(measured/equation), measured/n, report.Num2(measured/n/equation), n*paperK*float64(own.draws)/counters)
				p.Series[j+1].At(counters, measured)
				low, high = min(low, measured/equation), max(high, measured/equation)
				if own.alpha == 1 {
					s.Compare(fmt.Sprintf("total overcount, alpha 1, %.0f counters, %s (equation 2)", counters, mode), report.Num(equation)).Paper(report.Num(measured)).Defaults("0 (exact)").
						Worse(measured > equation, "the formula leaves out the number of keys, and takes what one other key adds for what all do")
				}
			}
		}
		panels = append(panels, p)
	}
	panels[0].Legend = report.BottomLeft
	s.Short("measured totals are %s to %s times what equation 2 has.", report.Num2(low), report.Num2(high))
	s.Figure("total", "Total overcount and equation 2 over the number of counters.", panels)
}

// raised are counters of any size, raised as those of a first layer without an end.
func raised(places []place, points []int32, m, k uint64, mode ccbf.Mode) []uint64 {
	counters := make([]uint64, m)
	for _, i := range points {
		h1, h2 := places[i].hash(seedOf(0))
		least := uint64(math.MaxUint64)
		for j := range k {
			least = min(least, counters[(h1+(j+1)*(h2|1))%m])
		}
		for j := range k {
			if c := &counters[(h1+(j+1)*(h2|1))%m]; mode == ccbf.Standard || *c == least {
				*c++
			}
		}
	}
	return counters
}

// layers is what sections 3 and 6 say of the layers: that 1 to 5% of the counters of
// the first one overflow, and that those of 16 and 32 bits take 2.5 bytes.
func layers(c report.Config, s *report.Section) {
	const k = 4 // section 6
	type kind struct {
		name   string
		places []place
	}
	kinds := []kind{{"like the paper's events", events()}}
	for _, alpha := range []float64{1, 1.5, 2} {
		places, _ := zipfOf(c, alpha).draw(seedOf(0))
		kinds = append(kinds, kind{fmt.Sprintf("figure 3, alpha %g", alpha), (&pile{places: places}).occupied()})
	}
	crimes, what := crimeRaster(c.Data)
	if c.Scale == report.Tiny {
		crimes = crimes[:5000]
	}
	cases, covidWhat := covidPile(c.Data)
	kinds = append(kinds, kind{"crimes", crimes}, kind{"COVID-19", cases.occupied()})
	s.Text("Counters of a first layer that overflow, by their width: those that reach 2^(b-1), a bit being the flag. Sized and used as the paper recommends (section 6): %d counters for each cell with points, k = %d. Crimes are %s on the raster of that section, "+
		"COVID-19 is %s. Our defaults have a first layer of 4 bits, for that is where a small one pays.", paperCounters, k, what, covidWhat)
	t := s.Table("points", "cells with points", "mode", "4 bits", "8 bits", "16 bits", "cells of 32,768 points and more")
	widths := []int{4, 8, 16}
	shares := make([][]float64, len(widths))
	lines := report.Lines("4 bits", "8 bits", "16 bits")
	for row, of := range kinds {
		if c.Scale == report.Tiny {
			lighten(of.places)
		}
		points := arrivals(random(seedOf(0), 96), of.places)
		hot := float64(report.Count(of.places, func(p place) bool { return p.points >= 1<<15 })) / float64(len(of.places))
		for _, mode := range []ccbf.Mode{ccbf.Standard, ccbf.MinimalIncrement} {
			counters := raised(of.places, points, uint64(paperCounters*len(of.places)), k, mode)
			cells := []any{of.name, len(of.places), mode}
			for i, w := range widths {
				over := float64(report.Count(counters, func(v uint64) bool { return v>>(w-1) > 0 })) / float64(len(counters))
				shares[i] = append(shares[i], over)
				cells = append(cells, report.Percent2(over))
				if mode == ccbf.MinimalIncrement {
					lines[i].At(float64(row+1), 100*over)
					lines[i].Only = report.Marks
				}
			}
			t.Row(append(cells, report.Percent2(hot))...)
		}
	}
	percents := func(x []float64) string {
		return report.Percent2(slices.Min(x)) + " to " + report.Percent2(slices.Max(x))
	}
	s.Compare("first-layer counters that overflow: 16 bits; ours of 4 bits (section 3)", "1 to 5%").Paper(percents(shares[2])).Defaults(percents(shares[0])).
		Note("so few counters of 16 bits overflow that most of their bits are never used")

	s.Text("Bytes of layers, on the crimes with %d counters for each cell and k = %d, mode mi. The paper has 2.5 bytes for a counter with 16 and 32 bits, and so 37.5%% less than with 32 bits alone: that is so where the second layer is an eighth of the first. "+
		"Its own is a 64th.", paperCounters, k)
	memory := s.Table("structure", "bytes", "a counter of the first layer", "less than 32 bits", "mean error")
	n := uint64(paperCounters * len(crimes))
	points := arrivals(random(seedOf(0), 97), crimes)
	base := 0.0
	saved := map[string]string{}
	for _, of := range []struct {
		name     string
		widths   []int
		counters []uint64
	}{
		{"32 bits", []int{32}, []uint64{n}}, {"16 and 32 bits, an eighth", []int{16, 32}, []uint64{n / 8 * 8, n / 8}},
		{"16 and 32 bits, a 64th", []int{16, 32}, []uint64{n / 64 * 64, n / 64}}, {"our defaults", nil, nil},
	} {
		p := ccbf.Params{Res: 1, Dense: of.widths != nil, Widths: of.widths, Counters: of.counters, Overflow: ccbf.ToCounters, Seed: seedOf(0)}
		if p.Dense {
			p.K = k
		} else {
			p.Bytes = 4 * n
		}
		j := structure{of.name, func([]place, []int32, float64, uint64, uint64) answers { return cascaded(p, crimes, points) }}.judge(crimes, points, 0, 0)
		if base == 0 {
			base = float64(j.bytes)
		}
		saved[of.name] = report.Percent(1 - float64(j.bytes)/base)
		memory.Row(of.name, j.bytes, fmt.Sprintf("%.2f", float64(j.bytes)/float64(n)), saved[of.name], report.Percent2(j.mean))
	}
	s.Compare("memory saved against counters of 32 bits: second layer an eighth; a 64th (section 6)", "37.5%").
		Paper(saved["16 and 32 bits, an eighth"] + "; " + saved["16 and 32 bits, a 64th"]).Defaults(saved["our defaults"] + " (exact)").Bytes("-")
	s.Short("%s of first-layer counters of 16 bits overflow (published: 1 to 5%%), %s of 4 bits; layers of 16 and 32 bits save %s of the bytes of 32 bits (published: 37.5%%), an exact list %s.",
		percents(shares[2]), percents(shares[0]), saved["16 and 32 bits, a 64th"], saved["our defaults"])
	s.Figure("overflow", "Counters of the first layer that overflow, in percent, mode mi, in the order of the table. 0 is not shown.", []report.Panel{{
		X: "points", Y: "counters that overflow in percent", LogY: true, Legend: report.TopRight, Series: lines,
	}})
}

// lookups is what section 5.2 says of queries: that their times are similar.
func lookups(c report.Config, s *report.Section) {
	rounds := report.Pick(c, 1, 7, 25)
	all, text := streams(c, report.Pick(c, 2000, 50_000, 1<<17))
	s.Text("Lookups of points whose cells are known, hashing included, in the structures of the section on inserts, of as many points as were inserted, %d at once, and of as many cells that have none. Points: %s. "+
		"A figure is the time over that of the textbook's Count-Min; the time of a piece of points is the least of %d rounds, in which all take turns.", pieceLen, text, rounds)
	t := s.Table("points", "structure", "cells that are there", "cells that are not")
	var rows []report.Row
	ours := map[string][]string{}
	slowest := 0.0
	for _, x := range all {
		present, absent := x.lookups(rounds)
		for i, r := range racers {
			yes, no := present[i]/present[3], absent[i]/absent[3]
			t.Row(x.name, r.name, report.Num2(yes), report.Num2(no))
			rows = append(rows, report.Row{Name: x.name + ": " + r.name, Kind: "there", At: yes, Lo: yes, Hi: yes}, report.Row{Name: x.name + ": " + r.name, Kind: "not there", At: no, Lo: no, Hi: no})
			ours[r.name] = append(ours[r.name], report.Num2(yes))
			if i == ours0+1 || i == oursExact {
				slowest = max(slowest, yes)
			}
		}
	}
	list := func(i int) string { return strings.Join(ours[racers[i].name], ", ") }
	s.Compare("time of a lookup over the textbook's Count-Min, CascadeCBF: COVID-19 in both orders, crimes, pickups (section 5.2)", "similar").Paper(list(ours0+1)).Defaults(list(oursExact)).
		Worse(slowest > 1.5, "by default an exact list is searched, cell by cell; the textbook's own CascadeCBF here "+list(1))
	s.Short("a lookup in CascadeCBF takes %s of the time of one in the textbook's Count-Min on COVID-19 points in both orders, crimes and pickups (published: similar), our defaults %s.", list(ours0+1), list(oursExact))
	s.Rows("ratio", "Time of a lookup over that of the textbook's Count-Min.", "time / textbook's Count-Min", rows)
}

// cancel is what section 4 says of sums: that errors cancel in large areas.
func cancel(c report.Config, s *report.Section) {
	boxes := report.Pick(c, 20, 200, 1000)
	cells, counts, what := crimes(c.Data, 0.01)
	places := make([]place, len(cells))
	bounds := grid.EmptyRect()
	for i, cell := range cells {
		places[i] = place{Cell: cell, points: counts[i]}
		bounds = bounds.Extend(cell)
	}
	if c.Scale == report.Tiny {
		lighten(places)
		for i := range counts {
			counts[i] = places[i].points
		}
	}
	truth := newArea(cells, counts)
	sides := []int64{1, 4, 16, 64, 256}
	s.Text("Errors that are never below 0 cannot cancel: the excess of a sum is that of its cells, added up. Measured on %s at 0.01 degrees, in CascadeCBF with the paper's k = %d and layers of 16 bits, mode mi: %d squares of each side anywhere in the box around the points, one seed. "+
		"What does fall with the side is how much the excess of a cell varies, as that of any mean does, so that the excess of a large area is known well and can be taken off (`ccbf_polygon_estimate`); and the error of a square "+
		"in parts of the truth falls only as far as more of its cells have points.", what, paperK, boxes)
	t := s.Table("counters for a cell with points", "side", "excess of a sum for each of its cells", "over that of side 1", "deviation / mean", "sums below the truth", "excess / truth, all squares")
	var lines []report.Series
	negative, asked, ratioLow, ratioHigh := 0, 0, math.Inf(1), 0.0
	size := uint64(0)
	for style, perCell := range []uint64{4, 2} {
		a := paperCascade.count(places, arrivals(random(seedOf(0), 98), places), 0.01, 2*perCell*uint64(len(cells)), seedOf(0))
		size = a.bytes
		r := random(seedOf(0), 99)
		line := report.Series{Label: fmt.Sprintf("%d counters a cell", perCell), Style: style}
		one := 0.0
		for _, side := range sides {
			var each []float64
			excess, points, low := 0.0, 0.0, 0
			n := boxes * int(max(1, 256/(side*side))) // of small ones more
			for range n {
				x, y := bounds.MinX+r.Int64N(bounds.MaxX-bounds.MinX-side+2), bounds.MinY+r.Int64N(bounds.MaxY-bounds.MinY-side+2)
				box := grid.Rect{MinX: x, MinY: y, MaxX: x + side - 1, MaxY: y + side - 1}
				want, got := truth.sum(box), report.Must(a.view.BoxSum(box, nil))
				if got < want {
					low++
				}
				each = append(each, (float64(got)-float64(want))/float64(side*side))
				excess, points = excess+float64(got)-float64(want), points+float64(want)
			}
			mean := report.Mean(each)
			if side == 1 {
				one = mean
			}
			negative, asked = negative+low, asked+n
			ratioLow, ratioHigh = min(ratioLow, mean/one), max(ratioHigh, mean/one)
			t.Row(int(perCell), side, mean, report.Num2(mean/one), report.Num2(report.Deviation(each)/mean), fmt.Sprintf("%d of %d", low, n), report.Percent2(excess/points))
			line.At(float64(side), report.Deviation(each)/mean)
		}
		lines = append(lines, line)
	}
	s.Compare("excess of a sum for each of its cells, over that of one cell, sides up to 256 (section 4)", "below 1: errors cancel in part").Paper(report.Num2(ratioLow)+" to "+report.Num2(ratioHigh)).
		Defaults("0 (exact)").Bytes("at most "+sketch.Number(size)).Worse(ratioHigh > 0.9, "one-sided errors add up")
	s.Compare("sums below the truth, without which nothing cancels", "-").Paper(fmt.Sprintf("%d of %d", negative, asked)).Defaults("0")
	s.Short("the excess of a sum for each of its cells is %s to %s times that of single cells, up to squares of 256 x 256, and %d of %d sums are below the truth: nothing cancels.", report.Num2(ratioLow), report.Num2(ratioHigh), negative, asked)
	s.Figure("deviation", "Deviation of the excess for each cell of a square, over its mean.", []report.Panel{{
		X: "side of the square in cells", Y: "deviation / mean", LogX: true, LogY: true, Legend: report.TopRight, Series: lines,
	}})
}
