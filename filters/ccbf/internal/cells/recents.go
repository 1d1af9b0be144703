package cells

import "sync"

// recentBits is how many bits of a hash tell the slot of a cell.
const recentBits = 14

// recentSlots are the cells that came last, by a hash: words, 0 where there is none.
type recentSlots [1 << recentBits]uint64

var recents = sync.Pool{New: func() any { return new(recentSlots) }}

// CountRecent makes a run of keys, of which there is one at least, fewer than MaxKeys and in any
// order. Points come in crowds: those of a cell that come near each other are counted together. So
// cells are in no order, and some are there more than once. The memory of the keys is the run's.
func CountRecent(keys []uint64) Run {
	if width(keys) > wordKeys {
		return Run{Keys: keys}
	}
	slots := recents.Get().(*recentSlots)
	defer recents.Put(slots)
	clear(slots[:])
	n, words, base := 0, keys, keys[0]&^(1<<wordKeys-1)
	for _, k := range keys {
		w := k << countBits
		slot := &slots[w*0x9e3779b97f4a7c15>>(64-recentBits)]
		was := *slot
		// Without a branch, for whether a key repeats is anyone's guess: other is all ones where the slot
		// holds another key, which goes to the words unless the slot was empty.
		differ := (was ^ w) >> countBits
		other := uint64(int64(differ|-differ) >> 63)
		words[n] = was
		n += int(other & (was | -was) >> 63)
		*slot = (was+1)&^other | (w|1)&other
	}
	for _, w := range slots {
		if w != 0 {
			words[n] = w
			n++
		}
	}
	counts := make([]uint64, n)
	for i, w := range words[:n] {
		words[i], counts[i] = base|w>>countBits, w&full
	}
	return Run{words[:n], counts}
}
