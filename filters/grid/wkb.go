package grid

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/paulmach/orb"
)

const (
	wkbPoint        = 1
	wkbPolygon      = 3
	wkbMultiPoint   = 4
	wkbMultiPolygon = 6
	wkbCollection   = 7

	// Flags of the extended form; the ISO form adds 1000, 2000 or 3000.
	ewkbZ    = 0x80000000
	ewkbM    = 0x40000000
	ewkbSRID = 0x20000000
)

// parseWKB reads a Polygon, a MultiPolygon or a GeometryCollection of these in well-known binary. Each
// geometry may have either byte order, and the OGC, the ISO or the extended form. Z, M and SRIDs are
// allowed, also in members.
func parseWKB(b []byte) (orb.MultiPolygon, int, error) {
	r := wkbReader{assembler: assembler{format: "polygon: WKB"}, b: b}
	err := r.geometry(0, 0)
	if err == nil {
		err = r.end()
	}
	return r.result(err)
}

// wkbReader reads a polygon from WKB. at is the index of the next byte in b.
type wkbReader struct {
	assembler
	b     []byte
	at    int
	order binary.ByteOrder // the byte order of the current geometry.
}

// end returns an error if bytes are left.
func (r *wkbReader) end() error {
	if r.at < len(r.b) {
		return r.fail(ErrPolygon, r.at, "%d bytes follow the geometry", len(r.b)-r.at)
	}
	return nil
}

// geometry reads the next geometry. depth is the number of collections around it. within is the type of
// the innermost geometry around it, or 0 if there is none.
func (r *wkbReader) geometry(depth int, within uint32) error {
	at := r.at
	typ, ordinates, err := r.header()
	if err != nil {
		return err
	}
	if within == wkbMultiPolygon && typ != wkbPolygon {
		return r.fail(ErrPolygon, at, "a MultiPolygon holds a %s, not a Polygon", typeNames[typ])
	}
	switch typ {
	case wkbPolygon:
		return r.polygon(8 * ordinates)
	case wkbMultiPolygon:
		return r.members("member", depth, typ)
	case wkbCollection:
		if err := r.deeper(at, depth); err != nil {
			return err
		}
		return r.members("geometry", depth+1, typ)
	}
	return r.noInside(at, typeNames[typ])
}

func (r *wkbReader) members(what string, depth int, within uint32) error {
	n, err := r.count("geometries", 9)
	for i := 1; err == nil && i <= n; i++ {
		err = r.in(what, i, func() error { return r.geometry(depth, within) })
	}
	return err
}

// polygon reads a polygon: rings of points, each of size bytes.
func (r *wkbReader) polygon(size int) error {
	rings, err := r.count("rings", 4)
	for i := 1; err == nil && i <= rings; i++ {
		err = r.ringOf(i, r.at, func() error { return r.readPoints(size) })
	}
	r.endPolygon()
	return err
}

func (r *wkbReader) readPoints(size int) error {
	n, err := r.count("points", size)
	r.ring = slices.Grow(r.ring, n+1)
	for ; err == nil && n > 0; n-- {
		x, y := r.order.Uint64(r.b[r.at:]), r.order.Uint64(r.b[r.at+8:])
		err = r.point(r.at, orb.Point{math.Float64frombits(x), math.Float64frombits(y)})
		r.at += size
	}
	return err
}

func (r *wkbReader) take(n int) ([]byte, error) {
	if len(r.b)-r.at < n {
		return nil, r.fail(ErrPolygon, len(r.b), "the bytes end in the middle of the geometry")
	}
	r.at += n
	return r.b[r.at-n : r.at], nil
}

// header reads the byte order, the type and the SRID of a geometry. typ is an index of typeNames.
// ordinates is how many numbers each point has.
func (r *wkbReader) header() (typ uint32, ordinates int, err error) {
	at := r.at
	b, err := r.take(5)
	if err != nil {
		return 0, 0, err
	}
	switch b[0] {
	case 0:
		r.order = binary.BigEndian
	case 1:
		r.order = binary.LittleEndian
	default:
		return 0, 0, r.fail(ErrPolygon, at, "byte order %d is neither 0 nor 1", b[0])
	}
	code := r.order.Uint32(b[1:])
	typ, ordinates, known := wkbType(code)
	if !known {
		return 0, 0, r.fail(ErrPolygon, at, "geometry type %d is not known", code)
	}
	if code&ewkbSRID != 0 {
		if b, err = r.take(4); err == nil && at == 0 { // members may name one too, which does not count
			r.srid = int(int32(r.order.Uint32(b)))
		}
	}
	return typ, ordinates, err
}

// wkbType returns the type that a code in the OGC, ISO or extended form stands for, and the number of
// ordinates of its points. It returns false for an unknown code.
func wkbType(code uint32) (typ uint32, ordinates int, known bool) {
	iso := code &^ (ewkbZ | ewkbM | ewkbSRID)
	typ, ordinates = iso%1000, 2
	if iso/1000&1 != 0 || code&ewkbZ != 0 {
		ordinates++
	}
	if iso/1000&2 != 0 || code&ewkbM != 0 {
		ordinates++
	}
	return typ, ordinates, iso < 4000 && int(typ) < len(typeNames)
}

// count reads a number of parts, and checks that the rest of the bytes can hold so many: each takes at
// least least bytes. what names them in the error.
func (r *wkbReader) count(what string, least int) (int, error) {
	at := r.at
	b, err := r.take(4)
	if err != nil {
		return 0, err
	}
	n := r.order.Uint32(b)
	if left := len(r.b) - r.at; uint64(n)*uint64(least) > uint64(left) {
		return 0, r.fail(ErrPolygon, at, "%d %s of at least %d bytes each, but %d bytes are left", n, what, least, left)
	}
	return int(n), nil
}
