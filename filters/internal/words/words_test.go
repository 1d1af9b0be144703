package words

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// A table of any word size is a list of numbers, whatever is done to it.
func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for shift := range uint8(4) {
		for _, n := range []int{0, 1, 7, 8, 9, 64, 1001} {
			table, want := Make(shift, n), make([]uint64, n)
			most := ^uint64(0) >> (64 - 8<<shift)
			for range 3 * n {
				i := r.IntN(n)
				want[i] = r.Uint64() & most >> r.IntN(8<<shift)
				table.Set(i, want[i])
			}
			var longest uint64
			for i, v := range want {
				longest = max(longest, v)
				if got := table.At(i); got != v {
					t.Fatalf("shift %d: counter %d of %d is %d, want %d", shift, i, n, got, v)
				}
			}
			got := make([]uint64, n)
			if table.Unpack(0, got); !slices.Equal(got, want) || table.Len() != n {
				t.Fatalf("shift %d: %d counters unpack as %d, want %d of them: %d", shift, table.Len(), got, n, want)
			}
			if Shift(table.Or()) != Shift(longest) {
				t.Errorf("shift %d: the longest of %d counters is like %d, want one like %d", shift, n, table.Or(), longest)
			}
			for to := Shift(longest); to < 4; to++ {
				wide := table.Resize(to)
				if wide.Unpack(0, got); !slices.Equal(got, want) || len(wide.B) != n<<to {
					t.Errorf("shift %d: %d counters are others with shift %d", shift, n, to)
				}
			}
		}
	}
}

func TestShift(t *testing.T) {
	for v, want := range map[uint64]uint8{0: 0, 255: 0, 256: 1, 65535: 1, 65536: 2, 1<<32 - 1: 2, 1 << 32: 3, Saturated: 3} {
		if got := Shift(v); got != want {
			t.Errorf("%d takes words of 1 << %d bytes, want 1 << %d", v, got, want)
		}
	}
}

// What rows do for many keys is what numbers without a size do for one after the
// other, up to the first sum that does not fit.
func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const m, keys = 37, 200
	two64 := new(big.Int).Lsh(big.NewInt(1), 64)
	for shift := range uint8(4) {
		limit := ^uint64(0) >> (64 - 8<<shift)
		if shift == 3 {
			limit-- // the largest says that the counter is saturated
		}
		for round := range 200 {
			table, want := Make(shift, m), make([]uint64, m)
			for i := range want {
				want[i] = r.Uint64N(limit) >> r.IntN(8<<shift)
				table.Set(i, want[i])
			}
			step := uint64(1 + r.IntN(5))
			h1s, h2s, ns := make([]uint64, keys), make([]uint64, keys), make([]uint64, keys)
			at := make([]int, keys)
			for k := range keys {
				h1s[k], h2s[k], ns[k] = r.Uint64(), r.Uint64(), r.Uint64N(limit)>>r.IntN(8<<shift)
				x := new(big.Int).SetUint64(h2s[k])
				x.Mul(x, new(big.Int).SetUint64(step)).Add(x, new(big.Int).SetUint64(h1s[k])).Mod(x, two64)
				at[k] = int(x.Mul(x, big.NewInt(m)).Rsh(x, 64).Int64())
			}
			n, weights := uint64(1+round%3), ns
			if round%2 == 0 {
				weights = nil
			}
			done := 0
			for ; done < keys; done++ {
				add := n
				if weights != nil {
					add = weights[done]
				}
				sum := new(big.Int).Add(new(big.Int).SetUint64(want[at[done]]), new(big.Int).SetUint64(add))
				if sum.Cmp(new(big.Int).SetUint64(limit)) > 0 {
					break
				}
				want[at[done]] = sum.Uint64()
			}
			if got := table.AddRow(m, step, h1s, h2s, weights, n); got != done {
				t.Fatalf("shift %d: %d keys were added, want %d", shift, got, done)
			}
			got := make([]uint64, m)
			if table.Unpack(0, got); !slices.Equal(got, want) {
				t.Fatalf("shift %d: counters %d, want %d", shift, got, want)
			}
			least, lower := make([]uint64, keys), make([]uint64, keys)
			for k := range keys {
				least[k] = r.Uint64()
				lower[k] = min(least[k], want[at[k]])
			}
			if table.LeastRow(m, step, h1s, h2s, least); !slices.Equal(least, lower) {
				t.Fatalf("shift %d: the least are %d, want %d", shift, least, lower)
			}
		}
	}
}
