package memory

import (
	"errors"
	"sync"
	"sync/atomic"
)

// Lease holds one page, a Go object that belongs to the state of a group. It is the page's account with
// the budget of the process: the page's owner reports its size. DuckDB does not destroy every state, so
// the store may drop the page at any time (docs/MEMORY.md). The object lives as long as a callback refers to it.
type Lease struct {
	page     any           // the object.
	size     atomic.Int64  // bytes reserved for the page; leaseDead after the page was dropped.
	touched  atomic.Uint32 // value of clock at the last use.
	final    atomic.Uint32 // value of clock when the page last gave a result; 0 if never.
	ref      Ref           // where the store has this Lease, and its generation.
	instance uint32        // number of the database whose query made the page.
}

// leaseDead is the size of a Lease whose page was dropped.
const leaseDead = -1 << 62

// Grow reserves delta more bytes, before they are allocated; a negative delta gives bytes back.
// An error changes nothing. It wraps ErrBudget if there is no room, or if the page itself was dropped.
func (l *Lease) Grow(delta int64) error {
	if delta > 0 {
		if err := Reserve(delta); err != nil {
			return err
		}
	}
	if l.size.Add(delta) < 0 { // the page was dropped
		l.size.Add(-delta)
		used.Add(-max(delta, 0))
		return errBudget()
	}
	if delta < 0 {
		Unreserve(-delta)
	}
	return nil
}

// Scarce returns 2 if less than a quarter of the budget is left, 1 if less than half, and otherwise 0. The
// owner of a page should hold fewer bytes then, if it can do so without an error.
func (l *Lease) Scarce() int {
	switch used, limit := used.Load(), Limit(); {
	case used > limit/4*3:
		return 2
	case used > limit/2:
		return 1
	}
	return 0
}

// turns is the bytes that pages take for a moment, and wakes those that wait for some of them.
var turns = struct {
	*sync.Cond
	taken int64
}{Cond: sync.NewCond(new(sync.Mutex))}

// Turn waits until pages that need memory for a moment take at most a quarter of the budget. That includes the n bytes
// of this page. It does not wait if no other page takes any, or if n is small. The caller calls done after it gave them
// back.
func (l *Lease) Turn(n int64) (done func()) {
	limit := Limit()
	if n < limit/64 {
		return func() {}
	}
	turns.L.Lock()
	defer turns.L.Unlock()
	for turns.taken > 0 && turns.taken+n > limit/4 {
		turns.Wait()
	}
	turns.taken += n
	return func() {
		turns.L.Lock()
		defer turns.L.Unlock()
		turns.taken -= n
		turns.Broadcast()
	}
}

// Ref is the part of a state that leads to its page or slot. It has no Go pointers, so it can be in memory
// that DuckDB owns, moves and frees. Without a page it is the number of the database. Otherwise it has the
// highest bit. Its lowest bits are the index of the page's Lease in the store. The number of the state's slot
// follows if the page is a slab, and then the generation of the Lease. So an old or forged Ref finds
// no page that was made later.
type Ref uint64

const (
	indexBits      = 26 // 64 million pages in all
	slotBits       = 10
	slotShift      = indexBits
	genShift       = indexBits + slotBits
	genBits        = 62 - genShift
	isSlot     Ref = 1 << 62 // the page is a slab
	hasPage    Ref = 1 << 63
	slotNumber     = Ref(1<<slotBits-1) << slotShift
)

func (r Ref) index() uint32 { return uint32(r & (1<<indexBits - 1)) }

const (
	chunkBits = 12
	chunkLen  = 1 << chunkBits
)

// entryChunk is a block of entries of the store. Blocks are allocated when needed.
type entryChunk [chunkLen]atomic.Pointer[Lease]

// store has the Lease of each page. A lookup takes no lock.
var store struct {
	chunks [1 << (indexBits - chunkBits)]atomic.Pointer[entryChunk]
	live   atomic.Int64 // number of pages.

	mu         sync.Mutex
	free       []uint32 // indexes of entries to use again.
	next       uint32   // entries from this index on were never used.
	generation uint64   // number of pages that were ever made.
}

// entry returns entry i of the store, or nil if there is none yet.
func entry(i uint32) *atomic.Pointer[Lease] {
	c := store.chunks[i>>chunkBits].Load()
	if c == nil {
		return nil
	}
	return &c[i&(chunkLen-1)]
}

