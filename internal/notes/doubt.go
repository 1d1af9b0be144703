package notes

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/paulmach/orb"
)

// doubt is a reason why an area in which a sketch has no points may be a mistake of the user. It is no
// proof, because a sketch does not know the units of its coordinates.
type doubt uint8

const (
	// noDoubt is no reason: most sketches of a table have no points in an area.
	noDoubt doubt = iota
	// swapped means that the area meets the bounds of the sketch once its x and y are swapped.
	swapped
	// otherUnits means that either the area or the sketch's bounds lie within all longitudes and
	// latitudes in degrees, and the other lies beyond them.
	otherUnits
	// narrow means that the area lies among the points, but no cell has its centre there.
	narrow
)

var (
	world = orb.Bound{Min: orb.Point{-180, -90}, Max: orb.Point{180, 90}}
	// nowhere is the surroundings of (0, 0), where points without coordinates are in any unit. A
	// sketch within it shows nothing about its unit.
	nowhere = orb.Bound{Min: orb.Point{-1, -1}, Max: orb.Point{1, 1}}
)

const (
	// noDegrees is a coordinate that is never in degrees, whether from -180 to 180, from 0 to 360,
	// or continued around the globe.
	noDegrees = 1000
	// corner is the distance from (0, 0) within which a local plane begins: that of a building or a
	// picture. A sketch whose bounds begin there is not taken for one in degrees.
	corner = 10
)

// doubtOf returns why an area whose bounds hold no cell of the sketch may be a mistake, and whether
// it certainly is. It is certain for a sketch in degrees in two cases. Either the area has
// coordinates of thousands, or it lies beyond all degrees and meets the sketch with x and y
// swapped.
//
// A sketch counts as one in degrees if its cells are smaller than 1 and its bounds are within all
// degrees. The bounds must not begin next to (0, 0), nor lie within 1 of it. O(1), from the head
// alone.
func doubtOf(h *ccbf.Head, area orb.Bound) (d doubt, certain bool) {
	if h.Bounds.Empty() || area.IsEmpty() {
		return noDoubt, false
	}
	points := h.Grid.Bound(h.Bounds)
	if points.Intersects(area) {
		if cells, err := h.Grid.Box(area.Min[0], area.Min[1], area.Max[0], area.Max[1]); err == nil && cells.Empty() {
			return narrow, false
		}
	}
	if meet(points, area) {
		return noDoubt, false
	}
	mirror := transposed(area)
	inWorld := inBound(points, world)
	local := points.Min[0] >= 0 && points.Min[0] < corner && points.Min[1] >= 0 && points.Min[1] < corner
	ofDegrees := inWorld && !local && h.Grid.Res() < 1 && !inBound(points, nowhere)
	if meet(points, mirror) {
		return swapped, ofDegrees && !meet(area, world) && inBound(mirror, world)
	}
	switch far := area.Min[0] > noDegrees || area.Min[1] > noDegrees || area.Max[0] < -noDegrees || area.Max[1] < -noDegrees; {
	case inWorld && far:
		return otherUnits, ofDegrees
	case inWorld && !meet(area, world), inBound(area, world) && !meet(points, world):
		return otherUnits, false
	}
	return noDoubt, false
}

// transposed returns b with x and y exchanged.
func transposed(b orb.Bound) orb.Bound {
	return orb.Bound{Min: orb.Point{b.Min[1], b.Min[0]}, Max: orb.Point{b.Max[1], b.Max[0]}}
}

// meet reports whether the insides of two bounds meet.
func meet(a, b orb.Bound) bool {
	return a.Min[0] < b.Max[0] && b.Min[0] < a.Max[0] && a.Min[1] < b.Max[1] && b.Min[1] < a.Max[1]
}

// inBound reports whether a is inside b, edges included.
func inBound(a, b orb.Bound) bool {
	return a.Min[0] >= b.Min[0] && a.Min[1] >= b.Min[1] && a.Max[0] <= b.Max[0] && a.Max[1] <= b.Max[1]
}
