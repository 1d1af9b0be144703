package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// treeWay is a way to build a tree that does not take all cells at once. The tree has at most 1/share
// of the bytes of the exact sketch, for each share in shares.
type treeWay struct {
	name   string
	shares []uint64
	build  func(m *mapPoints, share uint64) *ccbf.Sketch
}

// treeWays returns ways that prune in little memory, and ways that unite parts. The fractions of
// the bytes for pruning are so small that not all cells fit between two prunings.
func treeWays() (all []treeWay) {
	for _, times := range []uint64{ccbf.HoldTree / 4, ccbf.HoldTree / 16} {
		for i, name := range []string{"pruned at %d times its bytes, points in random order", "pruned at %d times its bytes, row by row"} {
			all = append(all, treeWay{fmt.Sprintf(name, times), []uint64{8, 16}, func(m *mapPoints, share uint64) *ccbf.Sketch {
				b := m.builder(ccbf.Params{Bytes: m.bytes / share, Seed: seedOf(0)})
				b.Hold = 2 * int64(times*(m.bytes/share)) // a tree is pruned with half of its cells
				order := m.shuffled(seedOf(0), 98).order
				if i == 1 {
					slices.Sort(order)
				}
				for _, i := range order {
					report.Check(b.Add(m.places[i].Cell, nil, key.None, 1))
				}
				return report.Must(b.Sketch())
			}})
		}
	}
	for _, n := range []int{3, 12} {
		for i, name := range []string{"%d random parts united", "%d regions united"} {
			all = append(all, treeWay{fmt.Sprintf(name, n), []uint64{2, 8}, func(m *mapPoints, share uint64) *ccbf.Sketch {
				b := m.builder(ccbf.Params{Bytes: m.bytes / share, Seed: seedOf(0)})
				for _, p := range []func(int) []points{m.randomParts, m.regions}[i](n) {
					_, size := p.exact()
					report.Check(b.AddView(viewOf(p.sketched(ccbf.Params{Bytes: max(uint64(size)/share, leastBytes), Seed: seedOf(0)}))))
				}
				return report.Must(b.Sketch())
			}})
		}
	}
	return all
}

// randomParts divides the points among n parts at random.
func (p points) randomParts(n int) []points {
	parts, r := make([]points, n), random(seedOf(0), 99)
	for _, at := range p.places {
		drawn := make([]uint64, n)
		for range at.points {
			drawn[r.IntN(n)]++
		}
		for i, k := range drawn {
			if at.points = k; k > 0 {
				parts[i].res, parts[i].places = p.res, append(parts[i].places, at)
			}
		}
	}
	return parts
}

// regions divides the points into n parts with equally many cells, from south to north.
func (p points) regions(n int) (parts []points) {
	for places := range slices.Chunk(p.places, (len(p.places)+n-1)/n) {
		parts = append(parts, points{res: p.res, places: places})
	}
	return parts
}

// recordWays compares trees that were built in different ways with trees of all cells at once in
// the same bytes. A tree that was not pruned before its end is the same tree, and has no row.
func recordWays(s *report.Section, sources []*mapPoints) {
	s.Set("hold", ccbf.HoldTree)
	for _, m := range sources {
		for _, share := range []uint64{2, 8, 16} {
			if m.bytes/share < leastBytes {
				continue
			}
			whole := sketchIn(ccbf.Params{Overflow: ccbf.ToTree})(m.points, m.bytes/share)
			atOnce, ways := m.ask(whole, math.Inf(1)), slices.DeleteFunc(treeWays(), func(w treeWay) bool { return !slices.Contains(w.shares, share) })
			blobs := report.Parallel(len(ways), func(i int) []byte { return ways[i].build(m, share).Blob() })
			for i, blob := range blobs {
				if bytes.Equal(blob, whole.blob) {
					continue
				}
				off := m.ask(mapOf(blob), math.Inf(1))
				for _, kind := range append(report.Column([]int64{4, 16, 64, 256}, boundOf), ofCells) {
					if off[kind] == nil { // tests have boxes of fewer sides
						continue
					}
					f := report.Figures{"excess": report.Mean(off[kind]), "at once": report.Mean(atOnce[kind]), "size": float64(len(blob)), "of at once": float64(len(blob)) / float64(len(whole.blob))}
					f["loss"] = f["excess"] / f["at once"]
					f["log loss"] = math.Log(f["loss"])
					s.Record(report.At{"points": m.name, "part": share, "way": ways[i].name, "asked": kind}, f)
				}
			}
		}
	}
}
