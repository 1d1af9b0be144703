package ccbf

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// TestWrongBounds: a head may state other bounds than those of the cells or leaves, which only a
// full check detects. Every query then returns an answer or an error, and none panics.
func TestWrongBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(151, 0))
	for _, form := range []Params{{}, {Bytes: 500, Overflow: ToTree}, {Dense: true, Bytes: 4096}, {Dense: true, Bytes: 4096, Levels: 4}} {
		blob := blobOf(t, builderOf(t, config(t, form), hot(r, 4000, 3000)))
		for range 300 {
			x, y := r.Int64N(400)-200, r.Int64N(400)-200
			wrong := grid.Rect{MinX: x, MinY: y, MaxX: x + r.Int64N(200), MaxY: y + r.Int64N(200)}
			v := reset(t, edited(t, blob, within(wrong)))
			area := orb.Bound{Min: orb.Point{float64(r.Int64N(200) - 100), float64(r.Int64N(200) - 100)}}
			area.Max = orb.Point{area.Min[0] + float64(1+r.Int64N(100)), area.Min[1] + float64(1+r.Int64N(100))}
			box := must(v.Grid.Box(area.Min[0], area.Min[1], area.Max[0], area.Max[1]))
			outline := NewPolygon(orb.MultiPolygon{area.ToPolygon()})
			for what, ask := range map[string]func(){
				"count":            func() { v.Count(grid.Cell{X: x, Y: y}, nil) },
				"box":              func() { _, _ = v.Sum(Box(box), Categories{}) },
				"box estimate":     func() { _, _ = v.Estimate(Box(box), Categories{}) },
				"polygon":          func() { _, _ = v.Sum(NewPolygon(outline.mp).Area(), Categories{}) },
				"polygon estimate": func() { _, _ = v.Estimate(NewPolygon(outline.mp).Area(), Categories{}) },
				"hotspots":         func() { _, _ = v.Hotspots(Box(box), 1, Categories{}) },
				"top k":            func() { _, _ = v.TopK(Box(box), 10, Categories{}) },
				"raster":           func() { _ = v.Raster(make([]uint64, 12), area, 3, 4, Categories{}) },
				"density":          func() { _ = v.Density(make([]float64, 12), area, 3, 4, Categories{}) },
				"error":            func() { _ = v.Error() },
				"info":             func() { _ = v.Info() },
				"cells": func() {
					if all, err := v.Cells(Box(box), Categories{}); err == nil {
						for s := range all {
							s.Square(v.Grid)
						}
					}
				},
				"clip": func() {
					if s, err := v.Sketch(); err == nil {
						_ = s.Clip(outline)
					}
				},
			} {
				func() {
					defer func() {
						if p := recover(); p != nil {
							t.Fatalf("%+v, bounds %v, %s of %v: %v", form, wrong, what, box, fmt.Sprint(p))
						}
					}()
					v.limitAreas()
					ask()
				}()
			}
		}
	}
}
