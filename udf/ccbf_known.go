package udf

import (
	"encoding/binary"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"sync/atomic"
)

// DuckDB copies a sketch that all rows have in common anew for each 2,048 of them, so
// that all bytes of it would be hashed for each 2,048 questions: more work than the
// questions, where there are megabytes of it. So stretches of 1 KiB have hashes of their own.
// Where a BLOB begins as one that is kept, checksum and length included, and was hashed
// completely a few callbacks ago, the stretches that chance chooses stand for all of them.
//
// What is kept has the checksum that it says. Two BLOBs of the same length and checksum
// that differ in a few stretches only are damaged, or made for it: then answers are those of
// the one for the other, as long as chance has not met such a stretch and all bytes are not
// hashed again. Other sketches differ in their checksums, and in most stretches.

const (
	stretchBytes = 1 << 10
	// manyStretches is from how many stretches on not all are hashed each time.
	manyStretches = 128
	// spotStretches is how many are beside the first, spotsBetween for how many callbacks
	// after all were.
	spotStretches, spotsBetween = 32, 15
)

// keptOf has for an account the sketch that it bought, nil where that is not known.
var keptOf [keptSets][keptWays]atomic.Pointer[keptSketch]

// stretchesOf appends the hashes of the stretches of a BLOB of many; of others it has none.
func stretchesOf(dst []uint64, blob []byte) []uint64 {
	if len(blob) < manyStretches*stretchBytes {
		return dst
	}
	for part := range slices.Chunk(blob, stretchBytes) {
		dst = append(dst, maphash.Bytes(keptSecret, part))
	}
	return dst
}

// nameOf is the name of a BLOB, and the hashes of its stretches, appended to dst.
func nameOf(dst []uint64, blob []byte, together bool) (keptName, []uint64) {
	if dst = stretchesOf(dst, blob); len(dst) == 0 {
		return keptName{maphash.Bytes(keptSecret, blob), len(blob), together}, nil
	}
	var h maphash.Hash
	h.SetSeed(keptSecret)
	for _, p := range dst {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], p)
		h.Write(b[:])
	}
	return keptName{h.Sum64(), len(blob), together}, dst
}

// known is the sketch that was bought for the account and whose BLOB this is, as far as
// some of its stretches tell; nil where all are to be hashed.
func (a account) known(blob []byte, together bool) *keptSketch {
	k := a.of.Load()
	if k == nil || len(k.stretches) == 0 || k.name.length != len(blob) || k.name.together != together {
		return nil
	}
	if k.spots.Add(1) > spotsBetween || !k.hasStretch(blob, 0) {
		return nil
	}
	for range spotStretches {
		if !k.hasStretch(blob, rand.IntN(len(k.stretches))) {
			return nil
		}
	}
	k.touch()
	return k
}

func (k *keptSketch) hasStretch(blob []byte, i int) bool {
	return maphash.Bytes(keptSecret, blob[i*stretchBytes:min((i+1)*stretchBytes, len(blob))]) == k.stretches[i]
}

// remember notes for whom a sketch of many stretches was bought: all of them were hashed just
// now.
func (a account) remember(k *keptSketch) {
	if len(k.stretches) == 0 {
		return
	}
	k.spots.Store(0)
	if a.of.Load() != k {
		a.of.Store(k)
	}
	if k.gone.Load() { // perhaps before it was stored
		a.of.CompareAndSwap(k, nil)
		return
	}
	if old := k.account.Swap(a.of); old != nil && old != a.of {
		old.CompareAndSwap(k, nil)
	}
	if k.gone.Load() {
		a.of.CompareAndSwap(k, nil)
	}
}

// forget is called when a sketch is no longer kept: its memory is not to be reached.
func (k *keptSketch) forget() {
	k.gone.Store(true)
	if at := k.account.Load(); at != nil {
		at.CompareAndSwap(k, nil)
	}
}
