package filters_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// forms are parameters of forms in memory that the samples of a family do not have.
var forms = map[string][]string{
	"cms":   {`{"Width": 9, "Depth": 3}`, `{"Width": 9, "Depth": 2, "Conservative": true, "Seed": 7}`},
	"sbf":   {`{"Counters": 90}`, `{"Counters": 90, "Method": 1, "Encoding": 3}`, `{"Counters": 600, "Method": 2}`, `{"Counters": 30, "Method": 3}`, `{"Counters": 900, "Method": 3, "Encoding": 1}`},
	"bloom": {`{"Bits": 300}`, `{"Bits": 301, "K": 2.5, "Variant": 2}`, `{"Grow": true}`},
	"cbf": {
		`{"Capacity": 50}`, `{"Capacity": 20, "VariableLength": true}`, `{"Capacity": 50, "Variant": 2}`,
		`{"Capacity": 600, "VariableLength": true}`, `{"Capacity": 400, "Variant": 1, "CounterBits": 16, "Seed": 5}`,
		`{"Capacity": 600, "Variant": 1, "CounterBits": 8, "VariableLength": true}`, `{"Capacity": 400, "Variant": 2, "CounterBits": 8, "VariableLength": true}`,
	},
	"cuckoo": {
		`{"Capacity": 400}`, `{"Capacity": 400, "VariableLength": true, "Variant": 1}`, `{"Capacity": 2000, "Duplicates": true, "Slots": 8}`,
		`{"Capacity": 2500, "FingerprintBits": 8, "Seed": 7}`, `{"Capacity": 2500, "FingerprintBits": 13, "Slots": 3}`,
		`{"Capacity": 2500, "FingerprintBits": 32, "Slots": 8}`, `{"Capacity": 2500, "FingerprintBits": 5, "Variant": 1, "Duplicates": true}`,
		`{"Capacity": 2500, "VariableLength": true, "Duplicates": true}`,
	},
}

