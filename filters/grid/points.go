package grid

import (
	"encoding/binary"
	"math"

	"github.com/paulmach/orb"
)

const (
	wkbPoint      = 1
	wkbMultiPoint = 4
)

// AppendPoints appends the points of a POINT or a MULTIPOINT in well-known binary, in the OGC, ISO and
// extended forms. It drops Z, M and SRIDs, and leaves out empty points. For another geometry the error
// wraps ErrGeometryType, for damaged bytes ErrPolygon. Memory is bounded by a multiple of len(wkb).
func AppendPoints(dst []orb.Point, wkb []byte) ([]orb.Point, error) {
	r := pointReader{b: wkb}
	typ := r.header()
	switch {
	case r.err != nil:
	case typ == wkbPoint:
		dst = r.appendPoint(dst)
	case typ == wkbMultiPoint:
		n := r.count()
		for ; n > 0 && r.err == nil; n-- {
			if typ := r.header(); r.err == nil && typ != wkbPoint {
				r.err = errf(ErrGeometryType, "points: a MultiPoint holds a %s", typeNames[typ])
			}
			dst = r.appendPoint(dst)
		}
	default:
		r.err = errf(ErrGeometryType, "points: a %s is no Point or MultiPoint", typeNames[typ])
	}
	if r.err == nil && len(r.b) > 0 {
		r.err = errf(ErrPolygon, "points: %d bytes follow the geometry", len(r.b))
	}
	return dst, r.err
}

// pointReader decodes a POINT or MULTIPOINT in WKB. b is the part that was not read yet.
type pointReader struct {
	b     []byte
	order binary.ByteOrder
	size  int // bytes of a point, which may have more than two coordinates.
	err   error
}

// take returns the next n bytes, or nil after an error.
func (r *pointReader) take(n int) []byte {
	if r.err != nil {
		return nil
	}
	if len(r.b) < n {
		r.err = errf(ErrPolygon, "points: the bytes end in the middle of the geometry")
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

// header reads the byte order, the type and the SRID of a geometry, and returns the type.
func (r *pointReader) header() uint32 {
	b := r.take(5)
	if b == nil {
		return 0
	}
	r.order = binary.BigEndian
	if b[0] == 1 {
		r.order = binary.LittleEndian
	}
	code := r.order.Uint32(b[1:])
	typ, ordinates, known := wkbType(code)
	if b[0] > 1 || !known {
		r.err = errf(ErrPolygon, "points: %x is not WKB", b)
		return 0
	}
	r.size = 8 * ordinates
	if code&ewkbSRID != 0 {
		r.take(4)
	}
	return typ
}

// count reads how many members follow. Each has a header and a point.
func (r *pointReader) count() uint32 {
	b := r.take(4)
	if b == nil {
		return 0
	}
	n := r.order.Uint32(b)
	if uint64(n)*(5+16) > uint64(len(r.b)) {
		r.err = errf(ErrPolygon, "points: %d points in %d bytes", n, len(r.b))
		return 0
	}
	return n
}

func (r *pointReader) appendPoint(dst []orb.Point) []orb.Point {
	b := r.take(r.size)
	if b == nil {
		return dst
	}
	p := orb.Point{math.Float64frombits(r.order.Uint64(b)), math.Float64frombits(r.order.Uint64(b[8:]))}
	// POINT EMPTY has two NaN.
	if p[0] != p[0] && p[1] != p[1] {
		return dst
	}
	return append(dst, p)
}
