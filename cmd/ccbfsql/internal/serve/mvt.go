package serve

import (
	"encoding/binary"
	"math"
)

// This file encodes Mapbox Vector Tiles 2.1 of squares, as protocol buffers. The library of package
// orb for that depends on a MongoDB driver and on an abandoned library.

const (
	extent     = 4096 // units along a side of a tile
	margin     = 64   // width, in units, of the strip around the tile that is drawn too
	cellsLayer = "cells"
)

// tileValue is the value of an attribute of a feature. If isBool is true, it is cell: whether the
// feature is a whole cell. Otherwise it is number.
type tileValue struct {
	number float64
	cell   bool
	isBool bool
}

// vectorTile collects the features of a tile.
type vectorTile struct {
	keys     []string
	values   []tileValue
	of       map[tileValue]int // the index of each value in values
	features []byte
}

// message appends a field of bytes (section 4.1, vector_tile.proto).
func message(dst []byte, field uint64, body []byte) []byte {
	dst = binary.AppendUvarint(dst, field<<3|2)
	dst = binary.AppendUvarint(dst, uint64(len(body)))
	return append(dst, body...)
}

// value returns the index of v in values, to which it adds v if necessary.
func (t *vectorTile) value(v tileValue) uint64 {
	i, ok := t.of[v]
	if !ok {
		i = len(t.values)
		t.of[v] = i
		t.values = append(t.values, v)
	}
	return uint64(i)
}

// zigzag encodes a signed number for a command's parameter.
func zigzag(v int64) uint64 { return uint64(v<<1 ^ v>>63) }

// square adds a square with n points, given by its north-western and south-eastern corner. It is
// clipped at the margin.
func (t *vectorTile) square(west, north, east, south int64, n float64, cell bool) {
	cut := func(v int64) int64 { return min(max(v, -margin), extent+margin) }
	west, north, east, south = cut(west), cut(north), cut(east), cut(south)
	if n < 1e-6 || west >= east || north >= south {
		return
	}
	count := math.Round(n*1000) / 1000 // not an integer if the points of a cell are spread over several squares
	var tags, geometry, f []byte
	for _, v := range []uint64{0, t.value(tileValue{number: count}), 1, t.value(tileValue{cell: cell, isBool: true})} {
		tags = binary.AppendUvarint(tags, v)
	}
	// MoveTo, three LineTo, ClosePath: clockwise, as y grows to the south.
	for _, v := range []uint64{9, zigzag(west), zigzag(north), 3<<3 | 2, zigzag(east - west), 0, 0, zigzag(south - north), zigzag(west - east), 0, 15} {
		geometry = binary.AppendUvarint(geometry, v)
	}
	f = message(f, 2, tags)
	f = append(f, 3<<3, 3) // the field type: a polygon
	f = message(f, 4, geometry)
	t.features = message(t.features, 2, f)
}

// bytes encodes the vector tile. It returns nil if the tile has no features.
func (t *vectorTile) bytes() []byte {
	if len(t.features) == 0 {
		return nil
	}
	var l []byte
	l = append(l, 15<<3, 2) // the field version: 2
	l = message(l, 1, []byte(cellsLayer))
	l = append(l, t.features...)
	for _, k := range t.keys {
		l = message(l, 3, []byte(k))
	}
	for _, v := range t.values {
		var b []byte
		switch {
		case v.isBool && v.cell:
			b = []byte{7 << 3, 1}
		case v.isBool:
			b = []byte{7 << 3, 0}
		case v.number == math.Trunc(v.number) && v.number < 1<<53:
			b = binary.AppendUvarint([]byte{5 << 3}, uint64(v.number))
		default:
			b = binary.LittleEndian.AppendUint64([]byte{3<<3 | 1}, math.Float64bits(v.number))
		}
		l = message(l, 4, b)
	}
	l = binary.AppendUvarint(append(l, 5<<3), extent)
	return message(nil, 3, l)
}
