package memory

import "sync/atomic"

// Package udf has a cache that holds decoded sketches from chunk to chunk and from query to query. It counts
// against the budget, and is emptied first, as its objects can be made again.

// EmptyCache empties the cache and returns the bytes that it held. The package of the cache sets it while it is
// initialized. The function must work in any goroutine. It is called when the budget is used up, when a database is
// closed, and when no query runs and the cache holds much.
var EmptyCache = func() (bytes int64) { return 0 }

// cached is the number of bytes that the cache has reserved.
var cached atomic.Int64

// idleFraction is the part of the budget that the cache may hold while no query runs, as 1 in
// idleFraction. The next query often uses the same objects.
const idleFraction = 32

// ReserveCache reserves n bytes of the budget for the cache, if a quarter of the budget then stays
// free, and reports whether it did. Call it before allocating.
func ReserveCache(n int64) bool {
	limit := Limit()
	if n <= 0 || !tryReserve(n, limit-limit/4) {
		return false
	}
	cached.Add(n)
	return true
}

// UnreserveCache gives n bytes back that ReserveCache reserved.
func UnreserveCache(n int64) {
	cached.Add(-n)
	Unreserve(n)
}

// Cached returns the bytes that the cache has reserved.
func Cached() int64 { return cached.Load() }
