package duck

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"
)

// Very many states need a little more than what they hold inline. A page for each would be
// looked up by way of its lease, and allocated and collected by itself. They get slots in
// slabs: a slab is the page of many states, and charged as one; a state names its slot by the
// slab's handle and a number, so that writing to it waits for no load from it.
//
// The slots of a slab are handed out one after the other and none of them twice. The slab goes
// when the last one is given back, or, as pages do, to make room where none of its states was
// touched for long.

// slab is a page of slots of one size.
type slab struct {
	lease *Lease
	words []uint64
	size  int          // words of a slot
	next  int          // words handed out; of whoever fills it
	live  atomic.Int64 // slots that states have, and one while a callback fills it
}

const (
	// Slots are of leastSlot words, and twice as many up to MostSlot.
	leastSlot   = 10
	slotClasses = 6
	// MostSlot is how many words a slot has at most.
	MostSlot = leastSlot << (slotClasses - 1)
	// Slabs are small at first, for there may be one state alone.
	leastSlab = 1 << 9 // words
	mostSlab  = 1 << 13
	slabHead  = 128 // bytes of a slab and its lease
)

// A state with a slot has, from the highest bit of its handle on: slotFlag, the slot's number's
// low bits, the handle of the slab's lease; in gen the number's other bits and the lease's.
const (
	slotFlag   = 1 << 31
	handleBits = 26
	numberLow  = 5
	genBits    = 25
	// slabGen is in the generation of slabs alone: what had a page is not given a slab.
	slabGen = 1 << 31
)

const _ = uint(1<<handleBits - shards*maxChunks*chunkLen)                  // handles fit
const _ = uint(1<<(numberLow+32-genBits) - (mostSlab+leastSlot)/leastSlot) // and numbers of slots

// slabGeneration counts slabs.
var slabGeneration atomic.Uint32

// HasSlot reports whether the state was given a slot, reclaimed or not.
func (s *State) HasSlot() bool { return s.handle >= slotFlag }

// slab is the living slab of a state with a slot, or nil.
func (s *State) slab() *slab {
	h := s.handle & (1<<handleBits - 1)
	e := store[h&(shards-1)].entry(h >> shardBits)
	if e == nil {
		return nil
	}
	l := e.Load()
	if l == nil || l.gen != slabGen|s.gen&(1<<genBits-1) {
		return nil
	}
	l.touch()
	return l.obj.(*slab)
}

// Slot is the memory of the state's slot: nil without an error when it has none. It is the
// state's until the state is dropped or gets another one. The error wraps ErrReclaimed when the
// slot was given up.
func (s *State) Slot() ([]uint64, error) {
	if !s.HasSlot() {
		return nil, nil
	}
	sl := s.slab()
	if sl == nil {
		return nil, reclaimedError()
	}
	at := int(s.handle&^slotFlag>>handleBits|s.gen>>genBits<<numberLow) * sl.size
	return sl.words[at : at+sl.size : at+sl.size], nil
}

// dropSlot gives the state's slot back.
func (s *State) dropSlot() {
	sl := s.slab()
	s.handle, s.gen = 0, 0
	if sl != nil {
		s.gen = sl.lease.instance
		sl.giveBack()
	}
}

// giveBack gives one slot back, or notes that a callback fills the slab no longer.
func (sl *slab) giveBack() {
	if sl.live.Add(-1) == 0 {
		forget(sl.lease)
		sl.words = nil // whoever filled it last still knows the slab
	}
}

// Slabs gives slots to states. It is lent to one callback at a time.
type Slabs struct {
	classes [slotClasses]filling
}

// filling is the slab of a size that slots are taken from.
type filling struct {
	*slab
	held bool // it counts this callback
	most int  // words of the next one
}

var idleSlabs struct {
	sync.Mutex
	all []*Slabs
}

// TakeSlabs lends a callback what gives slots, until Done.
func TakeSlabs() *Slabs {
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

// Done ends what TakeSlabs began. A nil Slabs is done.
func (a *Slabs) Done() {
	if a == nil {
		return
	}
	for i := range a.classes {
		if f := &a.classes[i]; f.held {
			f.held = false
			f.giveBack()
		}
	}
	idleSlabs.Lock()
	idleSlabs.all = append(idleSlabs.all, a)
	idleSlabs.Unlock()
}

// Grow gives a state without a page a slot of so many words at least, and at most MostSlot,
// that begins with what was in the one it had; what follows is 0. The error wraps ErrBudget, or
// ErrReclaimed when that was given up; then nothing has changed.
func (a *Slabs) Grow(s *State, words int) ([]uint64, error) {
	class := bits.Len(uint(words-1) / leastSlot)
	if words < 1 || class >= slotClasses {
		return nil, fmt.Errorf("a slot of %d words", words)
	}
	old, err := s.Slot()
	if err != nil {
		return nil, err
	}
	instance := s.gen
	var before *slab
	if old != nil {
		before = s.slab()
		instance = before.lease.instance
	}
	f := &a.classes[class]
	if !f.takes(instance) {
		if err := f.renew(leastSlot<<class, instance); err != nil {
			return nil, err
		}
	}
	at := f.next
	f.next += f.size
	f.live.Add(1)
	slot := f.words[at:f.next:f.next]
	copy(slot, old)
	if before != nil {
		before.giveBack()
	}
	number := uint32(at / f.size)
	s.handle = slotFlag | number<<handleBits&^slotFlag | f.lease.handle
	s.gen = number>>numberLow<<genBits | f.lease.gen&(1<<genBits-1)
	return slot, nil
}

// takes reports whether there is a slot left for a state of an instance, in a slab that is
// still there.
func (f *filling) takes(instance uint32) bool {
	if f.slab == nil {
		return false
	}
	if !f.held && !f.hold() {
		f.slab, f.most = nil, leastSlab
		return false
	}
	return f.lease.instance == instance && f.next+f.size <= len(f.words)
}

// hold counts the callback among those who have a slot; false where the slab has gone. What is
// touched by a callback that runs is not reclaimed.
func (f *filling) hold() bool {
	f.lease.touch()
	for n := f.live.Load(); n > 0 && f.lease.size.Load() >= 0; n = f.live.Load() {
		if f.live.CompareAndSwap(n, n+1) {
			f.held = true
			return true
		}
	}
	return false
}

// renew makes a new slab.
func (f *filling) renew(size int, instance uint32) error {
	words := max(leastSlab, f.most)
	for words < size {
		words *= 2
	}
	l, err := newLease(instance, int64(words)*8+slabHead, slabGen|slabGeneration.Add(1)&(1<<genBits-1))
	if err != nil {
		return err
	}
	if f.held {
		f.giveBack()
	}
	f.slab = &slab{lease: l, words: make([]uint64, words), size: size}
	f.held, f.most = true, min(2*words, mostSlab)
	f.live.Store(1)
	l.Set(f.slab)
	return nil
}
