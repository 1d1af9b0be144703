package filters_test

import (
	"bytes"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// A sketch that was reset is an empty one, and so is each with other keys after that.
func TestReset(t *testing.T) {
	eachForm(t, func(t *testing.T, f keyed.Any, params any, fresh func() keyed.Sketch) {
		add := func(s keyed.Sketch, from, to, n uint64) []byte {
			if err := keyed.BaseOf(s).SetKeyClass(key.Int); err != nil {
				t.Fatal(err)
			}
			for i := from; i < to; i++ {
				v := i * i
				if keyed.ByValue(s) {
					v = i % 5
				}
				if err := f.AddKey(s, key.AppendUint64(nil, v), n); err != nil && !f.Laws(params).Fills {
					t.Fatal(err)
				}
			}
			return s.Blob()
		}
		reused := fresh()
		empty := add(reused, 0, 0, 1)
		for _, k := range []struct{ from, to, n uint64 }{{0, 4, 1}, {3, 300, 1}, {7, 9, 5}, {1, 370, 2}, {0, 40, 1 << 20}, {0, 3, 1<<64 - 2}, {5, 300, 1}} {
			want := add(fresh(), k.from, k.to, k.n)
			if got := add(reused, k.from, k.to, k.n); !bytes.Equal(got, want) {
				t.Fatalf("of keys %d to %d, %d times, a sketch that was reset has\n%x and not\n%x", k.from, k.to, k.n, got, want)
			}
			reused.Reset()
			if got := add(reused, 0, 0, 1); !bytes.Equal(got, empty) {
				t.Fatalf("reset, it is %x", got)
			}
		}
		if size, seed := f.Empty(params); size > uint64(fresh().Bytes()) || (size == 0) != keyed.ByValue(reused) || size > 0 && seed != keyed.BaseOf(reused).Seed() {
			t.Errorf("an empty one takes %d bytes, seed %d", size, seed)
		}
	})
	// Parameters of an impossible sketch take no memory.
	for _, f := range filters.Keyed() {
		wrong, err := f.ReadParams([]byte(`{"Capacity": 18446744073709551615, "Width": 18446744073709551615, "Bytes": 18446744073709551615}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Make(wrong); err == nil {
			continue // the family has none of these fields
		}
		if size, _ := f.Empty(wrong); size != 0 {
			t.Errorf("%s: %d bytes of what cannot be made", f.About().Name, size)
		}
	}
}
