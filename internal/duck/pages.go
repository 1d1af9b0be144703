package duck

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Page is any Go object that belongs to a State. Its size is what its owner says.
type Page any

// ErrReclaimed is wrapped by the error of a State whose page was given up to
// make room.
var ErrReclaimed = errors.New("this group's memory was given up to make room")

// Lease is one page's account with the process-wide budget. DuckDB does not
// destroy every state, so a page is never owned by its State alone: the store
// may drop it at any time, and whoever still holds the object keeps it alive
// (docs/MEMORY.md).
type Lease struct {
	obj      any
	size     atomic.Int64  // leaseDead once it is out of the books
	touched  atomic.Uint32 // clock of the last use
	final    atomic.Uint32 // clock when it was last finalized, 0 never
	handle   uint32
	gen      uint32
	instance uint32
}

const leaseDead = -1 << 62

// Set stores the object that State.Page returns. Call it before the callback
// that made the page ends.
func (l *Lease) Set(obj Page) { l.obj = obj }

// Size is what the page is charged for, 0 when it was dropped or reclaimed.
func (l *Lease) Size() int64 { return max(l.size.Load(), 0) }

// Grow charges delta more bytes. Call it before allocating them; a negative
// delta gives back. On an error nothing has changed: it wraps ErrBudget when
// there is no room, ErrReclaimed when the page itself is gone.
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
				giveBack(-delta)
			}
			return nil
		}
	}
}

// Scarce says how little of the budget is left: 1 where less than half of it is, 2 where
// less than a quarter, else 0. Who can hold less then does, without an error.
func (l *Lease) Scarce() int {
	switch used, most := used.Load(), most(); {
	case used > most/4*3:
		return 2
	case used > most/2:
		return 1
	}
	return 0
}

// close takes the page out of the books; the first call gets its size.
func (l *Lease) close() int64 {
	return max(l.size.Swap(leaseDead), 0)
}

// The store: handle -> entry -> Lease, whose generation must be the State's.
// A handle is an index into one shard, with the shard's number in its low bits.
// A lookup is three loads and takes no lock.
const (
	shardBits = 4
	shards    = 1 << shardBits
	chunkBits = 12
	chunkLen  = 1 << chunkBits
	maxChunks = 1 << 10 // per shard: 64 million pages in all
)

type entryChunk [chunkLen]atomic.Pointer[Lease]

type shard struct {
	chunks [maxChunks]atomic.Pointer[entryChunk]
	mu     sync.Mutex
	free   []uint32
	next   uint32 // entries below it were handed out at least once
	live   atomic.Int64
	_      [64]byte // shards do not share cache lines
}

var (
	store      [shards]shard
	generation atomic.Uint32
	// clock counts callbacks: what is older than what, without asking the time.
	clock atomic.Uint32
)

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

// take finds an entry that is not in use. Index 0 of shard 0 is never handed
// out, since handle 0 means no page.
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

func (sh *shard) put(i uint32) {
	sh.mu.Lock()
	sh.free = append(sh.free, i)
	sh.mu.Unlock()
}

// forget takes a lease out of the store and the books, and reports its size. Of
// two that try, one succeeds.
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
	giveBack(size)
	return size, true
}

// NewPage charges size bytes and gives the state a page; Lease.Set names its
// object. A page or a slot that the state had before is dropped. The error wraps
// ErrBudget.
func (s *State) NewPage(size int64) (*Lease, error) {
	if size < 0 {
		return nil, fmt.Errorf("a page of %d bytes", size)
	}
	s.Drop()
	l, err := newLease(s.gen, size, generation.Add(1)&^slabGen)
	if err != nil {
		return nil, err
	}
	s.handle, s.gen = l.handle, l.gen
	return l, nil
}

// newLease charges size bytes for a page of an instance.
func newLease(instance uint32, size int64, gen uint32) (*Lease, error) {
	if err := reserve(size); err != nil {
		return nil, err
	}
	n := rand.Uint32() & (shards - 1)
	sh := &store[n]
	i, ok := sh.take()
	if !ok {
		used.Add(-size)
		return nil, errors.New("too many pages")
	}
	l := &Lease{handle: i<<shardBits | n, gen: gen, instance: instance}
	l.size.Store(size)
	l.touched.Store(clock.Load())
	if in := instanceOf(l.instance); in != nil {
		in.live.Add(1)
	}
	sh.live.Add(1)
	sh.entry(i).Store(l)
	return l, nil
}

// touch notes that the page is used.
func (l *Lease) touch() {
	if now := clock.Load(); l.touched.Load() != now {
		l.touched.Store(now)
	}
}

// lease is the state's living lease, or nil.
func (s *State) lease() *Lease {
	e := store[s.handle&(shards-1)].entry(s.handle >> shardBits)
	if e == nil {
		return nil
	}
	if l := e.Load(); l != nil && l.gen == s.gen {
		return l
	}
	return nil
}

// Page is the object of the state's page: nil without an error when it has
// none. The error wraps ErrReclaimed when the page, or a slot, was given up.
func (s *State) Page() (any, error) {
	if s.HasSlot() && s.slab() == nil {
		return nil, reclaimedError()
	}
	if !s.HasPage() {
		return nil, nil
	}
	l := s.lease()
	if l == nil {
		return nil, reclaimedError()
	}
	l.touch()
	return l.obj, nil
}

// Pages appends the page of every state, nil where it has none. Where there are very many, no cache has them or
// what leads to them: of all of them one step is taken, and then the next, so that they are
// not waited for one by one.
func Pages(dst []Page, states []*State) ([]Page, error) {
	from := len(dst)
	for _, s := range states {
		// The generation is compared later: it is the lease's own.
		var l *Lease
		if e := store[s.handle&(shards-1)].entry(s.handle >> shardBits); s.HasPage() && e != nil {
			l = e.Load()
		}
		dst = append(dst, l)
	}
	for i, s := range states {
		l := dst[from+i].(*Lease)
		switch {
		case !s.HasPage():
			dst[from+i] = nil
			continue
		case l == nil || l.gen != s.gen:
			return dst[:from], reclaimedError()
		}
		l.touch()
		dst[from+i] = l.obj
	}
	return dst, nil
}

// HasPage reports whether the state was given a page, reclaimed or not.
func (s *State) HasPage() bool { return s.handle-1 < slotFlag-1 }

// Drop gives the state's page or slot back, if it has one.
func (s *State) Drop() {
	if s.HasSlot() {
		dropSlots([]*State{s})
		return
	}
	if s.handle == 0 {
		return
	}
	l := s.lease()
	s.handle, s.gen = 0, 0
	if l != nil {
		s.gen = l.instance
		forget(l)
	}
}

// markFinal notes that the pages of these states have made their results:
// until they are touched again they go first when room is needed.
func (s States) markFinal() {
	now := clock.Load()
	for i := range s.n {
		st := *(**State)(unsafe.Add(s.p, i*8))
		if !st.HasPage() {
			continue
		}
		if l := st.lease(); l != nil {
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

// PagesLive is the number of pages in the store.
func PagesLive() int64 {
	var n int64
	for i := range store {
		n += store[i].live.Load()
	}
	return n
}

// ReleaseAll gives back every page, and what is kept. Only a host that knows that no query is
// running may call it; a query that runs nevertheless ends with ErrReclaimed.
func ReleaseAll() {
	giveUpKept()
	if PagesLive() == 0 {
		return
	}
	eachLease(func(l *Lease) bool { forget(l); return true })
}
