package duck

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Very many states need a little more memory than they have inline. A page for each would be
// looked up by its lease, and allocated and collected by itself. Instead, they share slabs. A slab
// is a page with slots of many states. A state has the slab's handle and the number of its slot,
// so a write to a slot waits for no load from the slab.
//
// A state can have any number of slots. It has the name of the newest one, and each slot has the
// name of the one before. So new words are written at the end of a slab that is in the CPU caches,
// and older words are neither moved nor loaded.
//
// A slab hands its slots out in order, each of them once. It is dropped when its last slot is
// given back. If none of its states was touched for long, it is reclaimed as pages are.

// slab is a page with the slots of many states.
type slab struct {
	lease *Lease
	words []uint64
	next  int          // number of words handed out; used only by the callback that fills the slab.
	live  atomic.Int64 // number of slots that states have, plus maxSlots while a callback fills the slab.
	// newer names another slab, by handle and generation: it has the newest slot of a state that also has
	// a slot here. A callback that uses that state touches only the newer slab.
	newer atomic.Uint64
}

// A slot has whole cache lines. Its first word is the name of the slot before, 0 if there is none.
// The second one is the number of words that follow.
const (
	slotHead = 2 // words before the data of a slot
	slotLine = 8 // words of a cache line
	// MaxSlot is the largest number of words in a slot.
	MaxSlot = 320
	// The first slab is small, as there may be only one state.
	minSlab  = 1 << 9 // words
	maxSlab  = 1 << 13
	maxSlots = maxSlab / slotLine
	slabHead = 128 // bytes of a slab and its lease
)

// The handle of a state with a slot has slotFlag, the low bits of the slot's number, and the
// handle of the slab's lease. Its gen has the high bits of the number, and the lease's generation.
const (
	slotFlag   = 1 << 31
	handleBits = 26
	numberLow  = 5
	genBits    = 25
	// slabGen is set in the generation of slabs only, so a handle of a page never finds a slab.
	slabGen = 1 << 31
)

const _ = uint(1<<handleBits - shards*maxChunks*chunkLen) // handles fit
const _ = uint(1<<(numberLow+32-genBits) - maxSlots)      // and numbers of slots

// slabGeneration is the generation of the newest slab.
var slabGeneration atomic.Uint32

// HasSlot reports whether the state was given a slot, reclaimed or not.
func (s *State) HasSlot() bool { return s.handle >= slotFlag }

// name returns the name of the state's newest slot.
func (s *State) name() uint64 { return uint64(s.gen)<<32 | uint64(s.handle) }

// rename sets the name of the state's newest slot.
func (s *State) rename(name uint64) { s.handle, s.gen = uint32(name), uint32(name>>32) }

// slab returns the slab with the state's newest slot, or nil if it was dropped.
func (s *State) slab() *slab {
	l := s.slabLease()
	if l == nil {
		return nil
	}
	l.touch()
	return l.obj.(*slab)
}

// slabLease returns the lease of the slab with the state's newest slot, or nil if it was dropped.
func (s *State) slabLease() *Lease {
	h := s.handle & (1<<handleBits - 1)
	e := store[h&(shards-1)].entry(h >> shardBits)
	if e == nil {
		return nil
	}
	if l := e.Load(); l != nil && l.gen == slabGen|s.gen&(1<<genBits-1) {
		return l
	}
	return nil
}

// touched returns the value of clock when the slab was last touched. If a slab with newer slots of the
// same states was touched later, it returns that.
func (sl *slab) touched() uint32 {
	last := sl.lease.touched.Load()
	for range MaxSlot { // the limit ends a cycle: two slabs can name each other as newer
		var newer State
		newer.rename(sl.newer.Load())
		if !newer.HasSlot() {
			break
		}
		l := newer.slabLease()
		if l == nil {
			break
		}
		if t := l.touched.Load(); int32(t-last) > 0 {
			last = t
		}
		sl = l.obj.(*slab)
	}
	return last
}

