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

// minRing is the fewest points of a ring: a triangle and its closing point.
const minRing = 4

// The parsers are our own and not orb's because orb's read [x] as a point
// (x, 0), know no Z and M, say no more than "invalid data", and bring a
// database driver along. The tests hold ours to orb's writers.

// ParsePolygon reads a polygon in any of the forms that ParseWKT,
// ParseGeoJSON and ParseWKB read, told apart by the first byte: 0 or 1 is
// WKB, '{' GeoJSON, a letter WKT. The result shares no memory with b.
//
// Every ring of the result is closed, finite and at least four points long,
// and members without rings are left out; otherwise an error wrapping
// ErrPolygon, ErrNotFinite, ErrGeometryType or ErrTooLarge. Memory taken is
// bounded by a small multiple of len(b), whatever b claims. Rings may cross
// themselves and each other; Scan defines what that means.
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

// builder collects rings into polygons and polygons into a multipolygon,
// checking each and counting points against MaxVertices. All three formats
// and Scan go through it, so that they agree on what a polygon is.
type builder struct {
	mp     orb.MultiPolygon
	poly   orb.Polygon
	points int
	many   bool // the input is a MultiPolygon or a collection: name the member
}

// point counts one more point.
func (b *builder) point() error {
	if b.points++; b.points > MaxVertices {
		return errf(ErrTooLarge, "polygon: more than %d points", MaxVertices)
	}
	return nil
}

// ring takes the next ring of the current polygon.
func (b *builder) ring(r orb.Ring) error {
	if err := checkRing(r, len(b.mp)+1, len(b.poly)+1, b.many); err != nil {
		return err
	}
	b.poly = append(b.poly, r)
	return nil
}

// end finishes the current polygon; one without rings is left out.
func (b *builder) end() {
	if len(b.poly) > 0 {
		b.mp = append(b.mp, b.poly)
	}
	b.poly = nil
}

func (b *builder) result() orb.MultiPolygon {
	if b.mp == nil {
		return orb.MultiPolygon{}
	}
	return b.mp
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
