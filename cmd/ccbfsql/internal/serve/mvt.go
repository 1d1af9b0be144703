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

// vectorTile collects the features of a tile: squares with the attributes count, their number of
// points, and cell, whether they are whole cells.
type vectorTile struct {
	isCell   bool
	values   map[float64]uint64 // Counts and their numbers among the values of the layer, from 1. Value 0 is isCell.
	counts   []float64          // the same in the order of their numbers
	features []byte
}

// message appends a field of bytes (section 4.1, vector_tile.proto).
func message(dst []byte, field uint64, body []byte) []byte {
	dst = binary.AppendUvarint(dst, field<<3|2)
	dst = binary.AppendUvarint(dst, uint64(len(body)))
	return append(dst, body...)
}

// zigzag encodes a signed number for a command's parameter.
func zigzag(v int64) uint64 { return uint64(v<<1 ^ v>>63) }

// square adds a square with n points, given by its north-western and south-eastern corner. It is
// clipped at the margin.
func (t *vectorTile) square(west, north, east, south int64, n float64) {
	cut := func(v int64) int64 { return min(max(v, -margin), extent+margin) }
	west, north, east, south = cut(west), cut(north), cut(east), cut(south)
	if n < 1e-6 || west >= east || north >= south {
		return
	}
	count := math.Round(n*1000) / 1000 // not an integer if the points of a cell are spread over several squares
	value, ok := t.values[count]
	if !ok {
		t.counts = append(t.counts, count)
		value = uint64(len(t.counts))
		t.values[count] = value
	}
	tags := append(binary.AppendUvarint([]byte{0}, value), 1, 0) // pairs of a key and a value
	var geometry, f []byte
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
	for _, k := range []string{"count", "cell"} {
		l = message(l, 3, []byte(k))
	}
	isCell := []byte{7 << 3, 0}
	if t.isCell {
		isCell[1] = 1
	}
	l = message(l, 4, isCell)
	for _, n := range t.counts {
		if n == math.Trunc(n) && n < 1<<53 {
			l = message(l, 4, binary.AppendUvarint([]byte{5 << 3}, uint64(n)))
		} else {
			l = message(l, 4, binary.LittleEndian.AppendUint64([]byte{3<<3 | 1}, math.Float64bits(n)))
		}
	}
	l = binary.AppendUvarint(append(l, 5<<3), extent)
	return message(nil, 3, l)
}
