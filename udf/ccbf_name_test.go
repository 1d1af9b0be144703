package udf

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/nh"
)

// Bytes that lie elsewhere have the same name; those that differ in a bit, wherever it is,
// and those in which two pieces have changed places have another.
func TestNamesAreOfAllBytes(t *testing.T) {
	const namePiece, nameParts = nh.Piece, nh.Parts
	r := rand.New(rand.NewPCG(20, 2))
	for _, n := range []int{0, 1, 16, nh.Short - 1, nh.Short, 1000, nameParts*namePiece - 1, nameParts * namePiece, nameParts*namePiece + 1, 5*nameParts*namePiece + 3333} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		name := nameOf(b, true)
		if nameOf(append([]byte("x"), b...)[1:], true) != name || nameOf(b, false) == name || nameOf(append(bytes.Clone(b), 0), true) == name {
			t.Errorf("%d bytes: a copy has another name, or other bytes the same", n)
		}
		for at := 0; at < n; at += 1 + n/997 {
			bit := byte(1) << r.IntN(8)
			if b[at] ^= bit; nameOf(b, true) == name {
				t.Fatalf("%d bytes: byte %d says nothing", n, at)
			}
			b[at] ^= bit
		}
		for from := 0; from+2*namePiece <= n; from += namePiece {
			for to := from + namePiece; to+namePiece <= n; to += namePiece {
				c := bytes.Clone(b)
				copy(c[from:], b[to:to+namePiece])
				copy(c[to:], b[from:from+namePiece])
				if nameOf(c, true) == name {
					t.Fatalf("%d bytes: the pieces at %d and %d may change places", n, from, to)
				}
			}
		}
	}
}