// eachForm runs a test for every form of every family. fresh makes an empty sketch.
func eachForm(t *testing.T, test func(t *testing.T, f keyed.Any, params any, fresh func() keyed.Sketch)) {
	for _, f := range filters.Keyed() {
		all := f.Forms()
		for _, text := range forms[f.About().Name] {
			params, err := f.ReadParams([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, keyed.Sample{Form: text, Params: params})
		}
		for _, form := range all {
			t.Run(f.About().Name+" "+form.Form, func(t *testing.T) {
				test(t, f, form.Params, func() keyed.Sketch {
					s, err := f.Make(form.Params)
					if err != nil {
						t.Fatal(err)
					}
					return s
				})
			})
		}
	}
}

// hashesOf are the hashes of whole numbers from 0, of which each comes twice.
func hashesOf(s keyed.Sketch, n int) (keys [][]byte, h1s, h2s []uint64) {
	for i := range uint64(n) {
		b := key.AppendUint64(nil, i/2)
		h1, h2 := key.Hash(keyed.BaseOf(s).Seed(), b)
		keys, h1s, h2s = append(keys, b), append(h1s, h1), append(h2s, h2)
	}
	return keys, h1s, h2s
}

// addHash and addKey add one key by the methods of the sketch itself.
func addHash(s keyed.Sketch, h1, h2, n uint64) error {
	if s, fills := s.(interface {
		Add(h1, h2, n uint64) error
	}); fills {
		return s.Add(h1, h2, n)
	}
	s.(interface{ Add(h1, h2, n uint64) }).Add(h1, h2, n)
	return nil
}

func addKey(s keyed.Sketch, b []byte, n uint64) error {
	if s, fills := s.(interface {
		AddKey(b []byte, n uint64) error
	}); fills {
		return s.AddKey(b, n)
	}
	s.(interface{ AddKey(b []byte, n uint64) }).AddKey(b, n)
	return nil
}

// ask is how often a sketch has a key by the first question, 1 or 0 where that is whether.
func ask(s keyed.Sketch, b []byte, h1, h2 uint64) (byHash, byKey uint64) {
	number := map[bool]uint64{true: 1}
	if s, has := s.(interface {
		Contains(h1, h2 uint64) bool
		ContainsKey(b []byte) bool
	}); has {
		return number[s.Contains(h1, h2)], number[s.ContainsKey(b)]
	}
	c, has := s.(interface {
		Count(h1, h2 uint64) uint64
		CountKey(b []byte) uint64
	})
	if !has {
		panic(fmt.Sprintf("%T has neither Contains and ContainsKey nor Count and CountKey", s))
	}
	return c.Count(h1, h2), c.CountKey(b)
}

// askAll is ask of many keys at once, on a BLOB.
func askAll(r keyed.Reader, kind keyed.QuestionKind, dst, h1s, h2s []uint64, found []bool) {
	if kind == keyed.HowOften {
		r.CountHashes(dst, h1s, h2s)
		return
	}
	r.ContainsHashes(found, h1s, h2s)
	for i, is := range found {
		if dst[i] = 0; is {
			dst[i] = 1
		}
	}
}

// TestManyAtOnceIsOneByOne: many keys at once give the same sketch as one by one, by their bytes or by
// their hashes. Queries of it and of its BLOB have the same results.
func TestManyAtOnceIsOneByOne(t *testing.T) {
	eachForm(t, func(t *testing.T, f keyed.Any, params any, fresh func() keyed.Sketch) {
		if keyed.ByValue(fresh()) {
			t.Skip("takes keys and no hashes")
		}
		keys, h1s, h2s := hashesOf(fresh(), 1500)
		r := rand.New(rand.NewPCG(2, 2))
		for _, n := range []int{0, 1, 2, 5, 6, 100, 255, 256, 257, 600, 1500} {
			weights := make([]uint64, n)
			for i := range weights {
				if weights[i] = 1; i%3 == 0 {
					weights[i] = max(r.Uint64N(20), 2) - 2
				}
			}
			for _, ns := range [][]uint64{nil, weights} {
				byKey, byHash, many := fresh(), fresh(), fresh()
				done := 0
				var err error
				for ; done < n && err == nil; done++ {
					w := uint64(1)
					if ns != nil {
						w = ns[done]
					}
					err = addKey(byKey, keys[done], w)
					if other := addHash(byHash, h1s[done], h2s[done], w); (err == nil) != (other == nil) {
						t.Fatalf("key %d: error %v by its bytes, %v by its hash", done, err, other)
					}
				}
				if err != nil && !f.Laws(params).Fills {
					t.Fatal(err)
				}
				if all := f.Add(many, h1s[:n], h2s[:n], ns); (all == nil) != (err == nil) {
					t.Fatalf("%d keys: error %v at once, %v one by one", n, all, err)
				}
				blob := many.Blob()
				if !bytes.Equal(byKey.Blob(), blob) || !bytes.Equal(byHash.Blob(), blob) {
					t.Fatalf("%d keys, weights %v: one by one and at once they make different sketches", n, ns != nil)
				}
				loaded, err := f.Load(blob)
				if err != nil {
					t.Fatal(err)
				}
				answers := make([]uint64, len(keys))
				reader := f.Reader()
				if err := reader.Open(blob); err != nil {
					t.Fatal(err)
				}
				askAll(reader, f.Questions()[0].Kind, answers, h1s, h2s, make([]bool, len(keys)))
				for i, want := range answers {
					if a, b := ask(loaded, keys[i], h1s[i], h2s[i]); a != want || b != want {
						t.Fatalf("of %d keys, key %d: %d by its hash, %d by its bytes, %d among many", n, i, a, b, want)
					}
				}
			}
		}
	})
}

// Adding, asking and uniting take no memory, but where a sketch keeps keys until it is made or while it
// is built.
func TestNoAllocations(t *testing.T) {
	eachForm(t, func(t *testing.T, f keyed.Any, params any, fresh func() keyed.Sketch) {
		if keyed.ByValue(fresh()) || f.Laws(params).Fills {
			t.Skip("keeps keys, or is full at some time")
		}
		keys, h1s, h2s := hashesOf(fresh(), 600)
		s := fresh()
		if err := f.Add(s, h1s, h2s, nil); err != nil {
			t.Fatal(err)
		}
		s, err := f.Load(s.Blob())
		if err == nil {
			err = addHash(s, h1s[0], h2s[0], 1<<40) // as wide as it gets
		}
		if err != nil {
			t.Fatal(err)
		}
		name := f.About().Name
		blob, reader, kind := s.Blob(), f.Reader(), f.Questions()[0].Kind
		if err := reader.Open(blob); err != nil {
			t.Fatal(err)
		}
		answers, found := make([]uint64, len(keys)), make([]bool, len(keys))
		for what, do := range map[string]func() error{
			"a key by its hash":  func() error { return addHash(s, h1s[1], h2s[1], 1) },
			"a key by its bytes": func() error { return addKey(s, keys[1], 1) },
			"keys":               func() error { return f.Add(s, h1s, h2s, nil) },
			"keys with weights":  func() error { return f.Add(s, h1s, h2s, h2s[:len(h1s)]) },
			"a question":         func() error { ask(s, keys[1], h1s[1], h2s[1]); return nil },
			"questions":          func() error { askAll(reader, kind, answers, h1s, h2s, found); return nil },
			"a BLOB": func() error {
				if name == "sbf" { // whose counters are read through an interface
					return nil
				}
				return cmp.Or(reader.Open(blob), f.UnionBlob(s, blob))
			},
		} {
			if n := conform.Allocations(func() {
				if err := do(); err != nil {
					t.Error(err)
				}
			}); n != 0 {
				t.Errorf("%s: %v allocations", what, n)
			}
		}
	})
}

// The first keys decide on the class of a sketch. One without keys takes on that of another.
func TestKeyClass(t *testing.T) {
	eachForm(t, func(t *testing.T, f keyed.Any, _ any, fresh func() keyed.Sketch) {
		none, text := fresh(), fresh()
		if keyed.BaseOf(text).KeyClass() != key.None {
			t.Skip("its parameters decide on the class")
		}
		if err := keyed.BaseOf(text).SetKeyClass(key.Text); err != nil {
			t.Fatal(err)
		}
		if err := keyed.BaseOf(text).SetKeyClass(key.Int); !errors.Is(err, key.ErrClass) {
			t.Errorf("another class: %v", err)
		}
		if err := f.UnionBlob(text, none.Blob()); err != nil || keyed.BaseOf(text).KeyClass() != key.Text {
			t.Errorf("VARCHAR and no keys: %v, error %v", keyed.BaseOf(text).KeyClass(), err)
		}
		if err := f.Unite(none, text); err != nil || keyed.BaseOf(none).KeyClass() != key.Text {
			t.Errorf("no keys and VARCHAR: %v, error %v", keyed.BaseOf(none).KeyClass(), err)
		}
		loaded, err := f.Load(none.Blob())
		if err != nil || keyed.BaseOf(loaded).KeyClass() != key.Text {
			t.Errorf("of a BLOB: error %v", err)
		}
	})
}

// A BLOB with a flipped bit is refused and changes nothing.
func TestBadBlobChangesNothing(t *testing.T) {
	eachForm(t, func(t *testing.T, f keyed.Any, _ any, fresh func() keyed.Sketch) {
		s := fresh()
		if err := f.AddKey(s, key.AppendUint64(nil, 1), 1); err != nil {
			t.Fatal(err)
		}
		before := s.Blob()
		bad := bytes.Clone(before)
		bad[8] ^= 1 // of the checksum
		if _, err := f.Load(bad); !errors.Is(err, sketch.ErrChecksum) {
			t.Errorf("load: %v", err)
		}
		if err := f.UnionBlob(s, bad); !errors.Is(err, sketch.ErrChecksum) || !bytes.Equal(before, s.Blob()) {
			t.Errorf("unite: %v", err)
		}
		if !f.Subtracts() {
			return
		}
		if err := f.SubtractBlob(s, bad); !errors.Is(err, sketch.ErrChecksum) || !bytes.Equal(before, s.Blob()) {
			t.Errorf("subtract: %v", err)
		}
	})
}

// Keys of a copy are not in the sketch.
func TestCloneSharesNothing(t *testing.T) {
	eachForm(t, func(t *testing.T, f keyed.Any, params any, fresh func() keyed.Sketch) {
		s := fresh()
		add := func(s keyed.Sketch, from, to uint64) {
			for i := from; i < to; i++ {
				if err := f.AddKey(s, key.AppendUint64(nil, i), 3); err != nil && !f.Laws(params).Fills {
					t.Fatal(err)
				}
			}
		}
		add(s, 0, 4)
		before := s.Blob()
		c := f.Clone(s)
		if !bytes.Equal(before, c.Blob()) {
			t.Fatal("the copy has other bytes")
		}
		add(c, 2, 8)
		if !bytes.Equal(before, s.Blob()) || bytes.Equal(before, c.Blob()) && !f.Laws(params).Fills {
			t.Error("keys of the copy are in the sketch, or not in the copy")
		}
	})
}
