package main

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// hashTable is figure 12: a Spectral Bloom Filter of k 5 beside a hash table of
// the same keys, with as many counters as the table has room.
func hashTable(c report.Config, s *report.Section) (finding string) {
	sizes := report.Pick(c, []int{1000}, []int{1000, 100_000}, []int{1000, 10_000, 100_000, 1_000_000})
	rounds := report.Pick(c, 2, 5, 9)
	asked := report.Pick(c, 1<<12, 1<<16, 1<<20)
	s.Text("**Beside a hash table** (figure 12): time of raising and of looking up a key as a multiple of that in Go's map of 64-bit keys and counts, hashing included. As many keys as the size, "+
		"k 5, 8 counters for every 7 keys, as a full map has room; mean count 10; %d operations on keys of the table in random order, the least of %d rounds. \"Index\" is the paper's string-array index, \"plain\" our default.", asked, rounds)
	t := s.Table("keys", "raise: index", "raise: plain", "look up: index", "look up: plain")
	names := []string{"raise: index", "raise: plain", "look up: index", "look up: plain"}
	lines := make([]report.Series, len(names))
	for i, name := range names {
		lines[i] = report.Series{Label: name, Style: i}
	}
	var last [4]float64
	var bytes [2]int
	for _, n := range sizes {
		r := random(0, 27)
		table := map[uint64]uint64{}
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = r.Uint64()
			table[keys[i]] = 10
		}
		some := hashes{make([]uint64, asked), make([]uint64, asked)}
		for i := range some.h1 {
			some.h1[i] = keys[r.IntN(n)]
		}
		raises := []func(hashes){func(h hashes) {
			for _, v := range h.h1 {
				table[v]++
			}
		}}
		found := uint64(0)
		lookups := []func(hashes){func(h hashes) {
			for _, v := range h.h1 {
				found += table[v]
			}
		}}
		h1, h2, tens := make([]uint64, max(n, pieceLen)), make([]uint64, max(n, pieceLen)), make([]uint64, n)
		for i := range tens {
			tens[i] = 10
		}
		for i, e := range []sbf.Encoding{sbf.Index, sbf.Plain} {
			sk := report.Must(sbf.New(sbf.Params{Counters: uint64(n * 8 / 7), K: spectralK, Encoding: e}))
			key.HashUint64s(0, keys, h1, h2)
			sk.AddHashes(h1[:n], h2[:n], tens)
			bytes[1-i] = sk.Bytes()
			dst := make([]uint64, pieceLen)
			raises = append(raises, func(h hashes) {
				key.HashUint64s(0, h.h1, h1, h2)
				sk.AddHashes(h1[:h.len()], h2[:h.len()], nil)
			})
			lookups = append(lookups, func(h hashes) {
				key.HashUint64s(0, h.h1, h1, h2)
				sk.CountHashes(dst[:h.len()], h1[:h.len()], h2[:h.len()])
			})
		}
		read := race(some, rounds, lookups...)
		raised := race(some, rounds, raises...)
		last = [4]float64{raised[1] / raised[0], raised[2] / raised[0], read[1] / read[0], read[2] / read[0]}
		row := []any{n}
		for i, v := range last {
			row = append(row, report.Num2(v))
			lines[i].X, lines[i].Y = append(lines[i].X, float64(n)), append(lines[i].Y, v)
		}
		t.Row(row...)
	}
	n := sizes[len(sizes)-1]
	s.Compare(fmt.Sprintf("time over that in a hash table, %d keys: raise; look up (figure 12)", n), "about 2; about 2").Paper(report.Num2(last[0])+"; "+report.Num2(last[2])).
		Defaults(report.Num2(last[1])+"; "+report.Num2(last[3])).Bytes(bytesOf(bytes[0], bytes[1])).
		Worse(max(last[0], last[2]) > 2*(1+timeNoise), "index only: five counters are decoded one after the other, and Go's map of today is faster than a table of chains")
	finding = fmt.Sprintf("at %d keys a lookup takes %s times as long as in a hash table with the index, %s times with plain words (published about 2)", n, report.Num2(last[2]), report.Num2(last[3]))
	s.Figure("table", "Time as a multiple of that in a hash table (figure 12 of the paper).", []report.Panel{{
		X: "keys", Y: "time / time in a hash table", LogX: true, LogY: true, Legend: report.TopRight, Series: lines,
	}})
	return finding
}
