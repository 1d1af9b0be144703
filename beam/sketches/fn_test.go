package sketches

import (
	"errors"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Wrong parameters have the family's own error, before a pipeline runs.
func TestParametersAreChecked(t *testing.T) {
	_, want := ccbf.Params{Res: 1, K: 99}.Config()
	_, err := CCBF(ccbf.Params{Res: 1, K: 99})
	if err == nil || err.Error() != want.Error() || !errors.Is(err, sketch.ErrOption) {
		t.Errorf("got %v, want %v", err, want)
	}
	_, want = cms.New(cms.Params{Epsilon: 3})
	if _, err = Keys(cms.Family, cms.Params{Epsilon: 3}); err == nil || err.Error() != want.Error() {
		t.Errorf("got %v, want %v", err, want)
	}
}

// A worker that receives a Fn of a newer program reports that.
func TestUnknownFamily(t *testing.T) {
	if _, err := (&Fn{Family: "qf"}).CreateAccumulator(); err == nil || !strings.Contains(err.Error(), `"qf"`) {
		t.Error(err)
	}
}

func TestInputsThatAreRefused(t *testing.T) {
	points, keys := must(CCBF(ccbf.Params{Res: 1})), must(Keys(cms.Family, cms.Params{}))
	category := must(CCBF(ccbf.Params{Res: 1, Categories: true}))
	for _, c := range []struct {
		fn    *Fn
		input any
		want  string
	}{
		{points, "here", "string is neither sketches.Point"},
		{points, Points{X: []float64{1}}, "1 x, 0 y"},
		{points, Point{1e300, 0}, "1e+300"},
		{points, Points{X: []float64{1}, Y: []float64{1}, Category: [][]byte{{1}}}, "class 0"},
		{category, Point{1, 1}, "built with a category"},
		{keys, complex(1, 2), "complex128 cannot be a key"},
		{keys, Occurrences{Key: []byte{1}, N: 1}, "class 0"},
		{keys, Occurrences{Class: 99, Key: []byte{1}, N: 1}, "class 99"},
	} {
		a := must(c.fn.CreateAccumulator())
		if _, err := c.fn.AddInput(a, c.input); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %v: got %v, want an error with %q", c.fn.Family, c.input, err, c.want)
		}
	}
}

// Go values are the same keys as in SQL.
func TestKeysAreThoseOfSQL(t *testing.T) {
	fn := must(Keys(cms.Family, cms.Params{}))
	a := must(fn.CreateAccumulator())
	for _, v := range []any{int8(7), uint64(7), 7} {
		a = must(fn.AddInput(a, v))
	}
	a = must(fn.AddInput(a, Occurrences{Class: key.Int, Key: key.AppendInt64(nil, 7), N: 4}))
	s := must(cms.Decode(must(fn.ExtractOutput(a))))
	if n := s.CountKey(key.AppendInt64(nil, 7)); n != 7 {
		t.Errorf("7 counts %d, want 7", n)
	}
	if _, err := fn.AddInput(a, "7"); !errors.Is(err, key.ErrClass) {
		t.Errorf("a text among numbers: %v", err)
	}
}

func TestUnionsThatAreRefused(t *testing.T) {
	blob := func(fn *Fn, input any) []byte {
		return must(fn.ExtractOutput(must(fn.AddInput(must(fn.CreateAccumulator()), input))))
	}
	fine := blob(must(CCBF(ccbf.Params{Res: 1})), Point{1, 1})
	coarse := blob(must(CCBF(ccbf.Params{Res: 2})), Point{1, 1})
	other := blob(must(Keys(cms.Family, cms.Params{})), 1)
	damaged := append([]byte(nil), fine...)
	damaged[len(damaged)-1] ^= 1
	for _, c := range []struct {
		blobs [][]byte
		want  string
	}{
		{[][]byte{fine, coarse}, "resolution 1 vs 2"},
		{[][]byte{fine, other}, "a cms sketch, expected a ccbf sketch"},
		{[][]byte{damaged}, "checksum"},
		{[][]byte{damaged, fine}, "checksum"},
		{[][]byte{[]byte("no sketch")}, "not a valid sketch"},
		{nil, "no sketch was added"},
	} {
		fn := &UnionFn{}
		a, err := fn.CreateAccumulator(), error(nil)
		for _, b := range c.blobs {
			if err == nil {
				a, err = fn.AddInput(a, b)
			}
		}
		if err == nil {
			_, err = fn.ExtractOutput(a)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
	// The same with both sides in memory.
	a := must((&UnionFn{}).AddInput((&UnionFn{}).CreateAccumulator(), fine))
	b := must((&UnionFn{}).AddInput((&UnionFn{}).CreateAccumulator(), other))
	if _, err := (&UnionFn{}).MergeAccumulators(a, b); !errors.Is(err, sketch.ErrInvalid) {
		t.Errorf("two families: %v", err)
	}
}
