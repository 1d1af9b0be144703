package udf

import (
	"sync/atomic"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// A sketch that is asked about places again and again is decoded once and kept: rent
// until as much was paid as buying costs, then buy (Karlin et al., Competitive Snoopy
// Caching, 1988), so that no questions cost more than twice as much as they must. What
// was paid is remembered from chunk to chunk; what is kept counts against the budget,
// and is given up where that is needed, and when no query runs if it is much.
//
// It is known by its name (nameOf): its address says nothing, as memory is used again. Where to
// look for it and for what was paid is told by its tag, so that only those are hashed that may be kept.

const (
	keptSets, keptWays = 1 << 12, 4
	// stale is after how many callbacks without a question a sketch makes room.
	stale = 1 << 10
	// hashed is how many bytes may be hashed for a question: so many take less time than
	// decoding a block.
	hashed = 4 << 10
)

var (
	keptPlaces [keptSets][keptWays]atomic.Pointer[keptSketch]
	keptSerial atomic.Uint64
	keptSwept  atomic.Uint32 // clock of the last look for stale ones
	// paid has for a sketch half of its tag, and what was paid for questions, or bought. A
	// sketch of which more is known takes the place of another.
	paid [keptSets][keptWays]atomic.Uint64
)

const (
	bought  = 1<<32 - 1
	buying  = bought - 1 // a thread decodes it
	mostDue = bought - 2
)

func init() { duck.OnNeed(giveUpKept) }

// keptSketch is a sketch that is kept.
type keptSketch struct {
	name    keptName
	serial  uint64 // no other that this process kept has it; above 0
	touched atomic.Uint32
	ccbf.Decoded
	bytes int64
}

// fewestFor is from how many questions of a chunk on it pays to look for a sketch.
func fewestFor(blob []byte) uint32 { return uint32((len(blob) + hashed - 1) / hashed) }

// findTagged is the first sketch with a tag, nil where none is kept.
func findTagged(tag uint64) *keptSketch {
	set := &keptPlaces[tag>>1%keptSets]
	for i := range set {
		if k := set[i].Load(); k != nil && k.name.tag == tag {
			return k
		}
	}
	return nil
}

// findKept is the sketch of that name, nil where it is not kept.
func findKept(name keptName) *keptSketch {
	set := &keptPlaces[name.tag>>1%keptSets]
	for i := range set {
		if k := set[i].Load(); k != nil && k.name == name {
			k.touch()
			return k
		}
	}
	return nil
}

// touch notes that there was a question.
func (k *keptSketch) touch() {
	if now := duck.Clock(); k.touched.Load() != now {
		k.touched.Store(now)
	}
}

// buy keeps the sketch of a view, and notes that in its account.
func buy(v *ccbf.View, a account, name keptName) {
	d := newDecoding(name)
	defer d.end()
	paid := uint32(0) // once more, where there is no room now
	defer func() { a.set(paid) }()
	v.Share = d.share
	if findKept(name) != nil || keep(v, name) != nil {
		paid = bought
	}
}

// keep makes a kept sketch of a view; nil where there is no room.
func keep(v *ccbf.View, name keptName) *keptSketch {
	n, ok := v.DecodedBytes(name.together)
	n += int64(unsafe.Sizeof(keptSketch{}))
	if !ok || !roomFor(n) || !duck.Keep(n) {
		return nil
	}
	d, ok := v.Decoded(name.together)
	if !ok {
		duck.GiveUp(n)
		return nil
	}
	k := &keptSketch{Decoded: d, name: name, serial: keptSerial.Add(1), bytes: n}
	now := duck.Clock()
	k.touched.Store(now)
	set := &keptPlaces[name.tag>>1%keptSets]
	for i := range set {
		if old := set[i].Load(); (old == nil || now-old.touched.Load() > stale) && set[i].CompareAndSwap(old, k) {
			if old != nil {
				old.close()
			}
			return k
		}
	}
	duck.GiveUp(n)
	return nil
}

// close takes a sketch that is no longer kept out of the books.
func (k *keptSketch) close() int64 {
	duck.GiveUp(k.bytes)
	return k.bytes
}

// roomFor reports whether n more bytes can be kept: a quarter of the budget in all. Stale
// sketches make room.
func roomFor(n int64) bool {
	most := duck.MemoryLimit() / 4
	if duck.MemoryKept()+n <= most {
		return true
	}
	now, last := duck.Clock(), keptSwept.Load()
	if n > most || now-last < stale || !keptSwept.CompareAndSwap(last, now) {
		return false
	}
	dropKept(func(k *keptSketch) bool { return now-k.touched.Load() > stale })
	return duck.MemoryKept()+n <= most
}

// dropKept gives up the sketches that which names, and returns their bytes.
func dropKept(which func(k *keptSketch) bool) (bytes int64) {
	if duck.MemoryKept() == 0 {
		return 0
	}
	for i := range keptPlaces {
		for j := range keptPlaces[i] {
			p := &keptPlaces[i][j]
			if k := p.Load(); k != nil && which(k) && p.CompareAndSwap(k, nil) {
				bytes += k.close()
			}
		}
	}
	return bytes
}

// giveUpKept gives up all, and forgets what was paid.
func giveUpKept() int64 {
	n := dropKept(func(*keptSketch) bool { return true })
	if n > 0 {
		for i := range paid {
			for j := range paid[i] {
				paid[i][j].Store(0)
			}
		}
	}
	return n
}

// account is where is noted what was paid for a sketch.
type account struct {
	at  *atomic.Uint64
	tag uint64 // the upper half
}

// accountOf is the account of a sketch: its own, or the one that has the least in it.
func accountOf(tag uint64) account {
	const mine = 1<<64 - 1<<32
	set := &paid[tag>>1%keptSets]
	least, in := uint64(1<<64-1), 0
	for i := range set {
		n := set[i].Load()
		if n&mine == tag&mine {
			return account{&set[i], tag & mine}
		}
		if n &= bought; n < least {
			least, in = n, i
		}
	}
	if least == bought { // all are: any
		in = int(tag >> 20 % keptWays)
	}
	return account{&set[in], tag & mine}
}

// bought reports whether the sketch was kept, and may still be.
func (a account) bought() bool { return a.at.Load() == a.tag|bought }

// set notes what was paid.
func (a account) set(n uint32) { a.at.Store(a.tag | uint64(n)) }

// pay notes that n more was paid, and reports whether that makes the price: then one of
// several threads is told, which buys, and says with set what came of it.
func (a account) pay(n, price int) bool {
	for {
		old := a.at.Load()
		sum := uint64(n)
		if old>>32<<32 == a.tag {
			had := old & bought
			if had >= buying { // meanwhile: whether it is still kept is for who looks for it
				return false
			}
			sum += had
		}
		now := a.tag | min(sum, mostDue)
		if sum >= uint64(price) {
			now = a.tag | buying
		}
		if a.at.CompareAndSwap(old, now) {
			return now&bought == buying
		}
	}
}