// slot returns the slab with the state's newest slot, and its memory from that slot on; nil if the
// slab was dropped.
func (s *State) slot() (*slab, []uint64) {
	sl := s.slab()
	if sl == nil {
		return nil, nil
	}
	return sl, sl.words[int(s.handle&^slotFlag>>handleBits|s.gen>>genBits<<numberLow)*slotLine:]
}

// dropSlots gives back the slots of at most dropsAtOnce states. In each round it gives back one slot of
// each state, so that the cache misses for many slots overlap. Nothing else may change the states. The
// same state may be in the list twice.
func dropSlots(states []*State) {
	var all [dropsAtOnce]struct {
		slab         *slab
		slot         []uint64
		name, before uint64
	}
	for len(states) > 0 {
		for i, s := range states {
			d := &all[i]
			d.name = s.name()
			d.slab, d.slot = s.slot()
		}
		// This loop contains only the loads, so that their cache misses overlap.
		for i := range all[:len(states)] {
			if d := &all[i]; d.slab != nil {
				d.before = d.slot[0]
			}
		}
		left := states[:0]
		for i, s := range states {
			d := &all[i]
			if s.name() != d.name {
				continue
			}
			if d.slab == nil {
				s.handle, s.gen = 0, 0
				continue
			}
			if s.rename(d.before); d.before == 0 {
				s.gen = d.slab.lease.instance
			} else {
				left = append(left, s)
			}
			d.slab.release(1)
		}
		states = left
	}
}

// dropsAtOnce is the largest number of states whose slots are given back at the same time.
const dropsAtOnce = 64

// release subtracts n from live, and drops the slab when no slot is left.
func (sl *slab) release(n int) {
	if sl.live.Add(-int64(n)) == 0 {
		forget(sl.lease)
		sl.words = nil // the Slabs that last filled this slab may still refer to it
	}
}

// Slabs gives slots to states. One callback at a time uses it.
type Slabs struct {
	*slab        // the slab from which slots come.
	filling bool // slab.live includes maxSlots for this callback.
	taken   int  // number of slots that this callback has got.
	size    int  // number of words of the next slab.
}

var idleSlabs struct {
	sync.Mutex
	all []*Slabs
}

// AcquireSlabs returns Slabs for one callback. Call Done at its end.
func AcquireSlabs() *Slabs {
	idleSlabs.Lock()
	defer idleSlabs.Unlock()
	n := len(idleSlabs.all)
	if n == 0 {
		return new(Slabs)
	}
	a := idleSlabs.all[n-1]
	idleSlabs.all = idleSlabs.all[:n-1]
	return a
}

// Done makes a available to other callbacks. It does nothing if a is nil.
func (a *Slabs) Done() {
	if a == nil {
		return
	}
	a.stopFilling()
	idleSlabs.Lock()
	idleSlabs.all = append(idleSlabs.all, a)
	idleSlabs.Unlock()
}

// Push gives a state without a page one more slot, for at most MaxSlot words. It returns their
// memory, which must be written in this callback. The error wraps ErrBudget, or ErrReclaimed if
// the state's slots were reclaimed; then nothing has changed.
func (a *Slabs) Push(s *State, words int) ([]uint64, error) {
	if words < 1 || words > MaxSlot {
		return nil, fmt.Errorf("a slot of %d words", words)
	}
	var old *slab
	before, instance := uint64(0), s.gen
	if s.HasSlot() {
		if old = s.slab(); old == nil {
			return nil, reclaimedError()
		}
		before, instance = s.name(), old.lease.instance
	}
	size := (slotHead + words + slotLine - 1) &^ (slotLine - 1)
	if !a.hasRoom(size, instance) {
		if err := a.grow(size, instance); err != nil {
			return nil, err
		}
	}
	number := uint32(a.next / slotLine)
	slot := a.words[a.next : a.next+size]
	a.next += size
	a.taken++
	slot[0], slot[1] = before, uint64(words)
	handle, gen := slotFlag|a.lease.handle, a.lease.gen&(1<<genBits-1)
	if newer := uint64(gen)<<32 | uint64(handle); old != nil && old != a.slab && old.newer.Load() != newer {
		old.newer.Store(newer)
	}
	s.handle, s.gen = handle|number<<handleBits&^slotFlag, gen|number>>numberLow<<genBits
	return slot[slotHead : slotHead+words : slotHead+words], nil
}

