package keyed_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

type name string

// Values one by one are the same sketch, whatever their number is to that of a
// batch.
func TestAddValues(t *testing.T) {
	for _, n := range []int{0, 1, 1023, 1024, 1025, 5000} {
		values := make([]uint16, n)
		one, err := cms.New(cms.Params{Width: 512, Depth: 4})
		if err != nil {
			t.Fatal(err)
		}
		for i := range values {
			values[i] = uint16(i * i % 700)
			one.AddKey(key.AppendInt64(nil, int64(values[i])), 1)
		}
		if n > 0 {
			if err := one.SetKeyClass(key.Int); err != nil {
				t.Fatal(err)
			}
		}
		all, err := cms.New(cms.Params{Width: 512, Depth: 4})
		if err != nil {
			t.Fatal(err)
		}
		if err := keyed.AddValues(cms.Family, all, values); err != nil || !bytes.Equal(all.Blob(), one.Blob()) {
			t.Errorf("%d values: %v, another BLOB", n, err)
		}
	}
}

// A sketch that needs the values themselves gets them.
func TestAddValuesByValue(t *testing.T) {
	s, err := sbf.New(sbf.Params{Capacity: 1000, Range: sbf.Range{Lo: 0, Hi: 99}})
	if err != nil {
		t.Fatal(err)
	}
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
	b, err := bloom.New(bloom.Params{Capacity: 100})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := keyed.CountValue(bloom.Family, b, 7); n != 0 || err != nil { // no keys, of no class
		t.Errorf("%d, %v", n, err)
	}
	if err := keyed.AddValues(bloom.Family, b, []name{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	if n, err := keyed.CountValue(bloom.Family, b, "a"); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	for _, err := range []error{
		func() error { _, err := keyed.CountValue(bloom.Family, b, 7); return err }(),
		keyed.AddValues(bloom.Family, b, []int{7}),
	} {
		if !errors.Is(err, key.ErrClass) {
			t.Errorf("another class: %v", err)
		}
	}
	if _, err := keyed.CountValue(bloom.Family, b, []int{1}); err == nil {
		t.Error("a list is a key")
	}

	f, err := cms.New(cms.Params{})
	if err != nil {
		t.Fatal(err)
	}
	if err := keyed.AddValues(cms.Family, f, []float32{0.5, float32(math.Copysign(0, -1)), 3}); err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{0.5, 0.0, 3, uint64(3)} {
		if n, err := keyed.CountValue(cms.Family, f, v); n != 1 || err != nil {
			t.Errorf("%v: %d, %v", v, n, err)
		}
	}
}

// A full filter says so.
func TestAddValuesFull(t *testing.T) {
	s, err := cuckoo.New(cuckoo.Params{Capacity: 10})
	if err != nil {
		t.Fatal(err)
	}
	many := make([]int, 10_000)
	for i := range many {
		many[i] = i
	}
	if err := keyed.AddValues(cuckoo.Family, s, many); err == nil {
		t.Error("10,000 keys are in a filter for 10")
	}
}

// A full sketch is an error at the end of a batch too, whether or not values follow.
func TestAddValuesOfAFullSketch(t *testing.T) {
	for _, n := range []int{1023, 1024, 1025, 2048} {
		s, err := cuckoo.New(cuckoo.Params{Capacity: 200})
		if err != nil {
			t.Fatal(err)
		}
		values := make([]int, n)
		for i := range values {
			values[i] = i
		}
		if err := keyed.AddValues(cuckoo.Family, s, values); !errors.Is(err, cuckoo.ErrFull) {
			t.Errorf("%d values: %v", n, err)
		}
	}
}
