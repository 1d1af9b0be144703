package nh

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// Several that lie elsewhere have the same hash. Where a bit differs, wherever it is, two
// have changed places, one is missing, or bytes belong to the next, they have another.
func TestHashAllIsOfAllBytesInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 3))
	var all [][]byte
	for _, n := range []int{0, 1, 16, Short - 1, Short, 1000, 3000, Parts * Piece, Parts*Piece + Parts*Step + 5, 20_000} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		all = append(all, b)
	}
	want := HashAll(all)
	elsewhere := make([][]byte, len(all))
	for i, b := range all {
		elsewhere[i] = append([]byte("x"), b...)[1:]
	}
	if HashAll(elsewhere) != want {
		t.Error("copies have another hash")
	}
	if HashAll(nil) == want || HashAll(all[1:]) == want || HashAll(all[:len(all)-1]) == want {
		t.Error("one that is missing says nothing")
	}
	for i, b := range all {
		for at := 0; at < len(b); at += 1 + len(b)/499 {
			bit := byte(1) << r.IntN(8)
			if b[at] ^= bit; HashAll(all) == want {
				t.Fatalf("byte %d of %d says nothing", at, len(b))
			}
			b[at] ^= bit
		}
		for j := range i {
			changed := slices.Clone(all)
			changed[i], changed[j] = changed[j], changed[i]
			if HashAll(changed) == want {
				t.Errorf("%d and %d may change places", j, i)
			}
		}
		if i == 0 {
			continue
		}
		for _, n := range []int{1, len(b) / 2, len(b)} {
			moved := slices.Clone(all)
			moved[i-1], moved[i] = append(bytes.Clone(all[i-1]), b[:n]...), b[n:]
			if n > 0 && HashAll(moved) == want {
				t.Errorf("%d bytes of %d may belong to the one before", n, len(b))
			}
		}
	}
}
