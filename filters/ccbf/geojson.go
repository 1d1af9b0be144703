package ccbf

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// ErrText is a text that is longer than a string in SQL may be.
var ErrText = errors.New("the text is too long")

const (
	maxText    = math.MaxInt32
	maxFeature = 1 << 10 // bytes: text, ten coordinates, a count
)

// AppendGeoJSON appends the cells of a rectangle, as Cells returns them, as a
// FeatureCollection of RFC 7946: for each cell that counts threshold or more, its square
// and the property count. Coordinates have as many digits as the resolution, or six more
// than its first one if that is more, in any unit; GeoJSON expects degrees.
//
// room, unless it is nil, is called with the bytes of each larger buffer before it is
// made, and its error ends the text. threshold is at least 1. Errors as Cells; one that
// wraps ErrText for more than 2 GiB.
func (v *View) AppendGeoJSON(dst []byte, box grid.Rect, threshold uint64, category []byte, room func(bytes int64) error) ([]byte, error) {
	if threshold == 0 {
		return dst, fmt.Errorf("%w: threshold is 0, must be at least 1", ErrSpots)
	}
	cells, err := v.Cells(box, category)
	if err != nil {
		return dst, err
	}
	grow := func() error {
		size := 2 * int64(cap(dst)+maxFeature)
		if int64(len(dst)) > maxText-2*maxFeature {
			return fmt.Errorf("%w: more than 2 GiB (ask for a smaller box or a higher threshold)", ErrText)
		}
		if room != nil {
			if err := room(size); err != nil {
				return err
			}
		}
		dst = append(make([]byte, 0, size), dst...)
		return nil
	}
	w := featureWriter{res: v.Grid.Res(), decimals: decimalsOf(v.Grid.Res())}
	start := len(dst)
	for s := range cells {
		if s.Count < threshold {
			continue
		}
		if cap(dst)-len(dst) < maxFeature {
			if err := grow(); err != nil {
				return dst[:start], err
			}
		}
		if len(dst) == start {
			dst = append(dst, `{"type":"FeatureCollection","features":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = w.append(dst, s)
	}
	if len(dst) == start {
		return append(dst, `{"type":"FeatureCollection","features":[]}`...), nil
	}
	return append(dst, "]}"...), nil
}

// decimalsOf is how many decimals the edges of cells are written with; -1 for an
// exponent, as very large and very small ones have.
func decimalsOf(res float64) int {
	const (
		more  = 6 // a millionth of a side
		plain = 1e15
	)
	if res > plain || res < 1/plain {
		return -1
	}
	text := strconv.FormatFloat(res, 'f', -1, 64)
	point := strings.IndexByte(text, '.')
	if point < 0 {
		return 0
	}
	return min(len(text)-point-1, max(0, int(math.Ceil(-math.Log10(res))))+more)
}

// featureWriter writes cells as features.
type featureWriter struct {
	res      float64
	decimals int
	edges    [4][]byte // west, south, east, north
}

func (w *featureWriter) append(dst []byte, s Spot) []byte {
	side := int64(1) << s.Level
	for i, cell := range [...]int64{s.Cell.X, s.Cell.Y, s.Cell.X + side, s.Cell.Y + side} {
		w.edges[i] = w.edge(w.edges[i][:0], cell)
	}
	dst = append(dst, `{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[`...)
	for i, corner := range [...][2]int{{0, 1}, {2, 1}, {2, 3}, {0, 3}, {0, 1}} { // counterclockwise
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, '['), w.edges[corner[0]]...)
		dst = append(append(dst, ','), w.edges[corner[1]]...)
		dst = append(dst, ']')
	}
	dst = append(dst, `]]},"properties":{"count":`...)
	dst = strconv.AppendUint(dst, s.Count, 10)
	return append(dst, "}}"...)
}

// edge writes the lower edge of a cell, without zeros at its end.
func (w *featureWriter) edge(dst []byte, cell int64) []byte {
	v := float64(cell) * w.res
	if w.decimals < 0 {
		return strconv.AppendFloat(dst, min(max(v, -math.MaxFloat64), math.MaxFloat64), 'g', -1, 64)
	}
	dst = strconv.AppendFloat(dst, v, 'f', w.decimals, 64)
	if w.decimals > 0 {
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
		if dst[len(dst)-1] == '.' {
			dst = dst[:len(dst)-1]
		}
	}
	return dst
}
