package udf

import (
	"hash/maphash"
	"math/bits"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// A sketch that is asked about places again and again is decoded once and kept: rent
// until as much was paid as buying costs, then buy (Karlin et al., Competitive Snoopy
// Caching, 1988), so that no questions cost more than twice as much as they must. What
// was paid is remembered from chunk to chunk; what is kept counts against the budget,
// and is given up where that is needed, and when no query runs if it is much.

// cacheKey identifies a sketch: its length, and a hash of its ends. The first one has its
// checksum, of all bytes. Its address says nothing, as memory is used again, and a hash of everything would take
// longer than the answers.
type cacheKey struct {
	hash     uint64
	length   int
	together bool // for questions without a category
}

var keptSeed = maphash.MakeSeed()

// hashedEnd is how many bytes of each end are hashed.
const hashedEnd = 256

func nameOf(blob []byte, together bool) cacheKey {
	name := cacheKey{length: len(blob), together: together}
	if len(blob) <= 2*hashedEnd {
		name.hash = maphash.Bytes(keptSeed, blob)
	} else {
		name.hash = maphash.Bytes(keptSeed, blob[:hashedEnd]) ^ bits.RotateLeft64(maphash.Bytes(keptSeed, blob[len(blob)-hashedEnd:]), 1)
	}
	return name
}

// mostKept is the number of sketches, or more, for which it is known what was paid.
const mostKept = 1 << 14

// cachedSketch is a decoded sketch in the cache, or its reservation in the budget.
type cachedSketch struct {
	*bridge.Decoded       // nil before it is bought
	bytes           int64 // that are counted for it
	paid            int
	buying          bool // a thread decodes it
}

// sketchCache has the decoded sketches of the process, the least recently used first.
type sketchCache struct {
	sync.Mutex
	*simplelru.LRU[cacheKey, *cachedSketch]
	bytes int64
}

var kept = newKept()

func newKept() *sketchCache {
	s := new(sketchCache)
	var err error
	s.LRU, err = simplelru.NewLRU(mostKept, func(_ cacheKey, k *cachedSketch) {
		s.bytes -= k.bytes
		duck.UnreserveCache(k.bytes)
	})
	if err != nil {
		panic(err)
	}
	duck.RegisterCache(s.giveUp)
	return s
}

// find appends the sketches of these names, nil where one is not kept.
func (s *sketchCache) find(names []cacheKey, found []*bridge.Decoded) []*bridge.Decoded {
	s.Lock()
	defer s.Unlock()
	for _, name := range names {
		var d *bridge.Decoded
		if k, ok := s.Get(name); ok {
			d = k.Decoded
		}
		found = append(found, d)
	}
	return found
}

// pay notes that n was paid for questions, and reports whether that makes the price: then one of
// several threads is told, which calls buy.
func (s *sketchCache) pay(name cacheKey, n, price int) bool {
	s.Lock()
	defer s.Unlock()
	k, ok := s.Get(name)
	if !ok {
		k = new(cachedSketch)
		s.Add(name, k)
	}
	if k.paid += n; k.paid < price || k.buying || k.Decoded != nil {
		return false
	}
	k.buying, k.paid = true, 0
	return true
}

// buy keeps the sketch of a view, where there is room in a quarter of the budget: others make that, which were
// not asked for longer.
func (s *sketchCache) buy(name cacheKey, v *ccbf.View) {
	n, ok := bridge.DecodedBytes(v, name.together)
	if !ok || !s.reserve(n) {
		n = 0
	}
	var d *bridge.Decoded
	defer func() { // also where decoding panics
		s.Lock()
		defer s.Unlock()
		k, is := s.Peek(name)
		if is {
			k.buying = false
		}
		if is && d != nil {
			k.Decoded, k.bytes = d, n
			return
		}
		s.bytes -= n
		duck.UnreserveCache(n)
	}()
	if n > 0 {
		if of, ok := bridge.Decode(v, name.together); ok {
			d = &of
		}
	}
}

// reserve counts n bytes more.
func (s *sketchCache) reserve(n int64) bool {
	s.Lock()
	defer s.Unlock()
	most := duck.MemoryLimit() / 4
	if n > most {
		return false
	}
	for s.bytes+n > most || !duck.ReserveCache(n) {
		if _, _, ok := s.RemoveOldest(); !ok { // threads that decode hold the rest
			return false
		}
	}
	s.bytes += n
	return true
}

// giveUp gives up all, and forgets what was paid.
func (s *sketchCache) giveUp() int64 {
	s.Lock()
	defer s.Unlock()
	before := s.bytes
	s.Purge()
	return before - s.bytes
}
