package ccbf

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
)

// Keys that repeat are counted together on their way into the dense form, in a buffer that becomes
// longer for it. Sums are what they are one by one; minimal increment counts no less than there was, and
// is not further off than one by one (by a tenth of a percent where this was written: the bound is 2%).
func TestRepeatedKeysInTheDenseForm(t *testing.T) {
	r := rand.New(rand.NewPCG(333, 0))
	z := rand.NewZipf(r, 1.2, 2, 1<<22)
	keys, truth := make([]uint64, 7*repeatBuffer+5), map[uint64]uint64{}
	for i := range keys {
		keys[i] = z.Uint64() * 0x9e3779b97f4a7c15 >> 38
	}
	for _, k := range keys {
		truth[k]++
	}
	for _, mode := range []Mode{Standard, MinimalIncrement} {
		c := config(t, Params{Dense: true, Mode: mode, K: 4, Widths: []int{4, 8, 16}, Counters: []uint64{3 << 16, 3 << 13, 3 << 10}})
		together, single := NewBuilder(c, nil), NewBuilder(c, nil)
		if err := together.AddKeys(keys); err != nil {
			t.Fatal(err)
		}
		section := together.plain
		if size := cap(section.buf); !section.repeats || size != together.longestSpilled(section) || size <= sortBuffer {
			t.Errorf("mode %v: the buffer holds %d keys", mode, size)
		}
		single.OneByOne = true
		if err := single.AddKeys(keys); err != nil {
			t.Fatal(err)
		}
		a, b := blobOf(t, together), blobOf(t, single)
		if mode == Standard {
			sameBytes(t, "sums", a, b)
			continue
		}
		if x, y := excessOf(t, viewOf(t, a), truth), excessOf(t, viewOf(t, b), truth); x > y+y/50 || y == 0 {
			t.Errorf("counts are %d too high together, %d one by one", x, y)
		}
	}
}

// excessOf is by how much all counts are too high.
func excessOf(t *testing.T, v *View, truth map[uint64]uint64) (sum uint64) {
	t.Helper()
	for key, n := range truth {
		got := v.Count(cells.CellOf(0, 0, key), nil)
		if got < n {
			t.Fatalf("key %d counts %d, want at least %d", key, got, n)
		}
		sum += got - n
	}
	return sum
}

// Buffers stay short where memory is scarce, for several sections, and where a budget does not say
// what it has left.
func TestRepeatedKeysTakeNoMemoryThatIsWanted(t *testing.T) {
	keys := make([]uint64, 4*sortBuffer)
	for i := range keys {
		keys[i] = uint64(i % 99)
	}
	c := config(t, Params{Dense: true})
	for name, of := range map[string]struct {
		budget Budget
		most   int
	}{
		"plenty":    {nil, int(c.shape.Bytes()) / 2 / 8},
		"scarce":    {new(scarce), sortBuffer},
		"not known": {new(peak), sortBuffer},
	} {
		b := NewBuilder(c, of.budget)
		for range 8 {
			if err := b.AddKeys(keys); err != nil {
				t.Fatal(err)
			}
		}
		if got := cap(b.plain.buf); got > of.most || of.most > sortBuffer && got <= sortBuffer {
			t.Errorf("%s: the buffer holds %d keys, at most %d were to be", name, got, of.most)
		}
	}
}
