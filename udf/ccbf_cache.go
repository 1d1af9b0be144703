package udf

import (
	"hash/maphash"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/internal/memory"
	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// A sketch whose places are looked up again and again is decoded once and cached. It is decoded
// after lookups have cost as much as decoding, so lookups never cost more than twice as much as
// they must. The source is Karlin et al., Competitive Snoopy Caching, 1988. Costs add up from chunk to chunk.
//
// The cache also has the noise of counters, of which estimates would otherwise make one for every chunk.
//
// The cache counts against the budget. It is emptied if the budget is used up. If it is large, it
// is also emptied when no query runs.

// cacheKey identifies a sketch by its length and a hash of its ends. The first end has the checksum
// of all bytes. The address is no key, as memory is used again. A hash of all bytes would take
// longer than the lookups.
type cacheKey struct {
	hash          uint64 // hash of the BLOB
	length        int    // length of the BLOB
	allCategories bool   // the decoded sketch is for lookups without a category
}

var hashSeed = maphash.MakeSeed()

// hashedEnd is the number of bytes that are hashed at each end.
const hashedEnd = 256

// cacheKeyOf returns the key of a sketch.
func cacheKeyOf(blob []byte, allCategories bool) cacheKey {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	h.Write(blob[:min(hashedEnd, len(blob))])
	h.Write(blob[max(0, len(blob)-hashedEnd):])
	return cacheKey{h.Sum64(), len(blob), allCategories}
}

// maxCached is the number of sketches in the cache, with those that have costs only.
const maxCached = 1 << 14

// cachedSketch is a sketch in the cache: the costs of its lookups, and later the decoded sketch.
type cachedSketch struct {
	// Decoded is nil until the sketch is decoded. noise is nil until it is made.
	*bridge.Decoded
	noise    *bridge.Noise
	bytes    int64 // memory reserved for Decoded or noise
	cost     int   // cost of the lookups so far, see addCost
	decoding bool  // a thread decodes the sketch now
}

// sketchCache is the decoded sketches of the process, with the least recently used first.
type sketchCache struct {
	sync.Mutex
	*simplelru.LRU[cacheKey, *cachedSketch]
}

var decodedSketches = newSketchCache()

func newSketchCache() *sketchCache {
	s := new(sketchCache)
	// The only error is for a cache without room.
	s.LRU, _ = simplelru.NewLRU(maxCached, func(_ cacheKey, k *cachedSketch) { memory.UnreserveCache(k.bytes) })
	memory.EmptyCache = s.empty
	return s
}

// find appends the decoded sketch of each key to found, or nil if the cache does not have it.
func (s *sketchCache) find(keys []cacheKey, found []*bridge.Decoded) []*bridge.Decoded {
	s.Lock()
	defer s.Unlock()
	for _, key := range keys {
		var d *bridge.Decoded
		if k, ok := s.Get(key); ok {
			d = k.Decoded
		}
		found = append(found, d)
	}
	return found
}

// addCost adds the parameter cost to the sum for lookups in a sketch. ofDecoding is the cost of decoding
// the sketch. When the sum reaches it, addCost reports true in one thread, which must call decode.
func (s *sketchCache) addCost(key cacheKey, cost, ofDecoding int) bool {
	s.Lock()
	defer s.Unlock()
	k, ok := s.Get(key)
	if !ok {
		k = new(cachedSketch)
		s.Add(key, k)
	}
	if k.cost += cost; k.cost < ofDecoding || k.decoding || k.Decoded != nil {
		return false
	}
	k.decoding, k.cost = true, 0
	return true
}

// decode decodes the sketch of v and adds it to the cache, if it fits into a quarter of the budget. It
// removes the least recently used sketches to make room.
func (s *sketchCache) decode(key cacheKey, v *ccbf.View) {
	n, ok := bridge.DecodedBytes(v, key.allCategories)
	if !ok || !s.reserve(n) {
		n = 0
	}
	var d *bridge.Decoded
	defer func() { // deferred, so that the reservation ends even if decoding panics
		s.Lock()
		defer s.Unlock()
		k, is := s.Peek(key)
		if is {
			k.decoding = false
		}
		if is && d != nil && k.Decoded == nil { // the cache may have been emptied, and the sketch added again
			k.Decoded, k.bytes = d, n
			return
		}
		memory.UnreserveCache(n)
	}()
	if n > 0 {
		if of, ok := bridge.Decode(v, key.allCategories); ok {
			d = &of
		}
	}
}

// useNoise gives a view the noise of its sketch, if estimates need one: from the cache, or else for the cache.
func (s *sketchCache) useNoise(v *ccbf.View, blob []byte) {
	if !bridge.WantsNoise(v) {
		return
	}
	key := cacheKeyOf(blob, false)
	s.Lock()
	k, ok := s.Get(key)
	s.Unlock()
	if ok {
		k.noise.Use(v)
		return
	}
	n := bridge.NoiseOf(v)
	if !s.reserve(n.Bytes()) {
		return
	}
	s.Lock()
	defer s.Unlock()
	s.Remove(key) // another thread may have made the same
	s.Add(key, &cachedSketch{noise: n, bytes: n.Bytes()})
}

// reserve reserves n bytes more. It removes the least recently used sketches if it must, and
// reports false if there is still no room.
func (s *sketchCache) reserve(n int64) bool {
	s.Lock()
	defer s.Unlock()
	limit := memory.Limit() / 4
	if n > limit {
		return false
	}
	for memory.Cached()+n > limit || !memory.ReserveCache(n) {
		if _, _, ok := s.RemoveOldest(); !ok { // the cache is empty: threads that decode now have reserved the rest
			return false
		}
	}
	return true
}

// empty removes all sketches and costs, and returns the bytes of the sketches.
func (s *sketchCache) empty() int64 {
	s.Lock()
	defer s.Unlock()
	before := memory.Cached()
	s.Purge()
	return before - memory.Cached()
}
