package filters_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// A sketch that was reset is an empty one, and so is each with other keys after that.
func TestReset(t *testing.T) {
	for _, f := range filters.Keyed() {
		name := f.About().Name
		for _, form := range allForms(t, f, forms[name]) {
			text, params := form.Name, form.Params
			var err error
			fresh := func() keyed.Sketch {
				s, err := f.Make(params)
				if err == nil {
					err = keyed.BaseOf(s).SetKeyClass(key.Int)
				}
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			fills := f.Laws(params).Fills
			add := func(s keyed.Sketch, from, to, ns uint64) []byte {
				for i := from; i < to; i++ {
					h1, h2 := key.HashUint64(keyed.BaseOf(s).Seed(), i*i)
					if keyed.ByValue(s) {
						err = f.AddKey(s, key.AppendUint64(nil, i%5), ns)
					} else {
						err = f.Add(s, []uint64{h1}, []uint64{h2}, []uint64{ns})
					}
					if err != nil && !fills {
						t.Fatal(err)
					}
				}
				return s.Blob()
			}
			reused := fresh()
			empty := reused.Blob()
			for _, k := range []struct{ from, to, ns uint64 }{{0, 0, 1}, {0, 4, 1}, {3, 300, 1}, {7, 9, 5}, {1, 370, 2}, {0, 40, 1 << 20}, {0, 3, 1<<64 - 2}, {5, 300, 1}} {
				one := fresh()
				want := add(one, k.from, k.to, k.ns)
				if got := add(reused, k.from, k.to, k.ns); !bytes.Equal(got, want) {
					t.Fatalf("%s %s: of keys %d to %d, %d times, a sketch that was reset has\n%x and not\n%x", name, text, k.from, k.to, k.ns, got, want)
				}
				appended, err := keyed.AppendBlob([]byte("before"), reused)
				if err != nil || fmt.Sprintf("before%s", want) != string(appended) {
					t.Fatalf("%s %s: appended %x, %v", name, text, appended, err)
				}
				reused.Reset()
				if err := keyed.BaseOf(reused).SetKeyClass(key.Int); err != nil || !bytes.Equal(reused.Blob(), empty) {
					t.Fatalf("%s %s: reset, it is %x, %v", name, text, reused.Blob(), err)
				}
			}
			if bytes, seed := f.Empty(params); bytes > 8192 || (bytes == 0) != keyed.ByValue(reused) || bytes > 0 && seed != keyed.BaseOf(reused).Seed() {
				t.Errorf("%s %s: an empty one takes %d bytes, seed %d", name, text, bytes, seed)
			}
		}
		// Parameters of an impossible sketch take no memory.
		wrong, err := f.ReadParams([]byte(`{"Capacity": 18446744073709551615, "Width": 18446744073709551615, "Bytes": 18446744073709551615}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Make(wrong); err == nil {
			continue // the family has none of these fields
		}
		if bytes, _ := f.Empty(wrong); bytes != 0 {
			t.Errorf("%s: %d bytes of what cannot be made", name, bytes)
		}
	}
}