// hasRoom reports whether the current slab has room for size words of a state of an instance, and
// was not dropped.
func (a *Slabs) hasRoom(size int, instance uint32) bool {
	if a.slab == nil {
		return false
	}
	if !a.filling && !a.startFilling() {
		a.slab, a.size = nil, minSlab
		return false
	}
	return a.lease.instance == instance && a.next+size <= len(a.words)
}

// startFilling adds maxSlots to live, so that the slab stays while this callback fills it. It
// reports false if the slab was dropped. A slab that a running callback has touched is not
// reclaimed.
func (a *Slabs) startFilling() bool {
	a.lease.touch()
	for n := a.live.Load(); n > 0 && a.lease.size.Load() >= 0; n = a.live.Load() {
		if a.live.CompareAndSwap(n, n+maxSlots) {
			a.filling, a.taken = true, 0
			return true
		}
	}
	return false
}

// stopFilling ends startFilling: live then counts the slots that were taken.
func (a *Slabs) stopFilling() {
	if a.filling {
		a.filling = false
		a.release(maxSlots - a.taken)
	}
}

// grow makes a new slab with room for size words. The error wraps ErrBudget.
func (a *Slabs) grow(size int, instance uint32) error {
	words := max(minSlab, a.size)
	for words < size {
		words *= 2
	}
	l, err := newLease(instance, int64(words)*8+slabHead, slabGen|slabGeneration.Add(1)&(1<<genBits-1))
	if err != nil {
		return err
	}
	a.stopFilling()
	a.slab = &slab{lease: l, words: make([]uint64, words)}
	a.filling, a.taken, a.size = true, 0, min(2*words, maxSlab)
	a.live.Store(maxSlots)
	l.Set(a.slab)
	return nil
}

// SlotReader reads the words of many states from their slots. Very many slots are not in the CPU
// caches. So it reads one slot of each state before the next ones, and the loads overlap.
type SlotReader struct {
	left []slotCursor
	sum  uint64 // sum of words that were loaded early; without it the compiler would drop the loads
}

// slotCursor is a slot to read next, and the slice for its words and those of the slots before it.
type slotCursor struct {
	slot []uint64
	to   []uint64
}

// Read reads the words of states[i], in the order in which they were pushed, into to[i], which must
// have their number. The error wraps ErrReclaimed.
func (r *SlotReader) Read(states []*State, to [][]uint64) error {
	r.left = r.left[:0]
	for i, s := range states {
		if !s.HasSlot() {
			continue
		}
		if err := r.add(*s, to[i]); err != nil {
			return err
		}
	}
	first := r.left
	defer clear(first) // drop references to slabs, so that Go can free them
	for all := first; len(all) > 0; all = r.left {
		for i := range all {
			r.sum += all[i].slot[0]
		}
		r.left = r.left[:0]
		for _, u := range all {
			words := u.slot[slotHead:][:u.slot[1]]
			left := len(u.to) - len(words)
			if len(words) == slotLine-slotHead {
				*(*[slotLine - slotHead]uint64)(u.to[left:]) = [slotLine - slotHead]uint64(words)
			} else {
				copy(u.to[left:], words)
			}
			if left == 0 {
				continue
			}
			var before State
			before.rename(u.slot[0])
			if err := r.add(before, u.to[:left]); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds the newest slot of a state to left. The error wraps ErrReclaimed.
func (r *SlotReader) add(s State, to []uint64) error {
	_, slot := s.slot()
	if slot == nil {
		return reclaimedError()
	}
	r.left = append(r.left, slotCursor{slot, to})
	return nil
}
