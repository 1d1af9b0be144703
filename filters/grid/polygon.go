package grid

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/paulmach/orb"
)

// MaxVertices is the most points that a polygon may have, over all its rings
// and members, closing points included.
const MaxVertices = 10_000_000

// maxInput is the most bytes that are read: ample for MaxVertices points.
const maxInput = 100 * MaxVertices

// minRing is the fewest points of a ring: a triangle and its closing point.
const minRing = 4

// typeNames are the geometry types by their number in WKB, as GeoJSON spells
// them.
var typeNames = [...]string{
	"Geometry", "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon",
	"GeometryCollection", "CircularString", "CompoundCurve", "CurvePolygon", "MultiCurve", "MultiSurface",
	"Curve", "Surface", "PolyhedralSurface", "TIN", "Triangle",
}

// ParsePolygon reads a polygon in any of the forms that ParseWKT,
// ParseGeoJSON and ParseWKB read, told apart by the first byte: 0 or 1 is
// WKB, '{' GeoJSON, a letter WKT. The result shares no memory with b.
//
// Every ring of the result is closed, finite and at least four points long,
// and members without rings are left out; otherwise an error wrapping
// ErrPolygon, ErrNotFinite, ErrGeometryType or ErrTooLarge. Memory taken is
// bounded by a multiple of len(b), whatever b claims. Rings may cross
// themselves and each other; Scan defines what that means.
//
// The reading itself is orb's; what is here checks before and after.
func ParsePolygon(b []byte) (orb.MultiPolygon, error) {
	if len(b) > 0 && b[0] <= 1 {
		return ParseWKB(b)
	}
	t := bytes.TrimLeft(b, " \t\r\n")
	switch {
	case len(t) == 0:
		return nil, errf(ErrPolygon, "polygon: the text is empty")
	case t[0] == '{':
		return ParseGeoJSON(t)
	case isLetter(t[0]) && len(t) > maxInput:
		return nil, tooLong("WKT", len(t)) // before the copy
	case isLetter(t[0]):
		return ParseWKT(string(t))
	}
	return nil, errf(ErrPolygon, "polygon: %s is neither WKT, GeoJSON nor WKB", quote(t))
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// quote returns the first few bytes of a text for use in an error.
func quote[T string | []byte](s T) string {
	const most = 24
	if len(s) > most {
		return strconv.Quote(string(s[:most])) + "..."
	}
	return strconv.Quote(string(s))
}

func tooLong(format string, size int) error {
	return errf(ErrTooLarge, "polygon: %d bytes of %s; at most %d are read", size, format, maxInput)
}

func tooMany() error { return errf(ErrTooLarge, "polygon: more than %d points", MaxVertices) }

// parse runs a reader on an input of size bytes and checks what it returns. A
// panic of the library below it becomes an error.
func parse(format string, size int, read func() (orb.MultiPolygon, error)) (mp orb.MultiPolygon, err error) {
	if size > maxInput {
		return nil, tooLong(format, size)
	}
	defer func() {
		if p := recover(); p != nil {
			mp, err = nil, errf(ErrPolygon, "polygon: %s: internal error: %v", format, p)
		}
	}()
	if mp, err = read(); err != nil {
		return nil, err
	}
	return check(mp)
}

// check returns mp without the members that have no rings, or says what is
// wrong with its rings.
func check(mp orb.MultiPolygon) (orb.MultiPolygon, error) {
	out, points := orb.MultiPolygon{}, 0
	for m, poly := range mp {
		for i, r := range poly {
			if points += len(r); points > MaxVertices {
				return nil, tooMany()
			}
			if err := checkRing(r, m+1, i+1, len(mp) > 1); err != nil {
				return nil, err
			}
		}
		if len(poly) > 0 {
			out = append(out, poly)
		}
	}
	return out, nil
}

// members returns the polygons of what orb has read.
func members(g orb.Geometry) (orb.MultiPolygon, error) {
	switch g := g.(type) {
	case orb.Polygon:
		return orb.MultiPolygon{g}, nil
	case orb.MultiPolygon:
		return g, nil
	}
	return nil, errf(ErrGeometryType, "polygon: the geometry is a %T", g)
}

// checkRing says what is wrong with a ring: too few points, a coordinate that
// is not finite, or ends apart. member and ring count from 1.
func checkRing(r orb.Ring, member, ring int, many bool) error {
	if len(r) < minRing {
		return errf(ErrPolygon, "polygon: %s has %d points; a ring needs at least %d, the last equal to the first",
			ringName(member, ring, many), len(r), minRing)
	}
	for i, p := range r {
		if p[0]-p[0] != 0 || p[1]-p[1] != 0 {
			return errf(ErrNotFinite, "polygon: %s, point %d is (%v %v), not finite",
				ringName(member, ring, many), i+1, p[0], p[1])
		}
	}
	if a, z := r[0], r[len(r)-1]; a != z {
		return errf(ErrPolygon, "polygon: %s is not closed: first point (%v %v), last point (%v %v)",
			ringName(member, ring, many), a[0], a[1], z[0], z[1])
	}
	return nil
}

func ringName(member, ring int, many bool) string {
	if many {
		return fmt.Sprintf("member %d, ring %d", member, ring)
	}
	return fmt.Sprintf("ring %d", ring)
}
