package bloom

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func TestUnionsThatDiffer(t *testing.T) {
	conform.Differing(t, Family, Params{Bits: 1000, K: 3, Variant: Rational, Seed: 1}, map[string]func(p *Params){
		"bits 1000 vs 1001":            func(p *Params) { p.Bits = 1001 },
		"k 3 vs 3.5":                   func(p *Params) { p.K = 3.5 },
		"variant rational vs standard": func(p *Params) { p.Variant = Standard },
		"activation hash vs position":  func(p *Params) { p.Activation = ByPosition },
		"capacity 231 vs 7":            func(p *Params) { p.Capacity = 7 },
		"seed 1 vs 2":                  func(p *Params) { p.Seed = 2 },
	}, (*Sketch).Intersect, func(a, b *Sketch) error { return a.IntersectBlob(b.Blob()) })
}

func TestIntersect(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	for round := range 60 {
		p := randomParams(r, 14)
		a, b := mustNew(t, p), mustNew(t, p)
		var common [50][2]uint64
		for i := range common {
			h1, h2 := r.Uint64(), r.Uint64()|1
			common[i] = [2]uint64{h1, h2}
			a.Add(h1, h2, 1)
			b.Add(h1, h2, 2)
		}
		random(a, r, 100)
		random(b, r, 100)
		bits := make([]byte, len(a.bits))
		for i := range bits {
			bits[i] = a.bits[i] & b.bits[i]
		}
		byBlob, err := Decode(a.Blob())
		if err != nil {
			t.Fatal(err)
		}
		keep := b.Blob()
		damaged := bytes.Clone(keep)
		damaged[8] ^= 1 // of the checksum
		if err := byBlob.IntersectBlob(damaged); !errors.Is(err, sketch.ErrChecksum) || !bytes.Equal(byBlob.Blob(), a.Blob()) {
			t.Fatalf("with a damaged BLOB: %v", err)
		}
		if err := byBlob.IntersectBlob(keep); err != nil {
			t.Fatal(err)
		}
		if err := a.Intersect(b); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.bits, bits) || !bytes.Equal(a.Blob(), byBlob.Blob()) || !bytes.Equal(keep, b.Blob()) {
			t.Fatalf("round %d, %+v: wrong bits, or the source changed", round, p)
		}
		if _, known := a.Total(); known {
			t.Errorf("round %d: the total is known", round)
		}
		for _, h := range common {
			if !a.Contains(h[0], h[1]) {
				t.Fatalf("round %d, %+v: a key of both is not there", round, p)
			}
		}
		// Adding to it and uniting it stays legal, without a total.
		a.Add(1, 1, 1)
		if err := b.Union(a); err != nil {
			t.Fatal(err)
		}
		if _, known := b.Total(); known {
			t.Errorf("round %d: the total of a union with an unknown one is known", round)
		}
	}
}

func TestShrink(t *testing.T) {
	// 1011 in binary: blocks of 8, 2 and 1 bits; times 64 so that they are words.
	s := mustNew(t, Params{Bits: 11 * 64, K: 5.5, Variant: Blocks})
	random(s, rand.New(rand.NewPCG(27, 28)), 60)
	for _, c := range []struct {
		size   uint64
		blocks []uint64
	}{
		{start + 11*8, []uint64{512, 128, 64}},
		{start + 11*8 - 1, []uint64{512, 128}},
		{start + 10*8 - 1, []uint64{512, 64}},
		{start + 9*8 - 1, []uint64{512}},
		{start + 8*8 - 1, []uint64{128, 64}},
		{start + 2*8, []uint64{128}},
		{start + 8, []uint64{64}},
		{math.MaxUint64, []uint64{512, 128, 64}},
	} {
		d, err := Decode(s.Blob())
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Shrink(c.size); err != nil {
			t.Fatal(err)
		}
		if blob := d.Blob(); !slices.Equal(d.Blocks(), c.blocks) || uint64(len(blob)) > c.size || len(blob) > start+d.Bytes() {
			t.Errorf("%d bytes: blocks %v, %d bytes", c.size, d.Blocks(), len(blob))
		}
		if want := 5.5 * float64(d.Bits()) / 704; d.K() != want {
			t.Errorf("%d bytes: k %v, want %v", c.size, d.K(), want)
		}
		// Shrinking in two steps gives the same filter as in one, if both keep the same blocks.
		whole, err := Decode(s.Blob())
		if err != nil {
			t.Fatal(err)
		}
		if d.kept == 512 {
			for _, size := range []uint64{start + 9*8, start + 8*8} {
				if err := whole.Shrink(size); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(whole.Blob(), d.Blob()) {
				t.Error("two steps and one differ")
			}
		} else if err := whole.Union(d); d.kept != s.kept && !errors.Is(err, sketch.ErrDiffer) {
			t.Errorf("a union of different blocks: %v", err)
		}
	}
	before := s.Blob()
	for _, size := range []uint64{0, start, start + 7} {
		if err := s.Shrink(size); !errors.Is(err, sketch.ErrOption) ||
			err.Error() != `option "bytes" is `+strconv.FormatUint(size, 10)+`, must be at least `+strconv.Itoa(start+8)+`, which the smallest block takes` {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	if !bytes.Equal(before, s.Blob()) {
		t.Error("an error changed the filter")
	}
	for _, v := range []Variant{Standard, Rational} {
		err := mustNew(t, Params{Variant: v}).Shrink(1 << 20)
		if err == nil || err.Error() != "shrink a filter of variant '"+v.String()+"': only 'blocks' has blocks to drop" {
			t.Error(err)
		}
	}
}
