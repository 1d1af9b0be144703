package duck

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Page is a Go object that belongs to a State. Its owner reports its size to the Lease.
type Page any

// ErrReclaimed is wrapped by the error of a State whose page was reclaimed to make room.
var ErrReclaimed = errors.New("this group's memory was given up to make room")

// Lease holds one page and its account with the budget of the process. DuckDB does not destroy
// every state, so the store may drop the page at any time (docs/MEMORY.md). The object lives as
// long as a callback refers to it.
type Lease struct {
	obj      any           // the page.
	size     atomic.Int64  // bytes reserved for the page; leaseDead after the page was dropped.
	touched  atomic.Uint32 // value of clock at the last use.
	final    atomic.Uint32 // value of clock when the page last gave a result; 0 if never.
	handle   uint32        // where the store has this Lease.
	gen      uint32        // generation, as in the State.
	instance uint32        // number of the Instance.
}

// leaseDead is the size of a Lease whose page was dropped.
const leaseDead = -1 << 62

// Set sets the object that State.Page returns. Call it in the callback that made the page.
func (l *Lease) Set(obj Page) { l.obj = obj }

// Size returns the bytes that are reserved for the page, 0 if it was dropped or reclaimed.
func (l *Lease) Size() int64 { return max(l.size.Load(), 0) }

// Grow reserves delta more bytes, before they are allocated; a negative delta gives bytes back.
// An error changes nothing. It wraps ErrBudget if there is no room, and ErrReclaimed if the page
// itself was dropped.
func (l *Lease) Grow(delta int64) error {
	if delta > 0 {
		if err := reserve(delta); err != nil {
			return err
		}
	}
	for {
		old := l.size.Load()
		if old < 0 {
			if delta > 0 {
				used.Add(-delta)
			}
			return reclaimedError()
		}
		if old+delta < 0 {
			return fmt.Errorf("a page of %d bytes cannot give back %d", old, -delta)
		}
		if l.size.CompareAndSwap(old, old+delta) {
			if delta < 0 {
				unreserve(-delta)
			}
			return nil
		}
	}
}

// Scarce returns 2 if less than a quarter of the budget is left, 1 if less than half, and otherwise 0. The
// owner of a page should hold fewer bytes then, if it can do so without an error.
func (l *Lease) Scarce() int {
	switch used, limit := used.Load(), memoryLimit(); {
	case used > limit/4*3:
		return 2
	case used > limit/2:
		return 1
	}
	return 0
}

// close ends the account of the page. The first call returns its size, the others 0.
func (l *Lease) close() int64 {
	return max(l.size.Swap(leaseDead), 0)
}

// The store maps a handle to an entry and to its Lease, which must have the State's generation. A
// handle is an index into a shard, with the shard's number in its low bits. A lookup is three
// loads and takes no lock.
const (
	shardBits = 4
	shards    = 1 << shardBits
	chunkBits = 12
	chunkLen  = 1 << chunkBits
	maxChunks = 1 << 10 // per shard: 64 million pages in all
)

// entryChunk is a block of entries of a shard. Blocks are allocated when needed.
type entryChunk [chunkLen]atomic.Pointer[Lease]

// shard is a part of the store, with its own lock.
type shard struct {
	chunks [maxChunks]atomic.Pointer[entryChunk]
	mu     sync.Mutex
	free   []uint32 // indexes of entries to use again
	next   uint32   // entries from index next on were never used
	live   atomic.Int64
	_      [64]byte // shards do not share cache lines
}

var (
	store      [shards]shard
	generation atomic.Uint32
	// clock is the number of callbacks so far. The age of a page is a difference of clock values, so no
	// time is read.
	clock atomic.Uint32
)

// entry returns entry i, or nil if there is none yet.
func (sh *shard) entry(i uint32) *atomic.Pointer[Lease] {
	if i>>chunkBits >= maxChunks {
		return nil
	}
	c := sh.chunks[i>>chunkBits].Load()
	if c == nil {
		return nil
	}
	return &c[i&(chunkLen-1)]
}

// take returns the index of an unused entry, and false if the shard is full. Entry 0 is never used, as handle 0
// means no page.
func (sh *shard) take() (uint32, bool) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if n := len(sh.free); n > 0 {
		i := sh.free[n-1]
		sh.free = sh.free[:n-1]
		return i, true
	}
	if sh.next == 0 {
		sh.next = 1
	}
	i := sh.next
	if i>>chunkBits >= maxChunks {
		return 0, false
	}
	if sh.chunks[i>>chunkBits].Load() == nil {
		sh.chunks[i>>chunkBits].Store(new(entryChunk))
	}
	sh.next++
	return i, true
}

// put makes entry i unused, so that take can return it again.
func (sh *shard) put(i uint32) {
	sh.mu.Lock()
	sh.free = append(sh.free, i)
	sh.mu.Unlock()
}

