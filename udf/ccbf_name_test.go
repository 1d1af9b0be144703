package udf

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"
)

// A piece's sum is NH as the paper has it, in numbers of any size.
func TestPieceSum(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 1))
	var piece [namePiece]byte
	var keys [namePiece / 8]uint64
	for range 20 {
		for i := range keys {
			// Many carries: words near 2^64.
			keys[i] = r.Uint64() | -uint64(r.IntN(2))<<8
			binary.LittleEndian.PutUint64(piece[8*i:], r.Uint64()|-uint64(r.IntN(2))<<8)
		}
		want, word := new(big.Int), new(big.Int).Lsh(big.NewInt(1), 64)
		sum := func(i int) *big.Int {
			n := new(big.Int).SetUint64(binary.LittleEndian.Uint64(piece[8*i:]))
			return n.Mod(n.Add(n, new(big.Int).SetUint64(keys[i])), word)
		}
		for i := 0; i < len(keys); i += 2 {
			a := sum(i)
			want.Add(want, a.Mul(a, sum(i+1)))
		}
		want.Mod(want, new(big.Int).Mul(word, word))
		high, low := pieceSum(&piece, &keys)
		got := new(big.Int).SetUint64(high)
		if got.Add(got.Lsh(got, 64), new(big.Int).SetUint64(low)).Cmp(want) != 0 {
			t.Fatalf("the sum is %x, must be %x", got, want)
		}
	}
}

// Bytes that lie elsewhere have the same name; those that differ in a bit, wherever it is,
// and those in which two pieces have changed places have another.
func TestNamesAreOfAllBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 2))
	for _, n := range []int{0, 1, 16, nameParts*namePiece - 1, nameParts * namePiece, nameParts*namePiece + 1, 5*nameParts*namePiece + 3333} {
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
