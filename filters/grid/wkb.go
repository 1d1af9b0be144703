package grid

import (
	"encoding/binary"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/ewkb"
)

const (
	wkbPolygon      = 3
	wkbMultiPolygon = 6

	// Flags of the extended form; the ISO form adds 1000, 2000 or 3000.
	ewkbZ    = 0x80000000
	ewkbM    = 0x40000000
	ewkbSRID = 0x20000000
)

// ParseWKB reads a Polygon or MultiPolygon in well-known binary of either byte
// order, in the OGC and extended (SRID, dropped) forms. Z and M coordinates
// cannot be read. A polygon of no rings gives an empty multipolygon. For
// errors see ParsePolygon.
func ParseWKB(b []byte) (orb.MultiPolygon, error) {
	return parse("WKB", len(b), func() (orb.MultiPolygon, error) {
		if err := checkWKB(b); err != nil {
			return nil, err
		}
		g, _, err := ewkb.Unmarshal(b)
		if err != nil {
			return nil, errf(ErrPolygon, "polygon: WKB: %v", err)
		}
		return members(g)
	})
}

// checkWKB compares types and counts with the bytes that are there. Orb limits
// what one count makes it allocate but follows multipolygons within
// multipolygons however deep, until memory or the stack is gone; and it looks
// at the low bits of a type only, so that it takes one with Z for another.
func checkWKB(b []byte) error {
	w := wkbWalk{rest: b, size: len(b)}
	typ, err := w.header(false)
	if err != nil {
		return err
	}
	polygons := 1
	if typ == wkbMultiPolygon {
		if polygons, err = w.count("polygons", 9); err != nil {
			return err
		}
	}
	for points := 0; polygons > 0; polygons-- {
		if typ == wkbMultiPolygon {
			if _, err := w.header(true); err != nil {
				return err
			}
		}
		rings, err := w.count("rings", 4)
		for ; err == nil && rings > 0; rings-- {
			var n int
			n, err = w.count("points", 16)
			if points += n; points > MaxVertices {
				return tooMany()
			}
			w.rest = w.rest[16*n:]
		}
		if err != nil {
			return err
		}
	}
	if len(w.rest) > 0 {
		return errf(ErrPolygon, "polygon: WKB: %d bytes follow the geometry", len(w.rest))
	}
	return nil
}

type wkbWalk struct {
	rest  []byte
	size  int
	order binary.ByteOrder
}

func (w *wkbWalk) at() int { return w.size - len(w.rest) }

func (w *wkbWalk) take(n int) ([]byte, error) {
	if len(w.rest) < n {
		return nil, errf(ErrPolygon, "polygon: WKB ends after %d bytes, in the middle of the geometry", w.size)
	}
	b := w.rest[:n]
	w.rest = w.rest[n:]
	return b, nil
}

// header reads byte order, type and SRID. The type is Polygon, or outside a
// multipolygon MultiPolygon; anything else is an error.
func (w *wkbWalk) header(member bool) (uint32, error) {
	at := w.at()
	b, err := w.take(5)
	if err != nil {
		return 0, err
	}
	switch b[0] {
	case 0:
		w.order = binary.BigEndian
	case 1:
		w.order = binary.LittleEndian
	default:
		return 0, errf(ErrPolygon, "polygon: WKB, byte %d: byte order %d is neither 0 nor 1", at, b[0])
	}
	raw := w.order.Uint32(b[1:])
	typ := raw &^ ewkbSRID
	flat := typ &^ (ewkbZ | ewkbM)
	base := flat % 1000
	switch {
	case member && raw != wkbPolygon: // orb miscounts a member with an SRID
		return 0, errf(ErrPolygon, "polygon: WKB, byte %d: a MultiPolygon holds a geometry of type %d, not a Polygon (%d)", at, raw, wkbPolygon)
	case typ == wkbPolygon || typ == wkbMultiPolygon:
		if typ != raw {
			_, err = w.take(4)
		}
		return typ, err
	case flat >= 4000 || int(base) >= len(typeNames):
		return 0, errf(ErrPolygon, "polygon: WKB: geometry type %d is not known", raw)
	case base == wkbPolygon || base == wkbMultiPolygon:
		return 0, errf(ErrGeometryType, "polygon: the geometry is a %s with Z or M (type %d); only x and y can be read", typeNames[base], raw)
	}
	return 0, errf(ErrGeometryType, "polygon: the geometry is a %s; only Polygon and MultiPolygon have an inside", typeNames[base])
}

// count reads a number of things that take at least least bytes each.
func (w *wkbWalk) count(what string, least int) (int, error) {
	b, err := w.take(4)
	if err != nil {
		return 0, err
	}
	n := w.order.Uint32(b)
	if uint64(n)*uint64(least) > uint64(len(w.rest)) {
		return 0, errf(ErrPolygon, "polygon: WKB, byte %d: %d %s of at least %d bytes each, but %d bytes are left",
			w.at()-4, n, what, least, len(w.rest))
	}
	return int(n), nil
}