// forget removes a lease from the store and gives its bytes back to the budget. It returns their
// number. If two threads forget a lease at once, ok is true in one of them.
func forget(l *Lease) (size int64, ok bool) {
	sh := &store[l.handle&(shards-1)]
	i := l.handle >> shardBits
	e := sh.entry(i)
	if e == nil || !e.CompareAndSwap(l, nil) {
		return 0, false
	}
	size = l.close()
	sh.live.Add(-1)
	if in := instanceOf(l.instance); in != nil {
		in.live.Add(-1)
	}
	sh.put(i)
	unreserve(size)
	return size, true
}

// NewPage reserves size bytes for a page with the lease l, which must be new, and gives the page to
// the state. Set its object with Lease.Set before. NewPage drops the page or the slot that the state
// had. The error wraps ErrBudget, or says that the store is full.
func (s *State) NewPage(l *Lease, size int64) error {
	s.Drop()
	if err := l.open(s.gen, size, generation.Add(1)&^slabGen); err != nil {
		return err
	}
	s.handle, s.gen = l.handle, l.gen
	return nil
}

// open reserves size bytes for the page of a new lease of an instance, and gives it a handle. The error
// wraps ErrBudget, or says that the store is full.
func (l *Lease) open(instance uint32, size int64, gen uint32) error {
	if size < 0 {
		return fmt.Errorf("a page of %d bytes", size)
	}
	if err := reserve(size); err != nil {
		return err
	}
	n := rand.Uint32() & (shards - 1)
	sh := &store[n]
	i, ok := sh.take()
	if !ok {
		used.Add(-size)
		return errors.New("too many pages")
	}
	l.handle, l.gen, l.instance = i<<shardBits|n, gen, instance
	l.size.Store(size)
	l.touched.Store(clock.Load())
	if in := instanceOf(l.instance); in != nil {
		in.live.Add(1)
	}
	sh.live.Add(1)
	sh.entry(i).Store(l)
	return nil
}

// touch notes that the page is used by the current callback.
func (l *Lease) touch() {
	if now := clock.Load(); l.touched.Load() != now {
		l.touched.Store(now)
	}
}

// leaseOf returns the lease with a handle and a generation, or nil if its page was dropped.
func leaseOf(handle, gen uint32) *Lease {
	e := store[handle&(shards-1)].entry(handle >> shardBits)
	if e == nil {
		return nil
	}
	if l := e.Load(); l != nil && l.gen == gen {
		return l
	}
	return nil
}

// Page returns the object of the state's page, or nil if it has none. The error wraps
// ErrReclaimed if the page was reclaimed.
func (s *State) Page() (any, error) {
	if !s.HasPage() {
		return nil, nil
	}
	l := leaseOf(s.handle, s.gen)
	if l == nil {
		return nil, reclaimedError()
	}
	l.touch()
	return l.obj, nil
}

// HasPage reports whether the state was given a page, reclaimed or not.
func (s *State) HasPage() bool { return s.handle-1 < slotFlag-1 }

// Drop drops the state's page or slot, if it has one.
func (s *State) Drop() {
	had := *s
	s.handle, s.gen = 0, 0
	if had.handle == 0 {
		s.gen = had.gen
	} else if had.HasSlot() {
		if sl, _ := had.slot(); sl != nil {
			s.gen = sl.lease.instance
			sl.release(1)
		}
	} else if l := leaseOf(had.handle, had.gen); l != nil {
		s.gen = l.instance
		forget(l)
	}
}

// markFinal notes that the pages of these states have made their results. Until they
// are touched again, they are reclaimed before all others.
func (s States) markFinal() {
	now := clock.Load()
	for i := range s.n {
		st := *(**State)(unsafe.Add(s.p, i*8))
		if !st.HasPage() {
			continue
		}
		if l := leaseOf(st.handle, st.gen); l != nil {
			l.final.Store(max(now, 1))
			l.touched.Store(now)
		}
	}
}

// eachLease calls f for every page until it returns false.
func eachLease(f func(*Lease) bool) {
	for n := range store {
		sh := &store[n]
		if sh.live.Load() == 0 {
			continue
		}
		for c := range sh.chunks {
			chunk := sh.chunks[c].Load()
			if chunk == nil {
				break
			}
			for i := range chunk {
				if l := chunk[i].Load(); l != nil && !f(l) {
					return
				}
			}
		}
	}
}

// PagesLive returns the number of pages in the store.
func PagesLive() int64 {
	var n int64
	for i := range store {
		n += store[i].live.Load()
	}
	return n
}

// ReleaseAll drops every page and empties the caches. Call it while no query runs: a query that
// does ends with ErrReclaimed.
func ReleaseAll() {
	emptyCaches()
	if PagesLive() == 0 {
		return
	}
	eachLease(func(l *Lease) bool { forget(l); return true })
}
