package keyed_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

type name string

// Values make the sketch of their keys.
func TestAddValues(t *testing.T) {
	values := make([]uint16, 5000)
	all, one := conform.Made(t, cms.Family, cms.Params{Width: 512, Depth: 4}), conform.Made(t, cms.Family, cms.Params{Width: 512, Depth: 4})
	for i := range values {
		values[i] = uint16(i * i % 700)
		one.AddKey(key.AppendInt64(nil, int64(values[i])), 1)
	}
	if err := one.SetKeyClass(key.Int); err != nil {
		t.Fatal(err)
	}
	if err := keyed.AddValues(cms.Family, all, values); err != nil || !bytes.Equal(all.Blob(), one.Blob()) {
		t.Errorf("%v, another BLOB", err)
	}
}

// A sketch that needs the values themselves gets them.
func TestAddValuesByValue(t *testing.T) {
	s := conform.Made(t, sbf.Family, sbf.Params{Capacity: 1000, Range: sbf.Range{Lo: 0, Hi: 99}})
	if err := keyed.AddValues(sbf.Family, s, []int8{1, 5, 5, 9}); err != nil {
		t.Fatal(err)
	}
	if n, err := s.RangeSum(2, 9); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if err := keyed.AddValues(sbf.Family, s, []int{7, 100}); err == nil || s.CountInt(7) != 1 {
		t.Errorf("%v, and the value before was added %d times", err, s.CountInt(7))
	}
}

func TestCountValue(t *testing.T) {
	b := conform.Made(t, bloom.Family, bloom.Params{Capacity: 100})
	if n, err := bloom.Family.CountValue(b, 7); n != 0 || err != nil { // no keys, of no class
		t.Errorf("%d, %v", n, err)
	}
	if err := keyed.AddValues(bloom.Family, b, []name{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	if n, err := bloom.Family.CountValue(b, "a"); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	for _, err := range []error{
		func() error { _, err := bloom.Family.CountValue(b, 7); return err }(),
		keyed.AddValues(bloom.Family, b, []int{7}),
	} {
		if !errors.Is(err, key.ErrClass) {
			t.Errorf("another class: %v", err)
		}
	}
	if _, err := bloom.Family.CountValue(b, []int{1}); err == nil {
		t.Error("a list is a key")
	}

	f := conform.Made(t, cms.Family, cms.Params{})
	if err := keyed.AddValues(cms.Family, f, []float32{0.5, float32(math.Copysign(0, -1)), 3}); err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{0.5, 0.0, 3, uint64(3)} {
		if n, err := cms.Family.CountValue(f, v); n != 1 || err != nil {
			t.Errorf("%v: %d, %v", v, n, err)
		}
	}
}

// A full filter says so.
func TestAddValuesOfAFullSketch(t *testing.T) {
	s := conform.Made(t, cuckoo.Family, cuckoo.Params{Capacity: 200})
	values := make([]int, 2048)
	for i := range values {
		values[i] = i
	}
	if err := keyed.AddValues(cuckoo.Family, s, values); !errors.Is(err, cuckoo.ErrFull) {
		t.Error(err)
	}
}
