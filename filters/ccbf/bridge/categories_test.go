package bridge

import (
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// A range is by value, where the bytes of keys are in another order.
func TestBetween(t *testing.T) {
	c, err := ccbf.Params{Res: 1, Categories: true}.Config()
	if err != nil {
		t.Fatal(err)
	}
	b := ccbf.NewBuilder(c, nil)
	for i := int64(-300); i <= 300; i += 3 {
		if err := b.Add(grid.Cell{X: i}, key.AppendInt64(nil, i), key.Int, 1); err != nil {
			t.Fatal(err)
		}
	}
	v := built(t, b)
	for _, r := range [][2]int64{{-300, 300}, {-7, 270}, {0, 0}, {1, 2}, {10, -10}, {-1000, -299}} {
		keys, err := Between(v, key.AppendInt64(nil, r[0]), key.AppendInt64(nil, r[1]))
		if err != nil {
			t.Fatal(err)
		}
		var want [][]byte
		for i := int64(-300); i <= 300; i += 3 {
			if r[0] <= i && i <= r[1] {
				want = append(want, key.AppendInt64(nil, i))
			}
		}
		if !slices.EqualFunc(keys, want, slices.Equal) {
			t.Errorf("from %d to %d: %d keys, want %d", r[0], r[1], len(keys), len(want))
		}
	}
	b = ccbf.NewBuilder(c, nil)
	if err := b.Add(grid.Cell{}, key.AppendBool(nil, true), key.Bool, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := Between(built(t, b), key.AppendBool(nil, false), key.AppendBool(nil, true)); err == nil {
		t.Error("a range of BOOLEANs")
	}
}
