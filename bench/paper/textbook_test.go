package main

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// TestTextbook: what is measured against ours counts as ours do. A cascade's
// counters are those of ccbf, one by one, as long as none is flagged; no answer
// of any is below the truth; and where there is room for all keys, every answer
// is the truth, beyond the first layer as well.
func TestTextbook(t *testing.T) {
	const k = paperK
	type book struct {
		add   func(hashes)
		count func(h1, h2 uint64) uint64
	}
	for _, c := range []struct {
		counters, cells, points int
		exact                   bool
	}{{1 << 12, 1000, 20_000, false}, {1 << 20, 4, 100_000, true}} {
		places := make([]place, c.cells)
		of := hashes{make([]uint64, c.cells), make([]uint64, c.cells)}
		for i := range places {
			places[i].Cell = grid.Cell{X: int64(i), Y: -2 * int64(i)}
			of.h1[i], of.h2[i] = key.HashCell(0, places[i].X, places[i].Y)
		}
		var each hashes
		var points []int32
		for _, i := range newZipf(c.cells, 1).stream(random(1, 95), c.points) {
			places[i].points++
			points = append(points, int32(i))
			each.h1, each.h2 = append(each.h1, of.h1[i]), append(each.h2, of.h2[i])
		}
		if c.exact && places[0].points < textbookFlag {
			t.Fatalf("the first cell has %d points, which do not reach the second layer", places[0].points)
		}
		standard, minimal := newTextbookCascade(c.counters), newTextbookCascade(c.counters)
		spectral, countMin := newTextbookSpectral(c.counters), newTextbookCountMin(c.counters)
		for name, b := range map[string]book{
			"cascade, standard": {standard.standard, standard.count}, "cascade, mi": {minimal.minimal, minimal.count},
			"spectral": {spectral.add, spectral.count}, "Count-Min": {countMin.add, countMin.count},
		} {
			b.add(each)
			for i, p := range places {
				if n := b.count(of.h1[i], of.h2[i]); n < p.points || c.exact && n != p.points {
					t.Errorf("%s in %d counters: %d, the truth is %d", name, c.counters, n, p.points)
				}
			}
		}
		for mode, b := range map[ccbf.Mode]*textbookCascade{ccbf.Standard: standard, ccbf.MinimalIncrement: minimal} {
			a := cascaded(ccbf.Params{Res: 1, Dense: true, K: k, Mode: mode, Widths: []int{16, 16}, Counters: []uint64{uint64(c.counters), uint64(c.counters / 16)}}, places, points)
			for i := range places {
				if n, want := b.count(of.h1[i], of.h2[i]), a.count(&places[i]); n != want {
					t.Errorf("%v in %d counters: %d, ccbf has %d", mode, c.counters, n, want)
				}
			}
		}
	}
}
