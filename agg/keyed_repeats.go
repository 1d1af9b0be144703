package agg

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

const (
	// leastRepeats is the number of rows from which repeated keys are looked for.
	leastRepeats = 512
	// repeatsRest is how many chunks are taken as they are after one whose keys
	// hardly repeat: looking for them costs a part of what it saves.
	repeatsRest = 31
	// chunkLen is the number of rows that DuckDB passes at once.
	chunkLen = 2048

	slotBits = 12
)

// distinctKeys are the different keys of a chunk, in the order in which each comes first,
// and how often each comes. A key that comes again while another one has its slot is
// taken for a new one.
type distinctKeys struct {
	slots  [1 << slotBits]uint16
	keys   [2 * chunkLen]uint64
	number [chunkLen]uint16 // of each row's key
	times  [chunkLen]uint64
}

// find gathers keys, at least one and at most chunkLen, and returns how many it
// takes for different.
func (r *distinctKeys) find(keys []uint64) int {
	clear(r.slots[:])
	// Empty slots name number 0, so this one is not an entry that no key has.
	r.keys[0] = keys[0]
	n := uint64(1)
	number := r.number[:len(keys)]
	for k, v := range keys {
		slot := &r.slots[v*0x9e3779b97f4a7c15>>(64-slotBits)]
		i := uint64(*slot)
		// Which keys come again nobody foresees: no branch, and no store whose
		// place is known late, for which the next key would wait.
		d := r.keys[i%chunkLen] ^ v
		miss := (d | -d) >> 63
		i ^= (i ^ n) & -miss
		*slot = uint16(i)
		number[k] = uint16(i)
		r.keys[n%(2*chunkLen)] = v
		n += miss
	}
	return int(n)
}

// count counts how often each of n different keys comes in so many rows.
func (r *distinctKeys) count(n, rows int) []uint64 {
	times := r.times[:n]
	clear(times)
	for _, i := range r.number[:rows] {
		r.times[i%chunkLen]++
	}
	return times
}

// together counts the keys of rows from..to-1, none of which is skipped or has a
// weight, those that repeat once. It reports false, and counts none, where repeats
// matter to the sketch, where there are few, or where keys are not of 8 bytes.
func (a *keyedAgg) together(c *keyedChunk, t *keyedPage, from, to int) (bool, error) {
	rows := to - from
	if rows < leastRepeats || rows > chunkLen || c.weighted || t.params == nil {
		return false, nil
	}
	if t.rest > 0 {
		t.rest--
		return false, nil
	}
	// Of a set a key that comes again changes nothing but the total.
	laws := a.family.Laws(t.params)
	once := laws.Set && !laws.Deletable
	if !once && !laws.OrderFree {
		t.rest = repeatsRest
		return false, nil
	}
	keys := c.keys.Words(from, to)
	if keys == nil {
		t.rest = repeatsRest
		return false, nil
	}
	r := &c.repeats
	n := r.find(keys)
	if n > rows/4*3 {
		t.rest = repeatsRest
		return false, nil
	}
	base := keyed.BaseOf(t.s)
	c.h1s, c.h2s = slices.Grow(c.h1s[:0], n)[:n], slices.Grow(c.h2s[:0], n)[:n]
	key.HashUint64s(base.Seed(), r.keys[:n], c.h1s, c.h2s)
	h := hashes{h1s: c.h1s, h2s: c.h2s}
	if !once {
		h.ns = r.count(n, rows)
	}
	if err := a.add(c, t, h); err != nil {
		return true, err
	}
	if once {
		keyed.Grow(base, uint64(rows-n))
	}
	return true, nil
}
