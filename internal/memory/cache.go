package memory

import (
	"sync"
	"sync/atomic"
)

// Caches hold objects from chunk to chunk and from query to query. They count against the budget,
// and are emptied first, as their objects can be made again.

var caches struct {
	sync.Mutex
	empty []func() int64
	bytes atomic.Int64
}

// idleFraction is the part of the budget that caches may hold while no query runs, as 1 in
// idleFraction. The next query often uses the same objects.
const idleFraction = 32

// RegisterCache registers a function that empties a cache and returns the bytes that it held. The
// function must work in any goroutine. It is called when the budget is used up, when a database is
// closed, and when no query runs and caches hold much.
func RegisterCache(empty func() (bytes int64)) {
	caches.Lock()
	defer caches.Unlock()
	caches.empty = append(caches.empty, empty)
}

// ReserveCache reserves n bytes of the budget for a cache, if a quarter of the budget then stays
// free, and reports whether it did. Call it before allocating.
func ReserveCache(n int64) bool {
	limit := Limit()
	if n <= 0 || !tryReserve(n, limit-limit/4) {
		return false
	}
	caches.bytes.Add(n)
	return true
}

// UnreserveCache gives n bytes back that ReserveCache reserved.
func UnreserveCache(n int64) {
	caches.bytes.Add(-n)
	Unreserve(n)
}

// Cached returns the bytes that caches have reserved.
func Cached() int64 { return caches.bytes.Load() }

// EmptyCaches empties all caches and returns the bytes that they held.
func EmptyCaches() (bytes int64) {
	caches.Lock()
	defer caches.Unlock()
	for _, empty := range caches.empty {
		bytes += empty()
	}
	return bytes
}
