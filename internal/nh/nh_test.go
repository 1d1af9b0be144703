package nh

import (
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"
)

// pieces are four pieces, gap bytes from one to the next, and keys, with words that are near
// 2^64: many carries.
func pieces(r *rand.Rand, size, gap int) (b []byte, keys *Keys) {
	b, keys = make([]byte, (Parts-1)*(size+gap)+size), new(Keys)
	for i := range keys {
		keys[i] = r.Uint64() | -uint64(r.IntN(2))<<8
	}
	for i := 0; i+8 <= len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], r.Uint64()|-uint64(r.IntN(2))<<8)
	}
	return b, keys
}

// product is a times b; over GF(2) without carries.
func product(a, b *big.Int, carries bool) *big.Int {
	if carries {
		return new(big.Int).Mul(a, b)
	}
	p := new(big.Int)
	for i := range b.BitLen() {
		if b.Bit(i) == 1 {
			p.Xor(p, new(big.Int).Lsh(a, uint(i)))
		}
	}
	return p
}

// want is the sum of a piece by the formula, in numbers of any size.
func want(piece []byte, keys *Keys, carries bool) *big.Int {
	one := big.NewInt(1)
	word, all := new(big.Int).Lsh(one, 64), new(big.Int).Lsh(one, 128)
	masked := func(i int) *big.Int {
		a, k := new(big.Int).SetUint64(binary.LittleEndian.Uint64(piece[8*i:])), new(big.Int).SetUint64(keys[i])
		if !carries {
			return a.Xor(a, k)
		}
		return a.Mod(a.Add(a, k), word)
	}
	sum := new(big.Int)
	for i := 0; 8*i < len(piece); i += 2 {
		if p := product(masked(i), masked(i+1), carries); carries {
			sum.Mod(sum.Add(sum, p), all)
		} else {
			sum.Xor(sum, p)
		}
	}
	return sum
}

func number(low, high uint64) *big.Int {
	n := new(big.Int).SetUint64(high)
	return n.Add(n.Lsh(n, 64), new(big.Int).SetUint64(low))
}

// Sums are those of the formulas, of pieces of any size that lie anywhere.
func TestSums(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 1))
	for size := Step; size <= Piece; size += Step {
		gap := r.IntN(9)
		b, keys := pieces(r, size, gap)
		var got [2 * Parts]uint64
		Sums(&got, b, size+gap, size, keys)
		for i := range Parts {
			piece := b[i*(size+gap):][:size]
			if n, w := number(got[2*i], got[2*i+1]), want(piece, keys, !carryless); n.Cmp(w) != 0 {
				t.Fatalf("piece %d of %d bytes, %d from the next: the sum is %x, must be %x", i, size, gap, n, w)
			}
			low, high := sum(piece, keys) // of processors of other kinds
			if n, w := number(low, high), want(piece, keys, true); n.Cmp(w) != 0 {
				t.Fatalf("piece %d of %d bytes: the sum with carries is %x, must be %x", i, size, n, w)
			}
		}
	}
}

// No memory is read that is not there.
func TestSumsOfTooLittle(t *testing.T) {
	b, keys := pieces(rand.New(rand.NewPCG(20, 2)), Piece, 0)
	for _, c := range []struct{ bytes, stride, size int }{{len(b) - 1, Piece, Piece}, {len(b), Piece + 1, Piece}, {len(b), Piece, Piece + Step}, {len(b), Piece, 0}, {len(b), Piece, Step - 1}, {len(b), -Piece, Step}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v: that memory is not there", c)
				}
			}()
			Sums(new([2 * Parts]uint64), b[:c.bytes], c.stride, c.size, keys)
		}()
	}
}
