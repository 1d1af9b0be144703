package udf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// These functions list the bits, counters or fingerprints of a sketch, for learning and debugging.
var (
	rowsType = duck.ListOf(duck.ListOf(duck.UBigInt))

	_ = only(bloom.Family, function("", "X_bits", duck.ListOf(duck.Boolean), inside(bloom.Family, putFirst(func(bit uint64) bool { return bit != 0 })),
		"The bits of a filter, of at most 1,048,576, to look at.",
		"X_bits(X_add(X_empty({bits: 8, k: 2}), 'oak'))", params(paramSketch)))
	_ = only(cms.Family, function("", "X_table", rowsType, inside(cms.Family, putLists),
		"The counters of a sketch, a list for each row, of at most 1,048,576, to look at.",
		"X_table(X_add(X_empty({width: 4, depth: 2}), 'oak'))", params(paramSketch)))
	_ = only(cbf.Family, function("", "X_counters", duck.ListOf(duck.UBigInt), inside(cbf.Family, putFirst(func(counter uint64) uint64 { return counter })),
		"The counters of a filter, of at most 1,048,576, as the numbers in their bits, to look at. With variable_length, they are halves at first.",
		"list_sum(X_counters(X_add(X_empty({capacity: 5, k: 3}), 'oak')))", params(paramSketch)))
	_ = only(sbf.Family, function("", "X_counters", rowsType, inside(sbf.Family, putLists),
		"The counters of a sketch, of at most 1,048,576, to look at: one list, and with methods rm and trm a second one.",
		"X_counters(X_add(X_empty({counters: 6, k: 2}), 'oak'))", params(paramSketch)))
	_ = only(cuckoo.Family, function("", "X_buckets", rowsType, inside(cuckoo.Family, putLists),
		"The fingerprints in a filter, a list for each bucket, of at most 1,048,576 slots, to look at.",
		"X_buckets(X_add(X_empty({buckets: 4}), 'oak'))", params(paramSketch)))
)

// numberBytes is the memory of one number, 8 bytes in the View's list and 16 in DuckDB's list. The latter
// grows to twice its size.
const numberBytes = 3 * 8

// inside returns a function that lists the rows of a sketch. put writes the lists of row i.
func inside(f keyed.Any, put func(out *duck.Result, i int, lists [][]uint64)) compute {
	return func(c *call) error {
		return eachBlob(c, rowsOf(f), func(lists *[][]uint64, i int) error {
			for _, list := range *lists {
				if err := c.out.Charge(numberBytes * int64(len(list)+2)); err != nil {
					return err
				}
			}
			put(c.out, i, *lists)
			return nil
		})
	}
}

// putLists writes a list of lists.
func putLists(out *duck.Result, i int, lists [][]uint64) {
	outer := out.List(i, len(lists))
	for j, list := range lists {
		copy(duck.Out[uint64](outer.List(j, len(list))), list)
	}
}

// putFirst returns a function that writes the first list. The parameter as converts each number.
func putFirst[T any](as func(uint64) T) func(out *duck.Result, i int, lists [][]uint64) {
	return func(out *duck.Result, i int, lists [][]uint64) {
		dst := duck.Out[T](out.List(i, len(lists[0])))
		for j, n := range lists[0] {
			dst[j] = as(n)
		}
	}
}

// rowsOf returns a function that lists the rows of a BLOB.
func rowsOf(f keyed.Any) func(blob []byte) ([][]uint64, error) {
	r := f.Reader()
	return func(blob []byte) ([][]uint64, error) {
		if err := r.Open(blob); err != nil {
			return nil, err
		}
		return r.Rows()
	}
}

// The sizes of the picture, in pixels.
const (
	maxDrawn   = 4096 // largest number of rows and numbers in a picture; not in pixels
	drawnLine  = 32   // numbers beside each other in a line; not in pixels
	cellWidth  = 44
	cellHeight = 20
	labelWidth = 90
)

// sketchSVG computes sketch_svg.
func sketchSVG(c *call) error {
	return c.each(func(i int) error {
		svg, err := drawSketch(c.Col(0).Bytes(i))
		if err != nil {
			return err
		}
		if err := c.out.Charge(int64(len(svg))); err != nil {
			return err
		}
		c.out.SetString(i, svg)
		return nil
	})
}

// drawSketch returns a picture of a sketch of keys as SVG.
func drawSketch(blob []byte) (string, error) {
	b, err := sketch.Parse(blob)
	if err != nil {
		return "", err
	}
	families := filters.Keyed()
	i := slices.IndexFunc(families, func(f keyed.Any) bool { return f.About().ID == b.Family })
	if i < 0 {
		return "", fmt.Errorf("a %v sketch is drawn by %v_png", b.Family, b.Family)
	}
	f := families[i]
	lists, err := rowsOf(f)(blob)
	if err != nil {
		return "", err
	}
	title, _ := sketch.Describe(filters.Families(), blob)
	n, largest := len(lists), uint64(1)
	for _, list := range lists {
		n += len(list)
		for _, v := range list {
			largest = max(largest, v)
		}
	}
	if n > maxDrawn {
		return "", fmt.Errorf("the sketch has %s rows and numbers, at most %s are drawn: build a smaller one", sketch.Number(uint64(n)), sketch.Number(maxDrawn))
	}
	var cells strings.Builder
	y, widest := 2*cellHeight, 1
	for j, list := range lists {
		if name := f.Summaries().Row; name != "" {
			fmt.Fprintf(&cells, `<text x="4" y="%d">%s %d</text>`+"\n", y+14, name, j)
		}
		for k, v := range list {
			at := k % drawnLine
			if k > 0 && at == 0 {
				y += cellHeight
			}
			widest = max(widest, at+1)
			x := labelWidth + at*cellWidth
			fmt.Fprintf(&cells, `<rect x="%d" y="%d" width="%d" height="%d" fill="#2266aa" fill-opacity="%.2f" stroke="#999"/><text x="%d" y="%d">%s</text>`+"\n",
				x, y, cellWidth, cellHeight, 0.6*float64(v)/float64(largest), x+3, y+14, short(v))
		}
		y += cellHeight
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="monospace" font-size="11">`+"\n"+
		`<text x="4" y="14">%s</text>`+"\n%s</svg>\n", max(labelWidth+widest*cellWidth, 9*len(title)), y, title, cells.String()), nil
}

// short returns a number in at most six characters.
func short(v uint64) string {
	if v < 1e6 {
		return strconv.FormatUint(v, 10)
	}
	return strconv.FormatFloat(float64(v), 'g', 2, 64)
}
