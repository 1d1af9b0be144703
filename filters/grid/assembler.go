package grid

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paulmach/orb"
)

// assembler puts together the polygons that a reader finds. It also knows the current place in the
// geometry, for error messages. The reader calls it for each part of the geometry, and assembler checks
// the part.
type assembler struct {
	format string // what is read, for error messages, such as "polygon: WKT".
	srid   int    // the SRID of the geometry, or 0.
	mp     orb.MultiPolygon
	poly   orb.Polygon
	ring   orb.Ring // memory that all rings share
	inRing bool     // whether a ring was begun and not ended.
	points int
	path   []step // the current place in the geometry.
}

// step is one part of a place in a geometry, for example ring 2.
type step struct {
	what string
	n    int
}

// in runs f one step deeper in the geometry: at part n of the kind what, for example ring 2.
func (a *assembler) in(what string, n int, f func() error) error {
	a.path = append(a.path, step{what, n})
	err := f()
	a.path = a.path[:len(a.path)-1]
	return err
}

// fail returns an error with the place in front, for example "polygon: WKT (member 2, ring 1, point 3,
// byte 77): ". Bytes count from 0, everything else from 1.
func (a *assembler) fail(is error, at int, format string, args ...any) error {
	var place strings.Builder
	for _, s := range a.path {
		fmt.Fprintf(&place, "%s %d, ", s.what, s.n)
	}
	if a.inRing {
		fmt.Fprintf(&place, "point %d, ", len(a.ring)+1)
	}
	return errf(is, "%s (%sbyte %d): %s", a.format, &place, at, fmt.Sprintf(format, args...))
}

// noInside returns the error for a geometry that is no polygon.
func (a *assembler) noInside(at int, name string) error {
	if slices.Contains(surfaces, name) {
		return a.fail(ErrGeometryType, at, "a %s is not supported; only Polygon, MultiPolygon and collections of them are", name)
	}
	return a.fail(ErrGeometryType, at, "a %s has no inside; only Polygon, MultiPolygon and collections of them have", name)
}

// deeper returns an error if collections are nested too deep. depth is how many are open.
func (a *assembler) deeper(at, depth int) error {
	if depth >= maxNesting {
		return a.fail(ErrPolygon, at, "collections are nested more than %d deep", maxNesting)
	}
	return nil
}

// ringOf makes ring n of the current polygon. read adds the points of the ring, which begins at byte at.
func (a *assembler) ringOf(n, at int, read func() error) error {
	return a.in("ring", n, func() error {
		a.ring, a.inRing = a.ring[:0], true
		if err := read(); err != nil {
			return err
		}
		a.inRing = false
		return a.endRing(at)
	})
}

func (a *assembler) point(at int, p orb.Point) error {
	if p[0]-p[0] != 0 || p[1]-p[1] != 0 {
		return a.fail(ErrNotFinite, at, "(%v %v) is not finite", p[0], p[1])
	}
	return a.add(p)
}

func (a *assembler) add(p orb.Point) error {
	if a.points++; a.points > MaxVertices {
		return tooMany()
	}
	a.ring = append(a.ring, p)
	return nil
}

// endRing checks the ring, and closes it if it is open.
func (a *assembler) endRing(at int) error {
	switch p := places(a.ring); len(p) {
	case 0:
		return a.fail(ErrPolygon, at, "the ring has no points")
	case 1:
		return a.fail(ErrPolygon, at, "points 1 to %d are all (%v %v); a ring needs three places", len(a.ring), p[0][0], p[0][1])
	case 2:
		return a.fail(ErrPolygon, at, "points 1 to %d are at two places, (%v %v) and (%v %v); a ring needs three",
			len(a.ring), p[0][0], p[0][1], p[1][0], p[1][1])
	}
	if first := a.ring[0]; a.ring[len(a.ring)-1] != first {
		if err := a.add(first); err != nil {
			return err
		}
	}
	a.poly = append(a.poly, slices.Clone(a.ring))
	return nil
}

// places returns the first three different places of a ring, or fewer if it has fewer.
func places(r orb.Ring) []orb.Point {
	found := make([]orb.Point, 0, 3)
	for _, p := range r {
		if !slices.Contains(found, p) {
			if found = append(found, p); len(found) == 3 {
				break
			}
		}
	}
	return found
}

// endPolygon makes a polygon of the rings so far, if there are any.
func (a *assembler) endPolygon() {
	if len(a.poly) > 0 {
		a.mp = append(a.mp, a.poly)
		a.poly = nil
	}
}

// result returns the polygons that were read and their SRID, or the error that ended the reading.
func (a *assembler) result(err error) (orb.MultiPolygon, int, error) {
	switch {
	case err != nil:
		return nil, 0, err
	case a.mp == nil:
		return orb.MultiPolygon{}, a.srid, nil
	}
	return a.mp, a.srid, nil
}
