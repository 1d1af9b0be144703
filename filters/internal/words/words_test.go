package words

import (
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
