package ccbf_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Build is a Builder that gets point after point, near and far.
func TestBuild(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 1024, 3000} {
		p := ccbf.Params{Res: 0.5}
		xs, ys := make([]float64, n), make([]float64, n)
		c := kit.Must(p.Config())
		b := ccbf.NewBuilder(c, nil)
		for i := range xs {
			xs[i], ys[i] = r.Float64()*50-25, r.Float64()*50-25
			if i%100 == 99 { // beyond the region of keys
				xs[i] *= 1e9
			}
			cell := kit.Must(c.Grid.Cell(xs[i], ys[i]))
			kit.NoError(t, b.Add(cell, nil, key.None, 1))
		}
		want := kit.Must(b.Sketch())
		got, err := ccbf.Build(p, xs, ys)
		if err != nil || !bytes.Equal(got.Blob(), want.Blob()) {
			t.Errorf("%d points: %v, another BLOB", n, err)
		}
	}
}

func TestBuildErrors(t *testing.T) {
	for want, f := range map[string]func() error{
		"2 xs and 1 ys": func() error { _, err := ccbf.Build(ccbf.Params{Res: 1}, []float64{1, 2}, []float64{1}); return err },
		"point 1": func() error {
			_, err := ccbf.Build(ccbf.Params{Res: 1}, []float64{1, math.NaN()}, []float64{1, 1})
			return err
		},
		"category": func() error {
			_, err := ccbf.Build(ccbf.Params{Res: 1, Categories: true}, nil, nil)
			return err
		},
		"0": func() error { _, err := ccbf.Build(ccbf.Params{}, nil, nil); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}