// open makes l, which is new, the lease of a page of a database. It reserves size bytes, and enters l in the
// store. kind is isSlot for a slab, and 0 for other pages. The error wraps ErrBudget, or says that the store
// is full.
func (l *Lease) open(page any, instance uint32, size int64, kind Ref) error {
	if err := Reserve(size); err != nil {
		return err
	}
	store.mu.Lock()
	defer store.mu.Unlock()
	i := store.next
	if n := len(store.free); n > 0 {
		i = store.free[n-1]
		store.free = store.free[:n-1]
	} else {
		if i == 1<<indexBits {
			used.Add(-size)
			return errors.New("too many pages")
		}
		if store.chunks[i>>chunkBits].Load() == nil {
			store.chunks[i>>chunkBits].Store(new(entryChunk))
		}
		store.next++
	}
	store.generation++
	l.ref = hasPage | kind | Ref(store.generation&(1<<genBits-1))<<genShift | Ref(i)
	l.page, l.instance = page, instance
	l.size.Store(size)
	l.touched.Store(clock.Load())
	store.live.Add(1)
	entry(i).Store(l)
	return nil
}

// forget removes a lease from the store and gives its bytes back to the budget. It returns their
// number, or 0 if another thread has removed the lease.
func forget(l *Lease) (size int64) {
	i := l.ref.index()
	if e := entry(i); e == nil || !e.CompareAndSwap(l, nil) {
		return 0
	}
	size = max(l.size.Swap(leaseDead), 0)
	store.live.Add(-1)
	store.mu.Lock()
	store.free = append(store.free, i)
	store.mu.Unlock()
	Unreserve(size)
	return size
}

// lease returns the lease of the page or slab, or nil if the page was dropped.
func (r Ref) lease() *Lease {
	e := entry(r.index())
	if e == nil {
		return nil
	}
	if l := e.Load(); l != nil && l.ref == r&^slotNumber {
		return l
	}
	return nil
}

// touch notes that the page is used by the current callback.
func (l *Lease) touch() {
	now := clock.Load()
	for at := l.touched.Load(); before(at, now) && !l.touched.CompareAndSwap(at, now); at = l.touched.Load() {
	}
}

// NewPage reserves size bytes for a page with the lease l, which must be new, and gives the page to
// the state. It drops the page or the slot that the state had. The error wraps ErrBudget, or says that the
// store is full.
func (r *Ref) NewPage(l *Lease, page any, size int64) error {
	r.Drop()
	if err := l.open(page, uint32(*r), size, 0); err != nil {
		return err
	}
	*r = l.ref
	return nil
}

// HasPage reports whether the state was given a page, reclaimed or not.
func (r *Ref) HasPage() bool { return *r&(hasPage|isSlot) == hasPage }

// Page returns the object of the state's page, or nil if it has none. The error wraps ErrBudget if
// the page was reclaimed.
func (r *Ref) Page() (any, error) {
	if !r.HasPage() {
		return nil, nil
	}
	l := r.lease()
	if l == nil {
		return nil, errBudget()
	}
	l.touch()
	if r.lease() != l { // another thread has dropped it, and may have freed its memory before the touch
		return nil, errBudget()
	}
	return l.page, nil
}

// Drop drops the state's page or slot, if it has one. It calls Free of a page with that method. It does not if a
// running callback may use the page: DuckDB also destroys what may be an old copy of a state.
func (r *Ref) Drop() {
	had := *r
	if had&hasPage == 0 {
		return
	}
	*r = 0
	l := had.lease()
	if l == nil {
		return
	}
	*r = Ref(l.instance)
	if had&isSlot != 0 {
		l.page.(*slab).release(1)
	} else if forget(l) > 0 {
		if p, ok := l.page.(interface{ Free() }); ok && before(l.touched.Load(), oldestRunning()) {
			p.Free()
		}
	}
}

// MarkFinal notes that the state's page has made its result. Until it is touched again, it is reclaimed
// before all others.
func (r *Ref) MarkFinal() {
	if !r.HasPage() {
		return
	}
	if l := r.lease(); l != nil {
		l.touch()
		l.final.Store(max(l.touched.Load(), 1))
	}
}

// eachLease calls f for every page.
func eachLease(f func(*Lease)) {
	if store.live.Load() == 0 {
		return
	}
	for c := range store.chunks {
		chunk := store.chunks[c].Load()
		if chunk == nil {
			break
		}
		for i := range chunk {
			if l := chunk[i].Load(); l != nil {
				f(l)
			}
		}
	}
}

// Release drops the pages of a database, given by its number, and empties the cache if it holds much. Call
// it while none of its queries runs.
func Release(instance uint32) {
	if Cached() > Limit()/idleFraction {
		EmptyCache()
	}
	eachLease(func(l *Lease) {
		if l.instance == instance {
			forget(l)
		}
	})
}
