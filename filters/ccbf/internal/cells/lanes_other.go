//go:build !amd64

package cells

var haveLanes = false

func insideLanes(keys, counts *uint64, n int, box *spread) (sum, all uint64) { return 0, 0 }

func keysLanes(dst *uint64, xs, ys *float64, n int, inv, p, q float64) (done int) { return 0 }
