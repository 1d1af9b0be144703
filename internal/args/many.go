package args

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

const (
	// A chunk is halved if it has halvedRows rows or more, and the sketches in its second half have
	// halvedBytes bytes or more. Two goroutines then compute one half of the rows each. DuckDB gives a
	// few hundred sketches to one thread, however large they are.
	halvedRows  = 64
	halvedBytes = 1 << 17
)

// ManyExact reports whether two goroutines pay for a chunk of sketches. The chunk needs enough rows, and the rows
// of its second half need enough bytes. Rows from index from on must be exact sketches, as other forms have limits of
// work or depend on the order of rows.
func ManyExact(sketches *duck.Vector, n, from int) bool {
	if n < halvedRows {
		return false
	}
	var h ccbf.Head
	bytes := 0
	for i := from; i < n; i++ {
		if !sketches.Valid(i) {
			return false
		}
		blob := sketches.Bytes(i)
		if err := bridge.ReadHead(&h, blob); err != nil || h.Form() != ccbf.Exact {
			return false
		}
		if i >= n/2 {
			bytes += len(blob)
		}
	}
	return bytes >= halvedBytes
}
