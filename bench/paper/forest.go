package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/connector"
)

// elevations are the values of the Forest Cover file in their order, as
// numbers from 0.
func elevations(folder string) (stream []int, distinct int) {
	db := report.Must(connector.Open("?threads=1"))
	defer db.Close()
	rows := report.Must(db.Query("SELECT elevation::INTEGER FROM " + sqlFile(folder, "covtype_elevation.parquet")))
	defer rows.Close()
	ids := map[int]int{}
	for rows.Next() {
		var v int
		report.Check(rows.Scan(&v))
		id, there := ids[v]
		if !there {
			id = len(ids)
			ids[v] = id
		}
		stream = append(stream, id)
	}
	report.Check(rows.Err())
	return stream, len(ids)
}

// forest is figure 7: the methods on the elevations of the Forest Cover data.
func forest(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 2, 10)
	gammas := report.Pick(c, []float64{0.7, 2}, []float64{0.25, 0.7, 2}, []float64{0.12, 0.25, 0.5, 0.7, 0.83, 1, 1.5, 2})
	methods := []method{methodMS, methodMI, methodRM, methodTRM, methodGathered}
	stream, distinct := elevations(c.Data)
	if c.Scale == report.Tiny {
		stream = stream[:5000]
	}
	data := make([]uint64, distinct)
	for _, v := range stream {
		data[v]++
	}
	s.Text("The column elevation of the Forest Cover Type data, in the order of the file: %d records, %d distinct values (the paper's: 581,012 and 1,978; the file is a part of them). k 5, %d seeds of the hashes; the streamed methods depend on the order, "+
		"so once in the order of the file, in which equal values come together, and once shuffled.", len(stream), distinct, seeds)
	names := []string{"order of the file", "random order"}
	var findings []string
	var panels [][]report.Panel
	var orders []*sweep
	for order, name := range names {
		w := sweep{title: name, axis: "gamma", values: gammas, methods: methods}
		for _, gamma := range gammas {
			set := setting{data, int(math.Ceil(float64(distinct*spectralK) / gamma)), spectralK}
			bySeed := report.Parallel(s, seeds, func(i int) []quality {
				if order == 0 {
					return set.stream(seedOf(i), stream, methods)
				}
				return set.run(seedOf(i), methods)
			})
			w.rows = append(w.rows, transposed(bySeed))
		}
		s.Text("In the %s:", strings.Replace(name, "random order", "order of a shuffle", 1))
		w.table(s)
		findings = append(findings, fmt.Sprintf("in %s mi at %d and %d, rm streamed at %d and %d, rm as `sbf_agg` builds it at %d and %d", name,
			w.notWorse(placeMI, placeMS, additive), w.notWorse(placeMI, placeMS, wrong), w.notWorse(placeRM, placeMS, additive), w.notWorse(placeRM, placeMS, wrong),
			w.notWorse(placeGathered, placeMS, additive), w.notWorse(placeGathered, placeMS, wrong)))
		orders = append(orders, &w)
		place := report.Nowhere
		if order == 0 {
			place = report.BottomRight
		}
		panels = append(panels, w.panels(place))
	}
	forestClaims(s, orders[0], orders[1])
	s.Short("of %d gammas no worse than ms (additive error and wrong answers) are %s.", len(gammas), strings.Join(findings, "; "))
	s.Text("In the order of the file rm falls far behind: when equal values come in runs, the keys that step on a counter come after the last occurrence of its owner, who is then never moved to the second filter. Built at once there is no order.")
	s.Figure("errors", fmt.Sprintf("Additive error and share of wrong answers over gamma, %d records (figure 7 of the paper).", len(stream)), panels...)
}
