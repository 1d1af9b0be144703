package filters_test

import (
	"bytes"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// A copy has the bytes of the sketch, goes on as the sketch that its BLOB makes, and
// shares nothing with it.
func TestClone(t *testing.T) {
	for _, f := range filters.Keyed() {
		settings := f.Settings()
		settings.Reset()
		s, err := f.Make(settings.Params())
		if err != nil {
			t.Fatal(err)
		}
		add := func(s keyed.Sketch, from, to uint64) {
			for i := from; i < to; i++ {
				if err := f.AddKey(s, key.AppendUint64(nil, i%700), 1); err != nil {
					t.Fatal(err)
				}
			}
		}
		add(s, 0, 1000)
		blob := s.Blob()
		c, err := f.Clone(s)
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := f.Load(blob)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(c.Blob(), blob) {
			t.Errorf("%s: the copy has other bytes", f.About().Name)
		}
		add(c, 300, 3000)
		add(loaded, 300, 3000)
		if !bytes.Equal(s.Blob(), blob) {
			t.Errorf("%s: keys of the copy are in the sketch", f.About().Name)
		}
		if !bytes.Equal(c.Blob(), loaded.Blob()) {
			t.Errorf("%s: the copy and the sketch of the BLOB become different ones", f.About().Name)
		}
	}
}
