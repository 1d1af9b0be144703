package top

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func mustNew(t testing.TB, k uint64) *Sketch {
	t.Helper()
	s, err := New(Params{K: k})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func add(t testing.TB, s *Sketch, k, n uint64) {
	t.Helper()
	if err := s.AddKey(key.AppendUint64(nil, k), n); err != nil {
		t.Fatal(err)
	}
}

// judge checks all that a sketch promises against the true counts.
func judge(t *testing.T, what string, s *Sketch, truth map[uint64]uint64) {
	t.Helper()
	total := uint64(0)
	for _, n := range truth {
		total += n
	}
	share := total / (s.K() + 1)
	v, err := NewView(s.Blob())
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(s.Blob()); err != nil {
		t.Fatal(err)
	}
	keys := v.Keys()
	if uint64(len(keys)) > s.K() || v.Info().MaxError > share {
		t.Fatalf("%s: %d keys of at most %d, an error of %d, at most %d", what, len(keys), s.K(), v.Info().MaxError, share)
	}
	kept := map[uint64]bool{}
	for i, f := range keys {
		k := binary.LittleEndian.Uint64(f.Key)
		kept[k] = true
		if n := truth[k]; f.Low > n || n > f.High || f.High-f.Low != v.Info().MaxError || i > 0 && f.Low > keys[i-1].Low {
			t.Fatalf("%s: key %d occurred %d times, bounds %d and %d", what, k, n, f.Low, f.High)
		}
	}
	for k, n := range truth {
		if n > share && !kept[k] {
			t.Fatalf("%s: key %d with %d of %d occurrences is not kept", what, k, n, total)
		}
		count, err := Family.CountBlob(s.Blob(), key.AppendUint64(nil, k))
		if err != nil || count < n || count > n+share {
			t.Fatalf("%s: key %d occurred %d times, counted %d, %v", what, k, n, count, err)
		}
	}
}

// The bounds hold for one sketch, for unions of many however they are grouped, and through BLOBs.
func TestBounds(t *testing.T) {
	for _, k := range []uint64{1, 2, 7, 50} {
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, k))
			zipf := rand.NewZipf(r, 1.1+r.Float64(), 1, 300)
			truth := map[uint64]uint64{}
			whole, united := mustNew(t, k), mustNew(t, k)
			for range 1 + r.IntN(9) {
				part := mustNew(t, k)
				for range r.IntN(700) {
					v, n := zipf.Uint64(), uint64(1)
					if r.IntN(10) == 0 {
						n = r.Uint64N(100)
					}
					truth[v] += n
					add(t, whole, v, n)
					add(t, part, v, n)
				}
				var err error
				if r.IntN(2) == 0 {
					err = united.UnionBlob(part.Blob())
				} else {
					err = united.Union(part)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			judge(t, fmt.Sprintf("k %d, seed %d, the whole", k, seed), whole, truth)
			judge(t, fmt.Sprintf("k %d, seed %d, united", k, seed), united, truth)
		}
	}
}

// With at most k keys all is exact, so that unions are the whole, byte for byte.
func TestExact(t *testing.T) {
	a, b, whole := mustNew(t, 10), mustNew(t, 10), mustNew(t, 10)
	for i := range uint64(1000) {
		add(t, whole, i%10, i)
		add(t, []*Sketch{a, b}[i%2], i%10, i)
	}
	if err := b.Union(a); err != nil || b.MaxError() != 0 || !bytes.Equal(b.Blob(), whole.Blob()) {
		t.Fatalf("%v, error %d", err, b.MaxError())
	}
}

// A copy counts on by itself, in every place.
func TestClone(t *testing.T) {
	s := mustNew(t, 3)
	for i := range uint64(6) {
		add(t, s, i, 1+i)
	}
	blob, c := s.Blob(), s.Clone()
	for range 100 {
		add(t, c, 3, 1)
	}
	if got := c.Keys()[0]; binary.LittleEndian.Uint64(got.Key) != 3 || got.Low > 104 || got.High < 104 || !bytes.Equal(s.Blob(), blob) {
		t.Errorf("%+v", c.Keys())
	}
}

// Counts at 2^64-1 mean at least that; nothing wraps around.
func TestCeiling(t *testing.T) {
	s := mustNew(t, 1)
	for range 2 {
		add(t, s, 1, math.MaxUint64)
	}
	add(t, s, 2, 5)
	add(t, s, 3, 7)
	if _, known := s.Total(); known {
		t.Error("the total is known")
	}
	if err := Check(s.Blob()); err != nil {
		t.Error(err)
	}
	keys := s.Keys()
	if len(keys) != 1 || keys[0].High != math.MaxUint64 || keys[0].Low != math.MaxUint64-7 {
		t.Errorf("%+v", keys)
	}
}

func TestErrors(t *testing.T) {
	if _, err := New(Params{K: MaxK + 1}); !errors.Is(err, sketch.ErrOption) {
		t.Error(err)
	}
	a, b := mustNew(t, 1), mustNew(t, 2)
	if err := a.Union(b); !errors.Is(err, sketch.ErrDiffer) {
		t.Error(err)
	}
}

// A BLOB whose counters cannot be is refused, however its checksum.
func TestImpossible(t *testing.T) {
	s := mustNew(t, 3)
	header := sketch.Header{Family: id, Flags: sketch.TotalKnown, Total: 9}
	for what, body := range map[string][]byte{
		"a key twice":        {0, 2, 5, 1, 'a', 4, 1, 'a'},
		"not in order":       {0, 2, 4, 1, 'a', 5, 1, 'b'},
		"keys not in order":  {0, 2, 4, 1, 'b', 4, 1, 'a'},
		"a count of 0":       {0, 2, 9, 1, 'a', 0, 1, 'b'},
		"too many counters":  {0, 4, 6, 1, 'a', 1, 1, 'b', 1, 1, 'c', 1, 1, 'd'},
		"counts too large":   {0, 1, 10, 1, 'a'},
		"counts too small":   {0, 1, 8, 1, 'a'},
		"an error too large": {2, 1, 2, 1, 'a'},
		"a byte more":        {0, 1, 9, 1, 'a', 0},
		"a key too long":     {0, 1, 9, 2, 'a'},
	} {
		blob := sketch.Join(header, []byte{3}, body)
		if err := Check(blob); !errors.Is(err, sketch.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
		if err := s.UnionBlob(blob); !errors.Is(err, sketch.ErrInvalid) || len(s.counters) > 0 {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := Check(sketch.Join(header, []byte{3}, []byte{2, 1, 1, 1, 'a'})); err != nil {
		t.Errorf("an error as large as it can be: %v", err)
	}
}
