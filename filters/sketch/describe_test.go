package sketch_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

var described = []sketch.Family{ccbf.Family, cms.Family, sbf.Family, bloom.Family, cbf.Family, cuckoo.Family}

// examples are small sketches of 1,234 keys, or of as many cells, and what is
// said of them before the size.
func examples(t *testing.T) map[string][]byte {
	t.Helper()
	const n = 1234
	out := map[string][]byte{}
	keep := func(words string, s interface{ Blob() []byte }, err error) {
		if err != nil {
			t.Fatal(err)
		}
		out[words] = s.Blob()
	}
	fill := func(add func(key []byte)) {
		for i := range uint64(n) {
			add(binary.LittleEndian.AppendUint64(nil, i))
		}
	}
	c, err := cms.New(cms.Params{Width: 2000, Depth: 3})
	fill(func(key []byte) { c.AddKey(key, 1) })
	keep("cms 2,000 x 3 counters, 1,234 added, ", c, err)
	b, err := bloom.New(bloom.Params{Capacity: 5000})
	fill(func(key []byte) { b.AddKey(key, 1) })
	keep("bloom for 5,000 keys, 1,234 added, ", b, err)
	f, err := cbf.New(cbf.Params{Capacity: 5000})
	fill(func(key []byte) { f.AddKey(key, 1) })
	keep("cbf for 5,000 keys, 1,234 added, ", f, err)
	k, err := cuckoo.New(cuckoo.Params{Capacity: 5000})
	fill(func(key []byte) { err = errors.Join(err, k.AddKey(key, 1)) })
	keep("cuckoo for 5,000 keys, 1,234 added, ", k, err)
	s, err := sbf.New(sbf.Params{Capacity: 5000})
	fill(func(key []byte) { err = errors.Join(err, s.AddKey(key, 1)) })
	keep("sbf ", s, err)
	for words, params := range map[string]ccbf.Params{
		"ccbf exact, 1,234 cells, ":           {Res: 1},
		"ccbf dense, 4 layers, 1,234 added, ": {Res: 1, Bytes: 4096, Dense: true},
	} {
		config, err := ccbf.New(params)
		if err != nil {
			t.Fatal(err)
		}
		g, err := ccbf.NewBuilder(config, nil).Sketch()
		if err != nil {
			t.Fatal(err)
		}
		for i := range int64(n) {
			if err := g.Add(grid.Cell{X: i, Y: i % 7}, nil, 1); err != nil {
				t.Fatal(err)
			}
		}
		out[words] = g.AppendBlob(nil)
	}
	return out
}

func TestDescribe(t *testing.T) {
	for words, blob := range examples(t) {
		got, ok := sketch.Describe(described, blob)
		if !ok || !strings.HasPrefix(got, words) {
			t.Errorf("%q, want %q and the size", got, words)
		}
		if size := got[strings.LastIndex(got, ", ")+2:]; !strings.HasSuffix(size, "B") {
			t.Errorf("%q: no size", got)
		}
	}
	if got, ok := sketch.Describe(described, []byte("no sketch")); ok {
		t.Errorf("%q of no sketch", got)
	}
	if got, ok := sketch.Describe(nil, examples(t)["ccbf exact, 1,234 cells, "]); ok {
		t.Errorf("%q without families", got)
	}
}

// TestDescribeDamaged checks that a damaged head neither panics nor takes long.
func TestDescribeDamaged(t *testing.T) {
	for words, blob := range examples(t) {
		for i := range min(len(blob), 300) {
			sketch.Describe(described, blob[:i])
			for bit := range 8 {
				damaged := slices.Clone(blob)
				damaged[i] ^= 1 << bit
				if got, ok := sketch.Describe(described, damaged); ok && got == "" {
					t.Errorf("%sbyte %d: nothing said", words, i)
				}
			}
		}
	}
}
