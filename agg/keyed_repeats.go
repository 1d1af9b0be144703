package agg

import "github.com/ccbfsql/ccbfsql/filters/keyed"

const (
	// minRepeats is the smallest number of rows in which addDistinct searches for repeated keys.
	minRepeats = 512
	// If the keys of a chunk hardly repeat, the next repeatsRest chunks are not searched.
	repeatsRest = 31
	// chunkLen is the largest number of rows in a chunk.
	chunkLen = 2048

	slotBits = 12
)

// distinctKeys is the distinct keys of a chunk, in the order of their first rows, and the number of
// rows of each. The hash table keeps one key per
// slot: if another key took the slot, a repeated key gets a new number.
type distinctKeys struct {
	slots  [1 << slotBits]uint16 // a hash table of numbers of keys
	keys   [2 * chunkLen]uint64  // by number, the key
	number [chunkLen]uint16      // by row, the number of its key
	times  [chunkLen]uint64      // by number, how often the key occurs
}

// find finds the distinct keys among 1 to chunkLen keys, and returns their number.
func (r *distinctKeys) find(keys []uint64) int {
	clear(r.slots[:])
	// An empty slot has the value 0, which is also the number of a key. So keys[0] must be set.
	r.keys[0] = keys[0]
	n := uint64(1)
	number := r.number[:len(keys)]
	for k, v := range keys {
		slot := &r.slots[v*0x9e3779b97f4a7c15>>(64-slotBits)]
		i := uint64(*slot)
		// A branch on whether the key is new could not be predicted, so masks are used. All stores go
		// to addresses that are known early. Otherwise the loads for the next key would wait.
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

// count returns how often each of the n distinct keys occurs. rows is the number of all keys.
func (r *distinctKeys) count(n, rows int) []uint64 {
	times := r.times[:n]
	clear(times)
	for _, i := range r.number[:rows] {
		r.times[i%chunkLen]++
	}
	return times
}

// addDistinct adds keys of 8 bytes to the sketch of a page, each distinct key once with its number of
// occurrences. It reports false and adds nothing if the order of keys matters to the sketch, keys wait as
// hashes, or few of them repeat.
func (a *keyedAgg) addDistinct(m *keyedScratch, t *keyedPage, p *keyedPlan, keys []uint64) (bool, error) {
	// In a sketch of a set from which nothing is removed, a repeated key changes only the total.
	once := p.laws.Set && !p.laws.Deletable
	if len(keys) < minRepeats || len(keys) > chunkLen || p.pairs || !once && !p.laws.OrderFree {
		return false, nil
	}
	if t.rest > 0 {
		t.rest--
		return false, nil
	}
	r := &m.repeats
	n := r.find(keys)
	if n > len(keys)/4*3 {
		t.rest = repeatsRest
		return false, nil
	}
	m.hash(p, r.keys[:n])
	if !once {
		m.ns = r.count(n, len(keys))
	}
	err := a.addHashes(t, m.hashes)
	if err == nil && once {
		keyed.Grow(keyed.BaseOf(t.s), uint64(len(keys)-n))
	}
	return true, err
}
