package grid

import (
	"math"

	"github.com/paulmach/orb"
)

// AppendPoints appends the points of a POINT or a MULTIPOINT in well-known binary, in the OGC, ISO and
// extended forms. It drops Z, M and SRIDs, and leaves out empty points. For another geometry the error
// wraps ErrGeometryType, for damaged bytes ErrPolygon. Memory is bounded by a multiple of len(wkb).
func AppendPoints(dst []orb.Point, wkb []byte) ([]orb.Point, error) {
	r := wkbReader{assembler: assembler{format: "points: WKB"}, b: wkb}
	dst, err := r.appendPoints(dst, false)
	if err == nil {
		err = r.end()
	}
	return dst, err
}

// appendPoints appends the points of the next geometry. inMulti says that it is a member of a MultiPoint.
func (r *wkbReader) appendPoints(dst []orb.Point, inMulti bool) ([]orb.Point, error) {
	at := r.at
	typ, ordinates, err := r.header()
	switch {
	case err != nil:
		return dst, err
	case typ == wkbPoint:
		b, err := r.take(8 * ordinates)
		if err != nil {
			return dst, err
		}
		x, y := math.Float64frombits(r.order.Uint64(b)), math.Float64frombits(r.order.Uint64(b[8:]))
		if x != x && y != y { // POINT EMPTY
			return dst, nil
		}
		return append(dst, orb.Point{x, y}), nil
	case inMulti:
		return dst, r.fail(ErrGeometryType, at, "a MultiPoint holds a %s", typeNames[typ])
	case typ != wkbMultiPoint:
		return dst, r.fail(ErrGeometryType, at, "a %s is no Point or MultiPoint", typeNames[typ])
	}
	n, err := r.count("points", 5+16)
	for ; err == nil && n > 0; n-- {
		dst, err = r.appendPoints(dst, true)
	}
	return dst, err
}
