package memory

import "sync/atomic"

// Very many states need a little more memory than they have inline. A page for each would be
// looked up by its lease, and allocated and collected by itself. Instead, they share slabs. A slab
// is a page with slots of many states. A state's Ref has the index of the slab and the number of its slot.
// So one load that is not in the CPU caches finds its words. A state has at most one slot. If that
// is full, its words move to a larger one.
//
// A slab hands its slots out in order, each of them once. It is dropped when its last slot is
// given back. If none of its states was touched for long, it is reclaimed as pages are.

// slab is a page with the slots of many states.
type slab struct {
	lease Lease
	words []uint64
	next  int          // number of words handed out; used only by the callback that fills the slab.
	live  atomic.Int64 // number of slots that states have, plus maxSlots while a callback fills the slab.
}

// A slot has whole cache lines. Its first word is the number of words that follow, and in the high half
// for how many it has room.
const (
	slotLine = 8 // words of a cache line
	// MaxSlot is the largest number of words in a slot.
	MaxSlot = 327
	// The first slab is small, as there may be only one state.
	minSlab  = 1 << 9 // words
	maxSlab  = 1 << 13
	maxSlots = maxSlab / slotLine
	slabHead = 192 // bytes of a slab without its words
)

const _ = uint(1<<slotBits - maxSlots) // numbers of slots fit into a Ref

// HasSlot reports whether the state was given a slot, reclaimed or not.
func (r *Ref) HasSlot() bool { return *r&isSlot != 0 }

// slot returns the slab of the state's slot, and its memory from that slot on; nil if the slab was
// dropped.
func (r Ref) slot() (*slab, []uint64) {
	l := r.lease()
	if l == nil {
		return nil, nil
	}
	l.touch()
	sl := l.page.(*slab)
	return sl, sl.words[r&slotNumber>>slotShift*slotLine:]
}

// Words returns the words in the state's slot, nil if it has none. The error wraps ErrBudget if it was
// reclaimed.
func (r *Ref) Words() ([]uint64, error) {
	if !r.HasSlot() {
		return nil, nil
	}
	_, slot := r.slot()
	if slot == nil {
		return nil, errBudget()
	}
	return slot[1:][:uint32(slot[0])], nil
}

// release subtracts n from live, and drops the slab when no slot is left.
func (sl *slab) release(n int) {
	if sl.live.Add(-int64(n)) == 0 {
		forget(&sl.lease)
	}
}

// Slabs gives slots to states. One callback at a time uses it, until done.
type Slabs struct {
	*slab        // the slab from which slots come.
	filling bool // slab.live includes maxSlots for this callback.
	taken   int  // number of slots that this callback has got.
	size    int  // number of words of the next slab.
}

// Append adds words to a state without a page: those of first, then those of last. It reports false and
// changes nothing if the slot would have more than most words, or more than MaxSlot. The error wraps
// ErrBudget, also if the state's slot was reclaimed.
func (a *Slabs) Append(r *Ref, most int, first, last []uint64) (bool, error) {
	var old []uint64
	var from *slab
	instance, n := uint32(*r), len(first)+len(last)
	if r.HasSlot() {
		var slot []uint64
		if from, slot = r.slot(); slot == nil {
			return false, errBudget()
		}
		had, room := int(uint32(slot[0])), int(slot[0]>>32)
		if had+n <= min(most, room) {
			copy(slot[1+had+copy(slot[1+had:], first):], last)
			slot[0] += uint64(n)
			return true, nil
		}
		old, instance = slot[1:1+had], from.lease.instance
		n += had
	}
	if n > min(most, MaxSlot) {
		return false, nil
	}
	size := slotLine
	for size < n+1 {
		size *= 2
	}
	size = min(size, MaxSlot+1)
	if !a.hasRoom(size, instance) {
		if err := a.grow(instance); err != nil {
			return false, err
		}
	}
	slot := a.words[a.next : a.next+size]
	*r = a.lease.ref | Ref(a.next/slotLine)<<slotShift
	a.next += size
	a.taken++
	slot[0] = uint64(size-1)<<32 | uint64(n)
	at := 1 + copy(slot[1:], old)
	copy(slot[at+copy(slot[at:], first):], last)
	if from != nil {
		from.release(1)
	}
	return true, nil
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
	if a.live.Add(maxSlots) == maxSlots || a.lease.size.Load() < 0 { // dropped: no state leads there any more
		return false
	}
	a.filling, a.taken = true, 0
	return true
}

// done ends the callback's use of the slab: live then counts the slots that were taken.
func (a *Slabs) done() {
	if a.filling {
		a.filling = false
		a.release(maxSlots - a.taken)
	}
}

// grow makes a new slab. The smallest one has room for the largest slot. The error wraps ErrBudget.
func (a *Slabs) grow(instance uint32) error {
	words := max(minSlab, a.size)
	sl := new(slab)
	if err := sl.lease.open(sl, instance, int64(words)*8+slabHead, isSlot); err != nil {
		return err
	}
	a.done()
	sl.words = make([]uint64, words)
	sl.live.Store(maxSlots)
	a.slab, a.filling, a.taken, a.size = sl, true, 0, min(2*words, maxSlab)
	return nil
}
