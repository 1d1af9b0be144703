package agg

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/nh"
)

// Who asks one union about many areas has it made for each of them. What is made a second time
// is kept: then it is copied instead, which takes a hundredth of the time. So none is kept for the many
// that are made once.
//
// Only exact unions are: whatever memory there was, and whichever thread added what, their bytes are the
// same.

const (
	// mostUnions is how many are kept, and for how many it is remembered that they were made.
	mostUnions = 64
	// unionParts is which part of the budget they take at most: half of what may stay
	// while no query runs.
	unionParts = 64
)

// unionName is what the union of some sketches is known by: as one sketch is, by a hash of
// all bytes, whose secret nobody knows.
type unionName struct {
	hash     uint64
	sketches int
	bytes    int
}

// nameUnion is the name of a union, none where it cannot be exact.
func nameUnion(blobs [][]byte) unionName {
	if !isExact(blobs[0]) {
		return unionName{}
	}
	n := unionName{hash: nh.HashAll(blobs), sketches: len(blobs)}
	for _, b := range blobs {
		n.bytes += len(b)
	}
	return n
}

func isExact(blob []byte) bool {
	var h ccbf.Head
	return h.Reset(blob) == nil && h.Form() == ccbf.Exact
}

// keptUnion is a union that is kept. It is not changed.
type keptUnion struct {
	name unionName
	blob []byte
}

func (k *keptUnion) bytes() int64 { return int64(unsafe.Sizeof(*k)) + int64(len(k.blob)) }

// keptUnions are those of the process.
type keptUnions struct {
	sync.Mutex
	kept  []*keptUnion // the one whose last use is longest ago first
	bytes int64
	made  [mostUnions]unionName // the last that were, and not kept
	next  int
}

var unions keptUnions

func init() { duck.OnNeed(unions.giveUp) }

// find is the union of that name, nil where it is not kept.
func (u *keptUnions) find(name unionName) *keptUnion {
	u.Lock()
	defer u.Unlock()
	i := u.index(name)
	if i < 0 {
		return nil
	}
	k := u.kept[i]
	u.kept = append(slices.Delete(u.kept, i, i+1), k)
	return k
}

func (u *keptUnions) index(name unionName) int {
	return slices.IndexFunc(u.kept, func(k *keptUnion) bool { return k.name == name })
}

// keep notes that a union was made, of which a copy is kept if that was so before.
func (u *keptUnions) keep(name unionName, blob []byte) {
	if !isExact(blob) {
		return
	}
	u.Lock()
	defer u.Unlock()
	if u.index(name) >= 0 { // by another thread
		return
	}
	if !slices.Contains(u.made[:], name) {
		u.made[u.next] = name
		u.next = (u.next + 1) % mostUnions
		return
	}
	k := &keptUnion{name: name, blob: blob}
	most := min(duck.MemoryLimit()/unionParts, duck.MemoryLimit()/4-duck.MemoryKept()+u.bytes)
	if k.bytes() > most {
		return
	}
	for len(u.kept) == mostUnions || u.bytes+k.bytes() > most {
		u.drop()
	}
	if !duck.Keep(k.bytes()) {
		return
	}
	k.blob = slices.Clone(blob)
	u.kept, u.bytes = append(u.kept, k), u.bytes+k.bytes()
}

// drop gives up the first.
func (u *keptUnions) drop() {
	n := u.kept[0].bytes()
	u.kept = slices.Delete(u.kept, 0, 1)
	u.bytes -= n
	duck.GiveUp(n)
}

// giveUp gives up all.
func (u *keptUnions) giveUp() int64 {
	u.Lock()
	defer u.Unlock()
	n := u.bytes
	for len(u.kept) > 0 {
		u.drop()
	}
	return n
}
