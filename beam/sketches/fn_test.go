package sketches

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/stretchr/testify/require"
)

// Wrong parameters have the family's own error, before a pipeline runs.
func TestParametersAreChecked(t *testing.T) {
	_, want := ccbf.Params{Res: 1, K: 99}.Config()
	_, err := CCBF(ccbf.Params{Res: 1, K: 99})
	require.EqualError(t, err, want.Error())
	require.ErrorIs(t, err, sketch.ErrOption)
	_, want = cms.New(cms.Params{Epsilon: 3})
	_, err = Keys(cms.Family, cms.Params{Epsilon: 3})
	require.EqualError(t, err, want.Error())
}

// A worker that receives a Fn of a newer program reports that.
func TestUnknownFamily(t *testing.T) {
	_, err := (&Fn{Family: "qf"}).CreateAccumulator()
	require.ErrorContains(t, err, `"qf"`)
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
		_, err := c.fn.AddInput(must(c.fn.CreateAccumulator()), c.input)
		require.ErrorContains(t, err, c.want, "%s of %v", c.fn.Family, c.input)
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
	require.EqualValues(t, 7, s.CountKey(key.AppendInt64(nil, 7)))
	_, err := fn.AddInput(a, "7")
	require.ErrorIs(t, err, key.ErrClass, "a text among numbers")
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
		{[][]byte{[]byte("no sketch")}, "not a valid sketch"},
	} {
		a, err := (&UnionFn{}).CreateAccumulator(), error(nil)
		for _, b := range c.blobs {
			require.NoError(t, err)
			a, err = (&UnionFn{}).AddInput(a, b)
		}
		require.ErrorContains(t, err, c.want)
	}
	_, err := (&UnionFn{}).ExtractOutput((&UnionFn{}).CreateAccumulator())
	require.ErrorContains(t, err, "no sketch was added")
	// The same with both sides in memory.
	a := must((&UnionFn{}).AddInput((&UnionFn{}).CreateAccumulator(), fine))
	b := must((&UnionFn{}).AddInput((&UnionFn{}).CreateAccumulator(), other))
	_, err = (&UnionFn{}).MergeAccumulators(a, b)
	require.ErrorIs(t, err, sketch.ErrInvalid, "two families")
}
