package sketch

import (
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"
)

// The checksum covers all bytes except its own, however long the BLOB is.
func TestChecksumOfAnyLength(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 0))
	all := make([]byte, 5*stretch)
	for i := range all {
		all[i] = byte(r.Uint32())
	}
	for _, n := range []int{atFlags, atFlags + 1, stretch, 2*stretch + atFlags - 1, 2*stretch + atFlags, 2*stretch + atFlags + 1, 4*stretch + 77, len(all)} {
		blob := all[:n]
		want := crc32.Checksum(slices.Concat(blob[:atChecksum], blob[atFlags:]), crc32.MakeTable(crc32.Castagnoli))
		if got := checksum(blob); got != want {
			t.Errorf("%d bytes: checksum %#x, must be %#x", n, got, want)
		}
	}
}
