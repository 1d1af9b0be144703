package cells

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// Eights write what the lists of the same cells do: of any number of keys, far from each other and
// near, at both ends of the region. They cannot where some come up again, or are too far apart.
func TestEightsAreTheLists(t *testing.T) {
	if !haveEight {
		t.Skip("the processor does not have it")
	}
	r := rand.New(rand.NewPCG(49, 0))
	var eights Eights // one for all, as it is used
	wrote, again, wide := 0, 0, 0
	for round := range 1000 {
		var words []uint64
		begins := []int{0}
		for range 1 + r.IntN(EightsAtOnce) {
			keys := make([]uint64, r.IntN(MaxEight+3))
			from, within := r.Uint64(), r.IntN(65)
			for i := range keys {
				switch keys[i] = from + r.Uint64()>>within; r.IntN(30) {
				case 0:
					keys[i] = keys[r.IntN(i+1)]
				case 1:
					keys[i] = -uint64(r.IntN(2))
				case 2:
					keys[i] = keys[max(i-1, 0)] + uint64(r.IntN(3))
				}
			}
			words = append(words, keys...)
			begins = append(begins, len(words))
		}
		before := slices.Clone(words)
		eights.Set(words, begins)
		if !slices.Equal(words, before) {
			t.Fatal("the keys were changed")
		}
		for i, begin := range begins[:len(begins)-1] {
			keys := slices.Sorted(slices.Values(words[begin:begins[i+1]]))
			run := Run{Keys: slices.Compact(slices.Clone(keys)), Counts: slices.Repeat([]uint64{1}, len(keys))}
			eight := eights.At(i)
			if n := len(keys); len(run.Keys) < n || n == 0 || n > MaxEight {
				if again++; eight != nil {
					t.Fatalf("%x: encoded", keys)
				}
				continue
			}
			list := List{{Label: Label{None: true}, Run: run}}
			bounds := list.Bounds()
			want, _ := list.AppendBody([]byte("x"), bounds, 1<<30)
			if eight == nil {
				// Behind x and the number of cells there are the place of the first, two orders and the code.
				place := keys[0] - cornersAround(keys).low()
				if wide++; place < 1<<bitio.MostVarint && len(want) <= 1+1+len(binary.AppendUvarint(nil, place))+2+8 {
					t.Fatalf("%x: not encoded, in %d bytes", keys, len(want))
				}
				continue
			}
			head := binary.AppendVarint(binary.AppendVarint(nil, bounds.MinX), bounds.MinY)
			head = binary.AppendUvarint(binary.AppendUvarint(head, uint64(bounds.MaxX-bounds.MinX)), uint64(bounds.MaxY-bounds.MinY))
			var room [BoundsRoom]byte
			if b := room[:eight.PutBounds(room[:])]; !bytes.Equal(b, head) {
				t.Fatalf("round %d: bounds of %x: %x, want %x, %v", round, keys, b, head, bounds)
			}
			if got := eight.AppendBody([]byte("x")); !bytes.Equal(got, want) {
				t.Fatalf("round %d: body of %x: %x, want %x", round, keys, got, want)
			}
			wrote++
		}
	}
	if wrote < 10_000 || again < 5000 || wide < 1000 {
		t.Errorf("%d encoded, %d with none, too many or keys that come up again, %d too wide", wrote, again, wide)
	}
}

// Without the processor's help there are none, nor of no words at all.
func TestNoEights(t *testing.T) {
	defer func(have bool) { haveEight = have }(haveEight)
	var eights Eights
	words, begins := []uint64{1, 2, 3}, []int{0, 1, 3}
	for _, have := range []bool{haveEight, false} {
		haveEight = have
		eights.Set(words, begins)
		for i := range 2 {
			if (eights.At(i) != nil) != have {
				t.Errorf("list %d: encoded, or not, with the processor's help %v", i, have)
			}
		}
		if eights.Set(nil, []int{0, 0}); eights.At(0) != nil {
			t.Error("an empty list is encoded")
		}
	}
}
