package duck

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Very many states need a little more than what they hold inline. A page for each would be
// looked up by way of its lease, and allocated and collected by itself. They get slots in
// slabs: a slab is the page of many states, and charged as one; a state names its slot by the
// slab's handle and a number, so that writing to it waits for no load from it.
//
// A state has any number of slots, of which it names the newest, and each names the one before.
// So words that come are written where the slab ends, into memory that is near, and what the
// state has already is neither moved nor loaded.
//
// The slots of a slab are handed out one after the other and none of them twice. The slab goes
// when the last one is given back, or, as pages do, to make room where none of its states was
// touched for long.

// slab is a page of slots.
type slab struct {
	lease *Lease
	words []uint64
	next  int          // words handed out; of whoever fills it
	live  atomic.Int64 // slots that states have, and mostSlots while a callback fills it
	// heir names the slab that one of its states got a newer slot in last: whoever uses that state
	// finds only the newer slab.
	heir atomic.Uint64
}

// A slot has whole lines of the cache: how its state names the one before, 0 for none, how
// many words it holds, and these.
const (
	slotHead = 2
	slotLine = 8 // words
	// MostSlot is how many words a slot has at most.
	MostSlot = 320
	// Slabs are small at first, for there may be one state alone.
	leastSlab = 1 << 9 // words
	mostSlab  = 1 << 13
	mostSlots = mostSlab / slotLine
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

const _ = uint(1<<handleBits - shards*maxChunks*chunkLen) // handles fit
const _ = uint(1<<(numberLow+32-genBits) - mostSlots)     // and numbers of slots

// slabGeneration counts slabs.
var slabGeneration atomic.Uint32

// HasSlot reports whether the state was given a slot, reclaimed or not.
func (s *State) HasSlot() bool { return s.handle >= slotFlag }

// name is how the newest slot of a state is named.
func (s *State) name() uint64 { return uint64(s.gen)<<32 | uint64(s.handle) }

// rename makes a slot the newest.
func (s *State) rename(name uint64) { s.handle, s.gen = uint32(name), uint32(name>>32) }

// slab is the living slab of a state with a slot, or nil.
func (s *State) slab() *slab {
	l := s.slabLease()
	if l == nil {
		return nil
	}
	l.touch()
	return l.obj.(*slab)
}

// slabLease is the lease of that slab, or nil.
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

// touched is when a slab, or one in which a state of it has a newer slot, was touched last.
func (sl *slab) touched() uint32 {
	last := sl.lease.touched.Load()
	for range MostSlot { // states of two slabs may have newer slots in the other one
		var heir State
		heir.rename(sl.heir.Load())
		if !heir.HasSlot() {
			break
		}
		l := heir.slabLease()
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

// slot is the memory from the newest slot of a state on, and its slab; nil when it was given up.
func (s *State) slot() (*slab, []uint64) {
	sl := s.slab()
	if sl == nil {
		return nil, nil
	}
	return sl, sl.words[int(s.handle&^slotFlag>>handleBits|s.gen>>genBits<<numberLow)*slotLine:]
}

// dropSlots gives the slots of states back, one of each at a time: where there are very many no
// cache has them, and loads that nothing waits for overlap. Nobody else changes the states, but one
// may be there twice.
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
		// A loop of its own, in which nothing but the loads is to be done.
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
			d.slab.giveBack(1)
		}
		states = left
	}
}

// dropsAtOnce is the number of states whose slots are given back at the same time.
const dropsAtOnce = 64

// giveBack gives slots back, or those that a callback which fills the slab no longer did not take.
func (sl *slab) giveBack(n int) {
	if sl.live.Add(-int64(n)) == 0 {
		forget(sl.lease)
		sl.words = nil // whoever filled it last still knows the slab
	}
}

// Slabs gives slots to states. It is lent to one callback at a time.
type Slabs struct {
	*slab      // that slots are taken from
	held  bool // it counts this callback
	taken int  // slots, by this callback
	most  int  // words of the next one
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
	a.release()
	idleSlabs.Lock()
	idleSlabs.all = append(idleSlabs.all, a)
	idleSlabs.Unlock()
}

