package bridge

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// ErrText is the error for a text longer than a string in SQL may be.
var ErrText = errors.New("the text is too long")

const (
	maxText    = math.MaxInt32
	maxFeature = 1 << 10 // bytes: text, ten coordinates, a count
	leastPlain = 1e-15   // the smallest cell size, and the inverse of the largest, without exponents
)

// AppendGeoJSON appends the cells of an area, as View.Cells returns them, as a FeatureCollection of
// RFC 7946. Each cell that counts at least threshold is a feature: its square, with the property
// count. Coordinates are the shortest decimals of the edges, in any unit; GeoJSON expects degrees.
//
// If room is not nil, it is called with the size of each larger buffer before that is made. Its
// error ends the text. threshold is at least 1. Errors come from View.Cells; one wraps
// ErrText above 2 GiB.
func AppendGeoJSON(v *ccbf.View, dst []byte, a ccbf.Area, threshold uint64, of ccbf.Categories, room func(bytes int64) error) ([]byte, error) {
	if threshold == 0 {
		return dst, fmt.Errorf("%w: threshold is 0, must be at least 1", ccbf.ErrSpots)
	}
	cells, err := v.Cells(a, of)
	if err != nil {
		return dst, err
	}
	grow := func() error {
		size := 2 * int64(cap(dst)+maxFeature)
		if int64(len(dst)) > maxText-2*maxFeature {
			return fmt.Errorf("%w: more than 2 GiB (ask for a smaller area or a higher threshold)", ErrText)
		}
		if room != nil {
			if err := room(size); err != nil {
				return err
			}
		}
		dst = append(make([]byte, 0, size), dst...)
		return nil
	}
	w := newFeatureWriter(v.Grid)
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

// featureWriter writes cells as GeoJSON features.
type featureWriter struct {
	// grid is the grid of the sketch.
	grid   grid.Grid
	format byte      // the format for strconv.AppendFloat.
	edges  [4][]byte // the west, south, east and north edge of a cell as text.
}

func newFeatureWriter(g grid.Grid) featureWriter {
	w := featureWriter{grid: g, format: 'f'}
	if res := g.Res(); res < leastPlain || res > 1/leastPlain {
		w.format = 'g'
	}
	return w
}

func (w *featureWriter) append(dst []byte, s ccbf.Spot) []byte {
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

// edge appends the lower edge of a cell.
func (w *featureWriter) edge(dst []byte, cell int64) []byte {
	v := min(max(w.grid.Edge(cell), -math.MaxFloat64), math.MaxFloat64)
	return strconv.AppendFloat(dst, v, w.format, -1, 64)
}
