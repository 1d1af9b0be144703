package sbf

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func TestSaturation(t *testing.T) {
	conform.Saturation(t, Family, []Params{
		{Counters: 60}, {Counters: 60, Method: MI}, {Counters: 60, Method: RM}, {Counters: 60, Method: TRM}, {Counters: 60, Encoding: Index},
	})
}

// The nodes of a key may share counters, so a removal may find too little at the last node.
func TestRefusedRemovals(t *testing.T) {
	var all []Params
	for seed := range uint64(30) {
		all = append(all, Params{Counters: 40, K: 4, Range: Range{0, 255}, Seed: seed})
	}
	conform.RefusedRemovals(t, Family, 10, all)
}

func TestUnionsThatDiffer(t *testing.T) {
	product := func(a, b *Sketch) error { _, err := Product(a, b); return err }
	base := Params{Counters: 320, K: 4, Seed: 1}
	conform.Differing(t, Family, base, map[string]func(p *Params){
		"method ms vs mi":               func(p *Params) { p.Method = MI },
		"k 4 vs 5":                      func(p *Params) { p.K = 5 },
		"counters 320 vs 324":           func(p *Params) { p.Counters = 321 },
		"seed 1 vs 2":                   func(p *Params) { p.Seed = 2 },
		"layout not blocked vs blocked": func(p *Params) { p.Blocked = true },
		"range none vs 0 to 9":          func(p *Params) { p.Range = Range{0, 9} },
	}, product)
	base.Method = RM
	conform.Differing(t, Family, base, map[string]func(p *Params){
		"second filter with marker vs without marker": func(p *Params) { p.Marker = Unmarked },
	}, product)
}

// Sketches that differ only in their encoding unite, in that of the left one.
func TestUnionOfEncodings(t *testing.T) {
	for _, method := range []Method{MS, MI, RM} {
		for e := range Encoding(4) {
			build := func(e Encoding, from, to int64) *Sketch {
				s := mustNew(t, Params{Counters: 2000, Method: method, Encoding: e})
				for v := from; v < to; v++ {
					must(t, s.AddInt(v, uint64(v)))
				}
				return s
			}
			want := build(e, 0, 100)
			must(t, want.Union(build(e, 50, 300)))
			for f := range Encoding(4) {
				got, byBlob := build(e, 0, 100), build(e, 0, 100)
				must(t, got.Union(build(f, 50, 300)))
				must(t, byBlob.UnionBlob(build(f, 50, 300).Blob()))
				if !bytes.Equal(got.Blob(), want.Blob()) || !bytes.Equal(byBlob.Blob(), want.Blob()) {
					t.Errorf("%v: %v with %v is another union", method, e, f)
				}
			}
		}
	}
}

func TestProduct(t *testing.T) {
	for _, p := range []Params{{}, {Method: MI}, {Method: RM}, {Blocked: true}, {Encoding: Elias}, {Range: Range{0, 999}}} {
		p.Counters = 4000
		r := rand.New(rand.NewPCG(8, 8))
		var sides [2]*Sketch
		truth := [2]map[uint64]uint64{{}, {}}
		for i := range sides {
			sides[i] = mustNew(t, p)
			for _, v := range zipf(r, 0.7, 500, 5000) {
				v += uint64(250 * i)
				truth[i][v]++
				must(t, sides[i].AddInt(int64(v), 1))
			}
		}
		before := [2][]byte{sides[0].Blob(), sides[1].Blob()}
		s, err := Product(sides[0], sides[1])
		must(t, err)
		if !bytes.Equal(before[0], sides[0].Blob()) || !bytes.Equal(before[1], sides[1].Blob()) {
			t.Errorf("%+v: a product changed its sides", p)
		}
		d, err := Decode(s.Blob())
		must(t, err)
		pairs := uint64(0)
		for v := range uint64(1000) {
			want := truth[0][v] * truth[1][v]
			pairs += want
			if got := d.CountInt(int64(v)); got < want {
				t.Fatalf("%+v: %d pairs of key %d, there are %d", p, got, v, want)
			}
		}
		if p.Range != (Range{}) {
			if _, err := d.RangeSum(0, 999); !errors.Is(err, sketch.ErrNotAdditive) {
				t.Errorf("range sum of a product: %v", err)
			}
		}
		if _, known := d.Total(); known || d.Additive() {
			t.Errorf("%+v: a product with a total, or of sums", p)
		}
		if err := d.RemoveInt(1, 1); !errors.Is(err, sketch.ErrNotAdditive) {
			t.Errorf("%+v: removal from a product: %v", p, err)
		}
		if _, err := d.Unbiased(1, 1, 1); !errors.Is(err, sketch.ErrNotAdditive) {
			t.Errorf("%+v: unbiased: %v", p, err)
		}
		if err := d.Union(sides[0]); !errors.Is(err, sketch.ErrDiffer) {
			t.Errorf("%+v: union of a product and counts: %v", p, err)
		}
	}
	// Products beyond 64 bits.
	a := mustNew(t, Params{Counters: 50})
	must(t, a.AddInt(1, 1<<40))
	s, err := Product(a, a)
	must(t, err)
	if !s.Saturated() || s.CountInt(1) != math.MaxUint64 {
		t.Errorf("2^40 times 2^40: %d, saturated %v", s.CountInt(1), s.Saturated())
	}
	if _, err := Decode(s.Blob()); err != nil {
		t.Error(err)
	}
}

func TestRangeClass(t *testing.T) {
	if err := mustNew(t, Params{Range: Range{0, 9}}).SetKeyClass(key.Text); !errors.Is(err, key.ErrClass) {
		t.Errorf("a range over VARCHAR: %v", err)
	}
}