// Push gives a state without a page one more slot, for so many words, at most MostSlot: they are
// to be written at once. The error wraps ErrBudget, or ErrReclaimed when what the state had was
// given up; then nothing has changed.
func (a *Slabs) Push(s *State, words int) ([]uint64, error) {
	if words < 1 || words > MostSlot {
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
	if !a.takes(size, instance) {
		if err := a.renew(size, instance); err != nil {
			return nil, err
		}
	}
	number := uint32(a.next / slotLine)
	slot := a.words[a.next : a.next+size]
	a.next += size
	a.taken++
	slot[0], slot[1] = before, uint64(words)
	handle, gen := slotFlag|a.lease.handle, a.lease.gen&(1<<genBits-1)
	if heir := uint64(gen)<<32 | uint64(handle); old != nil && old != a.slab && old.heir.Load() != heir {
		old.heir.Store(heir)
	}
	s.handle, s.gen = handle|number<<handleBits&^slotFlag, gen|number>>numberLow<<genBits
	return slot[slotHead : slotHead+words : slotHead+words], nil
}

// takes reports whether there is room for a slot of a state of an instance, in a slab that is
// still there.
func (a *Slabs) takes(size int, instance uint32) bool {
	if a.slab == nil {
		return false
	}
	if !a.held && !a.hold() {
		a.slab, a.most = nil, leastSlab
		return false
	}
	return a.lease.instance == instance && a.next+size <= len(a.words)
}

// hold counts the callback among those who have a slot; false where the slab has gone. What is
// touched by a callback that runs is not reclaimed.
func (a *Slabs) hold() bool {
	a.lease.touch()
	for n := a.live.Load(); n > 0 && a.lease.size.Load() >= 0; n = a.live.Load() {
		if a.live.CompareAndSwap(n, n+mostSlots) {
			a.held, a.taken = true, 0
			return true
		}
	}
	return false
}

// release ends what hold began: slots are counted then, not one by one.
func (a *Slabs) release() {
	if a.held {
		a.held = false
		a.giveBack(mostSlots - a.taken)
	}
}

// renew makes a new slab.
func (a *Slabs) renew(size int, instance uint32) error {
	words := max(leastSlab, a.most)
	for words < size {
		words *= 2
	}
	l, err := newLease(instance, int64(words)*8+slabHead, slabGen|slabGeneration.Add(1)&(1<<genBits-1))
	if err != nil {
		return err
	}
	a.release()
	a.slab = &slab{lease: l, words: make([]uint64, words)}
	a.held, a.taken, a.most = true, 0, min(2*words, mostSlab)
	a.live.Store(mostSlots)
	l.Set(a.slab)
	return nil
}

// Slots reads what states hold in their slots, of as many states at once as there are: where
// there are very many no cache has the slots, and one after the other each would be waited for.
// Loads that nothing waits for overlap.
type Slots struct {
	left []unread
	sum  uint64 // of what was loaded ahead of its use, so that it is
}

// unread is where to read on, from a slot to the one before.
type unread struct {
	slot []uint64
	to   []uint64 // what is to be read, up to the end of that slot
}

// Read reads the words of each state, in the order in which they came, into the slice of that
// number, which is as long as there are words. The error wraps ErrReclaimed.
func (r *Slots) Read(states []*State, to [][]uint64) error {
	r.left = r.left[:0]
	for i, s := range states {
		if !s.HasSlot() {
			continue
		}
		if err := r.add(*s, to[i]); err != nil {
			return err
		}
	}
	most := r.left
	defer clear(most) // slabs go when no state has them
	for all := most; len(all) > 0; all = r.left {
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

// add notes the newest slot of a state.
func (r *Slots) add(s State, to []uint64) error {
	_, slot := s.slot()
	if slot == nil {
		return reclaimedError()
	}
	r.left = append(r.left, unread{slot, to})
	return nil
}
