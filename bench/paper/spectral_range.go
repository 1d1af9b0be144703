package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// spectralRange holds sums over ranges against exact ones. Section 5.5.
func spectralRange(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 3, 20)
	draws := report.Pick(c, 2000, 50_000, 200_000)
	queries := report.Pick(c, 20, 200, 1000)
	const span = 1 << 16
	lengths := []int{16, 256, 4096, 32768}
	skews := []float64{0, 1}
	s.Text("A sketch with a range counts every key at each level of a binary tree over the range, so that a sum over a range takes about 2 log2 of its "+
		"length counts. Keys from 0 to %d, %d draws, their ranks shuffled over the range, %d seeds, %d random ranges of each length. Capacity is the number of keys that occur, half and a quarter of it; gamma is what comes of it, "+
		"counted in nodes. The error is (estimate - truth) / truth; ms and mi are never below the truth.", span-1, draws, seeds, queries)
	t := s.Table("skew", "method", "gamma", "bytes", "length 16: mean error", "256", "4096", "32768", "exact answers", "below the truth")
	var lines [2][]report.Series
	belowAny, exactLeast := 0.0, 1.0
	var nodes []float64 // of the tree for each key, over log2 of the span
	var sizes [2]float64
	for si, skew := range skews {
		z := newZipf(span, skew)
		for mi, m := range []method{methodMS, methodMI} {
			for _, part := range []int{1, 2, 4} {
				type outcome struct {
					errors       [4]float64
					exact, below float64
					gamma        float64
					nodes        float64
					bytes        int
				}
				all := report.Parallel(s, seeds, func(i int) outcome {
					var o outcome
					r := random(seedOf(i), 24)
					order := r.Perm(span)
					truth := make([]uint64, span)
					distinct := 0
					stream := z.stream(r, draws)
					for _, rank := range stream {
						if truth[order[rank]]++; truth[order[rank]] == 1 {
							distinct++
						}
					}
					p := m.params
					p.Capacity, p.Range, p.Seed = uint64(max(1, distinct/part)), sbf.Range{Lo: 0, Hi: span - 1}, seedOf(i)
					sk := report.Must(sbf.New(p))
					for _, rank := range stream {
						report.Check(sk.AddInt(int64(order[rank]), 1))
					}
					upTo := make([]uint64, span+1)
					for i, n := range truth {
						upTo[i+1] = upTo[i] + n
					}
					v := report.Must(sbf.NewView(sk.Blob()))
					o.bytes, o.gamma = v.Info().Bytes, v.Info().Load
					o.nodes = nodesOf(truth) / float64(distinct) / 16
					for li, length := range lengths {
						for range queries {
							lo := r.IntN(span - length + 1)
							got := report.Must(sk.RangeSum(int64(lo), int64(lo+length-1)))
							want := upTo[lo+length] - upTo[lo]
							if got < want {
								o.below++
							}
							if got == want {
								o.exact += 1 / float64(queries*len(lengths))
							}
							o.errors[li] += (float64(got) - float64(want)) / float64(max(1, want)) / float64(queries)
						}
					}
					return o
				})
				gamma := report.Mean(report.Column(all, func(o outcome) float64 { return o.gamma }))
				belowAny += report.Mean(report.Column(all, func(o outcome) float64 { return o.below }))
				if part == 1 {
					nodes = append(nodes, report.Mean(report.Column(all, func(o outcome) float64 { return o.nodes })))
					sizes[mi] = report.Mean(report.Column(all, func(o outcome) float64 { return float64(o.bytes) }))
					exactLeast = math.Min(exactLeast, report.Mean(report.Column(all, func(o outcome) float64 { return o.exact })))
				}
				row := []any{fmt.Sprintf("%g", skew), m.name, fmt.Sprintf("%.2f", gamma), report.Num(report.Mean(report.Column(all, func(o outcome) float64 { return float64(o.bytes) })))}
				line := report.Series{Label: fmt.Sprintf("%s, capacity / %d", m.name, part), Style: mi + 2*(part/2)}
				for li, length := range lengths {
					e := report.Column(all, func(o outcome) float64 { return o.errors[li] })
					row = append(row, report.SpreadPercent(e))
					line.X, line.Y = append(line.X, float64(length)), append(line.Y, report.Mean(e))
				}
				row = append(row, report.Percent(report.Mean(report.Column(all, func(o outcome) float64 { return o.exact }))), report.Num(report.Mean(report.Column(all, func(o outcome) float64 { return o.below }))))
				t.Row(row...)
				lines[si] = append(lines[si], line)
			}
		}
	}
	most := mostLookups(span, queries)
	bytes := bytesOf(int(sizes[0]), int(sizes[1]))
	s.Compare("lookups of a sum over log2 of its length, most (theorem 11)", "at most 2").Paper(report.Num(most)).Defaults(report.Num(most)).Bytes(bytes).
		Worse(most > 2, "an end of the range costs one more")
	s.Compare(fmt.Sprintf("nodes for a key over log2 of the span, skew %g to %g (claim 12)", skews[0], skews[len(skews)-1]), "at most 1").
		Paper(report.Num(slices.Min(nodes))+" to "+report.Num(slices.Max(nodes))).Bytes(bytes).Worse(slices.Max(nodes) > 1, "a node more than the levels")
	s.Compare("exact sums at the capacity, least (ms)", "-").Paper(report.Percent(exactLeast)).Defaults(report.Percent(exactLeast)).Bytes(bytes)
	s.Short("at the capacity at least %s of all sums are exact, with ms; %s below the truth.", report.Percent(exactLeast), none(belowAny))
	var row []report.Panel
	for si, skew := range skews {
		p := report.Panel{Title: fmt.Sprintf("skew %g", skew), X: "length of the range (keys)", Y: "mean error (share of the truth)", LogX: true, LogY: true, Series: lines[si]}
		if si == 0 {
			p.Legend = report.BottomLeft
		}
		row = append(row, p)
	}
	s.Figure("errors", "Mean error of sums over ranges, by length.", row)
}

// nodesOf counts the nodes of a binary tree above the keys that occur, the
// leaves among them and the root not.
func nodesOf(truth []uint64) (nodes float64) {
	for level := truth; len(level) > 1; {
		above := make([]uint64, len(level)/2)
		for i, n := range level {
			if n > 0 {
				nodes++
				above[i/2] = 1
			}
		}
		level = above
	}
	return nodes
}

// mostLookups is the most lookups of a sum over log2 of its length, over random
// ranges: in a sketch of a single counter every lookup answers the same. The
// sketch is a product, whose total is unknown, so that no sum is cut to it.
func mostLookups(span, queries int) (most float64) {
	sk := report.Must(sbf.New(sbf.Params{Counters: 1, K: 1, Range: sbf.Range{Lo: 0, Hi: int64(span - 1)}}))
	report.Check(sk.AddInt(0, 1))
	sk = report.Must(sbf.Product(sk, sk.Clone()))
	each := float64(sk.CountInt(0))
	r := random(0, 28)
	for range queries * 10 {
		length := 2 + r.IntN(span-2)
		lo := r.IntN(span - length + 1)
		most = math.Max(most, float64(report.Must(sk.RangeSum(int64(lo), int64(lo+length-1))))/each/math.Log2(float64(length)))
	}
	return most
}
