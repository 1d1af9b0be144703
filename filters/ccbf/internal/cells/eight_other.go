//go:build !amd64

package cells

var haveEight = false

func encodeEights(all *Eight, words *uint64, begins *int, n int) {}
