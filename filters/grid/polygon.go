package grid

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"

	"github.com/paulmach/orb"
)

// MaxVertices is the most points that a polygon may have, over all its rings
// and members, closing points included.
const MaxVertices = 10_000_000

// maxInput is the most bytes that are read: ample for MaxVertices points.
const maxInput = 100 * MaxVertices

// maxNesting is how many collections may be open at once.
const maxNesting = 16

// minRing is the fewest points of a ring: a triangle and its closing point.
const minRing = 4

// typeNames are the geometry types by their number in WKB, as GeoJSON spells
// them.
var typeNames = [...]string{
	"Geometry", "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon",
	"GeometryCollection", "CircularString", "CompoundCurve", "CurvePolygon", "MultiCurve", "MultiSurface",
	"Curve", "Surface", "PolyhedralSurface", "TIN", "Triangle",
}

// surfaces are the types, beside polygons, that have an inside or can have one.
var surfaces = []string{"CurvePolygon", "MultiSurface", "Surface", "PolyhedralSurface", "TIN", "Triangle"}

const (
	typePolygon      = "Polygon"
	typeMultiPolygon = "MultiPolygon"
	typeCollection   = "GeometryCollection"
)

// ParsePolygon reads a Polygon, a MultiPolygon or a GeometryCollection of these. The forms are well-known text,
// GeoJSON, and well-known binary of the OGC, ISO or extended form. GeoJSON may also be a Feature or a
// FeatureCollection. The first byte tells them apart: 0 or 1 is WKB, the digit 0 WKB in hexadecimal digits,
// '{' GeoJSON, a letter WKT. Text may begin with a byte order mark. Hexadecimal digits may begin with \x, as
// PostgreSQL writes them, or 0x. The result shares no memory with b.
//
// A multipolygon, a collection and a collection of features stand for the union of their members. A member
// that has no inside, for example a point, is an error. Empty members are left out. Ordinates beyond x and
// y, and SRIDs, are read and dropped: coordinates are used as they are. A ring whose last point is not its
// first is closed.
//
// Every ring of the result is closed, finite and has at least three different places. Otherwise the error
// wraps ErrPolygon, ErrNotFinite, ErrGeometryType or ErrTooLarge, and names the place in the geometry and
// the byte. Memory is bounded by a multiple of len(b), whatever b claims. Rings may run either way round,
// and cross themselves and each other; Scan defines what that means.
func ParsePolygon(b []byte) (orb.MultiPolygon, error) {
	mp, _, err := ParsePolygonSRID(b)
	return mp, err
}

// ParsePolygonSRID is ParsePolygon. It also returns the number of the coordinate system that the polygon
// names, or 0. WKT names it by "SRID=n;" in front, and extended WKB in its header.
func ParsePolygonSRID(b []byte) (mp orb.MultiPolygon, srid int, err error) {
	switch {
	case len(b) > maxInput:
		return nil, 0, errf(ErrTooLarge, "polygon: %d bytes; at most %d are read", len(b), maxInput)
	case len(b) > 0 && b[0] <= 1:
		return parseWKB(b)
	}
	b = bytes.TrimPrefix(b, byteOrderMark)
	t := bytes.TrimLeft(b, " \t\r\n")
	digits, isHex := hexDigits(t)
	switch {
	case len(t) == 0:
		return nil, 0, errf(ErrPolygon, "polygon: the text is empty")
	case t[0] == '{':
		return parseGeoJSON(b)
	case isHex: // as PostGIS prints geometries
		wkb := make([]byte, hex.DecodedLen(len(digits)))
		if _, err := hex.Decode(wkb, digits); err != nil {
			return nil, 0, errf(ErrPolygon, "polygon: %s is not WKB in hexadecimal digits: %v", quote(digits), err)
		}
		return parseWKB(wkb)
	case isGeoPackage(b):
		return nil, 0, errf(ErrPolygon, "polygon: this is a geometry of a GeoPackage, which has a header of its own before the WKB: read the file with ST_Read, or pass its WKB")
	case isLetter(t[0]):
		return parseWKT(b)
	}
	return nil, 0, errf(ErrPolygon, "polygon: %s is neither WKT, GeoJSON nor WKB", quote(t))
}

// byteOrderMark is written before text in UTF-8 by some programs.
var byteOrderMark = []byte("\xef\xbb\xbf")

// hexDigits returns the hexadecimal digits in t, if t is WKB in hexadecimal digits. Otherwise it returns
// false.
func hexDigits(t []byte) (digits []byte, is bool) {
	for _, prefix := range []string{`\x`, "0x", "0X"} {
		if bytes.HasPrefix(t, []byte(prefix)) {
			return bytes.TrimSpace(t[len(prefix):]), true
		}
	}
	return bytes.TrimSpace(t), len(t) > 0 && t[0] == '0'
}

// isGeoPackage reports whether bytes begin as a geometry of a GeoPackage does: "GP" and a version,
// which no text has there.
func isGeoPackage(b []byte) bool { return len(b) >= 8 && b[0] == 'G' && b[1] == 'P' && b[2] < ' ' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// quote returns the first few bytes of a text for use in an error.
func quote[T string | []byte](s T) string {
	const most = 24
	if len(s) > most {
		return strconv.Quote(string(s[:most])) + "..."
	}
	return strconv.Quote(string(s))
}

func tooMany() error { return errf(ErrTooLarge, "polygon: more than %d points", MaxVertices) }

// check checks a polygon that no parser made. It returns an error if there are too many points. So it does if a
// ring has too few, has a coordinate that is not finite, or does not end where it begins. With degrees, it also
// returns an error if a point is not on the globe.
func check(mp orb.MultiPolygon, degrees bool) error {
	points := 0
	for m, poly := range mp {
		for i, r := range poly {
			if points += len(r); points > MaxVertices {
				return tooMany()
			}
			if fault, is := faultOf(r, degrees); is != nil {
				return errf(is, "polygon: %s%s", ringName(mp, m, i), fault)
			}
		}
	}
	return nil
}

// faultOf returns the fault of a ring as text that follows the ring's name, and the error that it is.
func faultOf(r orb.Ring, degrees bool) (fault string, is error) {
	if len(r) < minRing {
		return fmt.Sprintf(" has %d points; a ring needs at least %d, the last equal to the first", len(r), minRing), ErrPolygon
	}
	for i, p := range r {
		switch {
		case p[0]-p[0] != 0 || p[1]-p[1] != 0:
			return fmt.Sprintf(", point %d is (%v %v), not finite", i+1, p[0], p[1]), ErrNotFinite
		case degrees && (math.Abs(p[0]) > 540 || math.Abs(p[1]) > 90):
			return fmt.Sprintf(", point %d is (%v %v): longitudes are from -540 to 540, latitudes from -90 to 90", i+1, p[0], p[1]), ErrPolygon
		}
	}
	if a, z := r[0], r[len(r)-1]; a != z {
		return fmt.Sprintf(" is not closed: first point (%v %v), last point (%v %v)", a[0], a[1], z[0], z[1]), ErrPolygon
	}
	return "", nil
}

// ringName returns the name of a ring in errors.
func ringName(mp orb.MultiPolygon, member, ring int) string {
	if len(mp) > 1 {
		return fmt.Sprintf("member %d, ring %d", member+1, ring+1)
	}
	return fmt.Sprintf("ring %d", ring+1)
}
