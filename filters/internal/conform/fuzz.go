package conform

import (
	"bytes"
	"testing"
)

// Fuzz is a fuzz target over BLOBs with a right checksum. Whatever the bytes, they are rejected with an
// error or are a sketch in every respect.
func Fuzz(f *testing.F, fam Family) {
	for _, blob := range fam.samples(f) {
		f.Add(blob)
		f.Add(blob[:len(blob)/2])
	}
	f.Add([]byte(nil))
	f.Add([]byte("a text file"))
	f.Fuzz(func(t *testing.T, blob []byte) {
		if len(blob) > 1<<20 {
			t.Skip("longer than is worth the time")
		}
		fam.exercise(t, bytes.Clone(blob))
	})
}

// FuzzOps is a fuzz target over histories: every three bytes are an operation on a small subject,
// beside an exact history. Counts may never be too low.
func FuzzOps(f *testing.F, fam Family) {
	f.Add([]byte{0, 1, 1, 0, 2, 200, 1, 1, 1, 2, 3, 4, 3, 0, 0})
	f.Add([]byte{0, 1, 255, 4, 1, 60, 3, 1, 1, 0, 9, 9})
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) > 3000 {
			t.Skip("longer than is worth the time")
		}
		h := fam.history(fam.Small)
		for ; len(ops) >= 3; ops = ops[3:] {
			id, n := spread(uint64(ops[1]%64)), uint64(ops[2])
			switch ops[0] % 5 {
			case 0:
				h.add(t, id, n)
			case 1:
				if n = min(n, h.truth[id]); n > 0 && h.holds(id) {
					h.remove(t, id, n)
				}
			case 2:
				h.unite(t, []op{{id, n}})
			case 3:
				h.passBlob(t)
			case 4:
				h.add(t, id, n<<16)
			}
			fam.checkCount(t, "after an operation", h.s, id, h.truth[id])
		}
		h.check(t, "at the end")
	})
}
