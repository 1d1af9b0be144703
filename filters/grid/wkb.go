package grid

import (
	"encoding/binary"
	"math"

	"github.com/paulmach/orb"
)

const (
	wkbPolygon      = 3
	wkbMultiPolygon = 6

	// Flags of the extended form; the ISO form adds 1000, 2000 or 3000.
	ewkbZ    = 0x80000000
	ewkbM    = 0x40000000
	ewkbSRID = 0x20000000
)

var wkbTypes = map[uint32]string{
	0: "Geometry", 1: "Point", 2: "LineString", 3: "Polygon", 4: "MultiPoint", 5: "MultiLineString",
	6: "MultiPolygon", 7: "GeometryCollection", 8: "CircularString", 9: "CompoundCurve", 10: "CurvePolygon",
	11: "MultiCurve", 12: "MultiSurface", 13: "Curve", 14: "Surface", 15: "PolyhedralSurface", 16: "TIN",
	17: "Triangle",
}

// ParseWKB reads a Polygon or MultiPolygon in well-known binary of either byte
// order, in the OGC, ISO (Z, M, ZM) and extended (SRID) forms; ordinates
// beyond x and y and the SRID are dropped. A polygon of no rings gives an
// empty multipolygon. Counts are compared with the bytes that are there
// before anything is allocated. For errors see ParsePolygon.
func ParseWKB(b []byte) (orb.MultiPolygon, error) {
	p := wkbParser{rest: b, size: len(b)}
	typ, err := p.header()
	if err != nil {
		return nil, err
	}
	switch typ {
	case wkbPolygon:
		err = p.polygon()
	case wkbMultiPolygon:
		p.b.many = true
		err = p.multi()
	default:
		if name, ok := wkbTypes[typ]; ok {
			return nil, errf(ErrGeometryType, "polygon: the geometry is a %s; only Polygon and MultiPolygon have an inside", name)
		}
		return nil, errf(ErrPolygon, "polygon: WKB: geometry type %d is not known", typ)
	}
	if err != nil {
		return nil, err
	}
	if len(p.rest) > 0 {
		return nil, errf(ErrPolygon, "polygon: WKB: %d bytes follow the geometry", len(p.rest))
	}
	return p.b.result(), nil
}

type wkbParser struct {
	rest  []byte
	size  int
	order binary.ByteOrder
	width int // bytes per point
	b     builder
}

func (p *wkbParser) at() int { return p.size - len(p.rest) }

func (p *wkbParser) uint32() (uint32, error) {
	if len(p.rest) < 4 {
		return 0, errf(ErrPolygon, "polygon: WKB ends after %d bytes, in the middle of the geometry", p.size)
	}
	v := p.order.Uint32(p.rest)
	p.rest = p.rest[4:]
	return v, nil
}

// header reads byte order, type and flags and sets how points are read.
func (p *wkbParser) header() (uint32, error) {
	if len(p.rest) == 0 {
		return 0, errf(ErrPolygon, "polygon: WKB ends after %d bytes, where a geometry should begin", p.size)
	}
	switch p.rest[0] {
	case 0:
		p.order = binary.BigEndian
	case 1:
		p.order = binary.LittleEndian
	default:
		return 0, errf(ErrPolygon, "polygon: WKB, byte %d: byte order %d is neither 0 nor 1", p.at(), p.rest[0])
	}
	p.rest = p.rest[1:]
	raw, err := p.uint32()
	if err != nil {
		return 0, err
	}
	if raw&ewkbSRID != 0 {
		if _, err := p.uint32(); err != nil {
			return 0, err
		}
	}
	typ := raw &^ (ewkbZ | ewkbM | ewkbSRID)
	z, m := raw&ewkbZ != 0, raw&ewkbM != 0
	if iso := typ / 1000; iso >= 1 && iso <= 3 {
		z, m = z || iso != 2, m || iso != 1
		typ %= 1000
	}
	p.width = 16
	for _, extra := range [...]bool{z, m} {
		if extra {
			p.width += 8
		}
	}
	return typ, nil
}

// count reads a number of things that take at least least bytes each.
func (p *wkbParser) count(what string, least int) (int, error) {
	n, err := p.uint32()
	if err != nil {
		return 0, err
	}
	if uint64(n)*uint64(least) > uint64(len(p.rest)) {
		return 0, errf(ErrPolygon, "polygon: WKB, byte %d: %d %s of at least %d bytes each, but %d bytes are left",
			p.at()-4, n, what, least, len(p.rest))
	}
	return int(n), nil
}

func (p *wkbParser) multi() error {
	n, err := p.count("polygons", 9)
	for ; err == nil && n > 0; n-- {
		var typ uint32
		if typ, err = p.header(); err != nil {
			return err
		}
		if typ != wkbPolygon {
			return errf(ErrPolygon, "polygon: WKB: a MultiPolygon holds a geometry of type %d (%s)", typ, wkbTypes[typ])
		}
		err = p.polygon()
	}
	return err
}

func (p *wkbParser) polygon() error {
	rings, err := p.count("rings", 4)
	if err != nil {
		return err
	}
	for range rings {
		n, err := p.count("points", p.width)
		if err != nil {
			return err
		}
		if p.b.points += n; p.b.points > MaxVertices {
			return errf(ErrTooLarge, "polygon: more than %d points", MaxVertices)
		}
		r := make(orb.Ring, n)
		for i := range r {
			r[i] = orb.Point{
				math.Float64frombits(p.order.Uint64(p.rest)),
				math.Float64frombits(p.order.Uint64(p.rest[8:])),
			}
			p.rest = p.rest[p.width:]
		}
		if err := p.b.ring(r); err != nil {
			return err
		}
	}
	p.b.end()
	return nil
}
