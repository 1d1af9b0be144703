package ccbf

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Boxes over sketches of all forms, asked for with one view, are those of each sketch by itself.
func TestBoxSums(t *testing.T) {
	list, err := samples()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(104, 0))
	var q BoxSums
	var v View
	for range 40 {
		got, want := make([]uint64, 60), make([]uint64, 60)
		for i := range got {
			blob := list[r.IntN(len(list))].Blob
			one := viewOf(t, blob)
			if err := v.Reset(blob); err != nil {
				t.Fatal(err)
			}
			box := randomBox(r, 400)
			if want[i], err = one.BoxSum(box, nil); err != nil {
				t.Fatal(err)
			}
			got[i] = r.Uint64()
			if err := q.Ask(&v, box, nil, &got[i]); err != nil {
				t.Fatal(err)
			}
		}
		q.Finish()
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("question %d is %d, by itself %d", i, got[i], want[i])
			}
		}
	}
	if q.Blocks() == 0 {
		t.Error("no block was decoded")
	}
	dense := config(t, Params{Dense: true})
	b := NewBuilder(dense, nil)
	if err := b.Add(grid.Cell{}, nil, 0, 1); err != nil {
		t.Fatal(err)
	}
	if err := b.Add(grid.Cell{X: 1 << 40, Y: 1 << 40}, nil, 0, 1); err != nil {
		t.Fatal(err)
	}
	large := viewOf(t, blobOf(t, b))
	_, want := large.BoxSum(large.Bounds, nil)
	var sum uint64
	if err := q.Ask(large, large.Bounds, nil, &sum); err == nil || err.Error() != want.Error() {
		t.Errorf("a box of too many cells: %v, by itself %v", err, want)
	}
}
