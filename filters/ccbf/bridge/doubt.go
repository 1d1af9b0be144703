package bridge

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// Doubt is the reason why an area in which a sketch has no points may not be the
// intended one. A sketch has no unit, so most reasons are no more than doubts.
type Doubt uint8

const (
	// NoDoubt is that the sketch has nothing there, as most sketches of a table.
	NoDoubt Doubt = iota
	// Swapped is that the area meets the bounds of the sketch once its x and y are swapped.
	Swapped
	// OtherUnits is that of the area and the sketch's bounds one is within all longitudes
	// and latitudes in degrees, and the other beyond them.
	OtherUnits
)

var (
	world = orb.Bound{Min: orb.Point{-180, -90}, Max: orb.Point{180, 90}}
	// nowhere is where points without coordinates are, in any unit: a sketch that reaches
	// no further tells nothing of its own.
	nowhere = orb.Bound{Min: orb.Point{-1, -1}, Max: orb.Point{1, 1}}
)

const (
	// noDegrees is a coordinate that nobody takes for degrees, whether from -180 to 180,
	// from 0 to 360 or gone round the globe.
	noDegrees = 1000
	// A plane of its own, as of a building or a picture, begins at its corner, next to
	// (0, 0): a sketch whose bounds begin within so much of it is not taken for one of
	// degrees.
	corner = 10
)

// DoubtOf tells why an area in whose bounds the sketch has no cell may not be the
// intended one, and whether it certainly is not: in a sketch of degrees an area at
// coordinates of thousands, or one that is beyond all degrees and not so with x and y
// swapped, where the sketch has points. It is taken for one of degrees if its cells
// are smaller than 1, its bounds within those of degrees, and neither next to (0, 0)
// nor beginning there. O(1), from the head alone.
func DoubtOf(h *ccbf.Head, area orb.Bound) (d Doubt, certain bool) {
	if h.Bounds.Empty() || area.IsEmpty() {
		return NoDoubt, false
	}
	points := h.Grid.Bound(h.Bounds)
	if meet(points, area) {
		return NoDoubt, false
	}
	mirror := swapped(area)
	inWorld := inBound(points, world)
	local := points.Min[0] >= 0 && points.Min[0] < corner && points.Min[1] >= 0 && points.Min[1] < corner
	ofDegrees := inWorld && !local && h.Grid.Res() < 1 && !inBound(points, nowhere)
	if meet(points, mirror) {
		return Swapped, ofDegrees && !meet(area, world) && inBound(mirror, world)
	}
	switch far := area.Min[0] > noDegrees || area.Min[1] > noDegrees || area.Max[0] < -noDegrees || area.Max[1] < -noDegrees; {
	case inWorld && far:
		return OtherUnits, ofDegrees
	case inWorld && !meet(area, world), inBound(area, world) && !meet(points, world):
		return OtherUnits, false
	}
	return NoDoubt, false
}

// Doubtful reports whether DoubtOf may find anything about an area that has these cells of the
// sketch's grid, or none: a quick look, for the many sketches of a table that are elsewhere.
func Doubtful(h *ccbf.Head, area grid.Rect) bool {
	if b := h.Bounds; area.Empty() || area.MinY <= b.MaxX && b.MinX <= area.MaxY && area.MinX <= b.MaxY && b.MinY <= area.MaxX {
		return true
	}
	limit := int64(min(90/h.Grid.Res(), grid.MaxIndex/2))
	return ofWorld(h.Bounds, limit) != ofWorld(area, limit)
}

// ofWorld reports whether cells are within all degrees, of which a quarter is so many cells.
func ofWorld(r grid.Rect, limit int64) bool {
	return r.MinX >= -2*limit-1 && r.MaxX <= 2*limit+1 && r.MinY >= -limit-1 && r.MaxY <= limit+1
}

func swapped(b orb.Bound) orb.Bound {
	return orb.Bound{Min: orb.Point{b.Min[1], b.Min[0]}, Max: orb.Point{b.Max[1], b.Max[0]}}
}

// meet reports whether two bounds have an inside in common.
func meet(a, b orb.Bound) bool {
	return a.Min[0] < b.Max[0] && b.Min[0] < a.Max[0] && a.Min[1] < b.Max[1] && b.Min[1] < a.Max[1]
}

// inBound reports whether a is inside b, edges included.
func inBound(a, b orb.Bound) bool {
	return a.Min[0] >= b.Min[0] && a.Min[1] >= b.Min[1] && a.Max[0] <= b.Max[0] && a.Max[1] <= b.Max[1]
}
