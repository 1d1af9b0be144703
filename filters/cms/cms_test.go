package cms

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func mustNew(t testing.TB, p Params) *Sketch { t.Helper(); return conform.Made(t, Family, p) }

func TestShape(t *testing.T) {
	for _, c := range []struct {
		p            Params
		width, depth uint64
		err          string
	}{
		{p: Params{}, width: 2719, depth: 5},
		{p: Params{Epsilon: 0.01, Delta: 0.001}, width: 272, depth: 7},
		{p: Params{Epsilon: 0.999999, Delta: 0.999}, width: 3, depth: 1},
		{p: Params{Width: 10}, width: 10, depth: 5},
		{p: Params{Depth: 2}, width: 2719, depth: 2},
		{p: Params{Width: 10, Delta: 0.5}, width: 10, depth: 1},
		{p: Params{Width: 1, Depth: 32}, width: 1, depth: 32},
		{p: Params{Epsilon: 0.1, Width: 10}, err: `option "epsilon" is 0.1 and "width" is 10: give one of them`},
		{p: Params{Delta: 0.1, Depth: 10}, err: `option "delta" is 0.1 and "depth" is 10: give one of them`},
		{p: Params{Epsilon: -1}, err: `option "epsilon" is -1, must be between 0 and 1`},
		{p: Params{Epsilon: 1}, err: `option "epsilon" is 1, must be between 0 and 1`},
		{p: Params{Epsilon: math.NaN()}, err: `option "epsilon" is NaN, must be between 0 and 1`},
		{p: Params{Epsilon: 1e-300}, err: `option "epsilon" is 1e-300, which needs 2.72e+300 counters per row, at most 134217728 are allowed`},
		{p: Params{Delta: 2}, err: `option "delta" is 2, must be between 0 and 1`},
		{p: Params{Delta: math.Inf(-1)}, err: `option "delta" is -Inf, must be between 0 and 1`},
		{p: Params{Delta: 1e-20}, err: `option "delta" is 1e-20, which needs 47 rows, at most 32 are allowed`},
		{p: Params{Depth: 33}, err: `option "depth" is 33, must be from 1 to 32`},
		{p: Params{Depth: math.MaxUint64}, err: `option "depth" is 18446744073709551615, must be from 1 to 32`},
		{p: Params{Width: 1<<27 + 1, Depth: 1}, err: `option "width" is 134217729, must be from 1 to 134217728`},
		{p: Params{Width: math.MaxUint64}, err: `option "width" is 18446744073709551615, must be from 1 to 134217728`},
		{p: Params{Width: 1 << 27, Depth: 2}, err: `option "width" is 134217728, times "depth" 2 that is 268435456 counters, at most 134217728 are allowed`},
	} {
		width, depth, err := c.p.shape()
		if c.err != "" {
			if !errors.Is(err, sketch.ErrOption) || !strings.HasSuffix(err.Error(), c.err) {
				t.Errorf("%+v: %v, want %s", c.p, err, c.err)
			}
			if s, err := New(c.p); s != nil || err == nil {
				t.Errorf("%+v: New accepts it", c.p)
			}
			continue
		}
		if err != nil || width != c.width || depth != c.depth {
			t.Errorf("%+v: %d x %d, error %v, want %d x %d", c.p, depth, width, err, c.depth, c.width)
		}
	}
}

// model is the sketch of the paper in the plainest way: one counter of any size for each position,
// positions by long arithmetic, no batches.
type model struct {
	width, depth int64
	conservative bool
	c            map[int64]*big.Int
}

var ceiling = new(big.Int).SetUint64(math.MaxUint64)

func (m *model) cells(h1, h2 uint64) (cells []*big.Int) {
	for row := range m.depth {
		x := new(big.Int).SetUint64(h2)
		x.Mul(x, big.NewInt(row+1)).Add(x, new(big.Int).SetUint64(h1))
		x.And(x, ceiling)                                 // modulo 2^64
		x.Mul(x, big.NewInt(m.width)).Rsh(x, 64).Uint64() // floor(x * width / 2^64)
		at := row*m.width + x.Int64()
		if m.c[at] == nil {
			m.c[at] = new(big.Int)
		}
		cells = append(cells, m.c[at])
	}
	return cells
}

func (m *model) count(h1, h2 uint64) *big.Int {
	least := ceiling
	for _, c := range m.cells(h1, h2) {
		if c.Cmp(least) < 0 {
			least = c
		}
	}
	return new(big.Int).Set(least)
}

func (m *model) add(h1, h2, n uint64) {
	target := m.count(h1, h2)
	target.Add(target, new(big.Int).SetUint64(n))
	for _, c := range m.cells(h1, h2) {
		if !m.conservative {
			c.Add(c, new(big.Int).SetUint64(n))
		} else if c.Cmp(target) < 0 {
			c.Set(target)
		}
		if c.Cmp(ceiling) > 0 {
			c.Set(ceiling)
		}
	}
}

// Every way to add gives the counters of the model, through all widths of counters and into saturation.
// Every query gives its estimates.
func TestAgainstModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 60 {
		m := model{width: 1 + r.Int64N(40), depth: 1 + r.Int64N(6), conservative: round%2 == 1, c: map[int64]*big.Int{}}
		p := Params{Width: uint64(m.width), Depth: uint64(m.depth), Conservative: m.conservative, Seed: r.Uint64N(20)}
		one, byKey, batch := mustNew(t, p), mustNew(t, p), mustNew(t, p)
		// Weights that cross 8, 16, 32 and 64 bits in one round or another.
		top := uint(1 + r.IntN(64))
		for range 8 {
			n := r.IntN(700)
			h1s, h2s, ns := make([]uint64, n), make([]uint64, n), make([]uint64, n)
			unit := r.IntN(4) == 0
			for i := range n {
				v := r.Uint64N(60)
				h1s[i], h2s[i] = key.HashUint64(p.Seed, v)
				ns[i] = 1
				if !unit {
					ns[i] = r.Uint64() >> (64 - top) >> r.UintN(64)
				}
				one.Add(h1s[i], h2s[i], ns[i])
				byKey.AddKey(binary.LittleEndian.AppendUint64(nil, v), ns[i])
				m.add(h1s[i], h2s[i], ns[i])
			}
			if unit {
				batch.AddHashes(h1s, h2s, nil)
			} else {
				batch.AddHashes(h1s, h2s, ns)
			}
		}
		blob := one.Blob()
		if !bytes.Equal(blob, byKey.Blob()) || !bytes.Equal(blob, batch.Blob()) {
			t.Fatalf("round %d: additions one by one, by their bytes and in batches differ", round)
		}
		saturates := false
		for at, want := range m.c {
			if got := one.c.At(int(at)); got != want.Uint64() {
				t.Fatalf("round %d: counter %d is %d, want %v", round, at, got, want)
			}
			saturates = saturates || want.Cmp(ceiling) == 0
		}
		if one.Saturated() != saturates {
			t.Fatalf("round %d: saturated is %v, want %v", round, one.Saturated(), saturates)
		}
		view, err := NewView(blob)
		if err != nil {
			t.Fatal(err)
		}
		const asked = 300
		var h1s, h2s, a, b [asked]uint64
		for i := range h1s {
			h1s[i], h2s[i] = key.HashUint64(p.Seed, uint64(i))
		}
		one.CountHashes(a[:], h1s[:], h2s[:])
		view.CountHashes(b[:], h1s[:], h2s[:])
		for i := range h1s {
			want := m.count(h1s[i], h2s[i]).Uint64()
			for j, got := range []uint64{a[i], b[i], one.Count(h1s[i], h2s[i]), view.Count(h1s[i], h2s[i])} {
				if got != want {
					t.Fatalf("round %d: estimate %d of key %d is %d, want %d", round, j, i, got, want)
				}
			}
		}
	}
}

func TestUnionThroughAllWidths(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		p := Params{Width: 1 + r.Uint64N(600), Depth: 1 + r.Uint64N(4)}
		parts := [2]*Sketch{mustNew(t, p), mustNew(t, p)}
		whole := mustNew(t, p)
		for i := range parts {
			top := r.UintN(64)
			for range r.IntN(200) {
				v, n := r.Uint64N(500), r.Uint64()>>top>>r.UintN(64)
				h1, h2 := key.HashUint64(0, v)
				parts[i].Add(h1, h2, n)
				whole.Add(h1, h2, n)
			}
		}
		byBlob, err := Decode(parts[0].Blob())
		if err != nil {
			t.Fatal(err)
		}
		if err := byBlob.UnionBlob(parts[1].Blob()); err != nil {
			t.Fatal(err)
		}
		if err := parts[0].Union(parts[1]); err != nil {
			t.Fatal(err)
		}
		if a := whole.Blob(); !bytes.Equal(a, parts[0].Blob()) || !bytes.Equal(a, byBlob.Blob()) {
			t.Fatalf("the unions differ from the whole")
		}
	}
}

func TestSaturation(t *testing.T) {
	conform.Saturation(t, Family, []Params{{Width: 8, Depth: 2}, {Width: 8, Depth: 2, Conservative: true}})
	s := mustNew(t, Params{Width: 8, Depth: 2})
	s.AddKey([]byte("k"), math.MaxUint64)
	s.AddKey([]byte("k"), 1)
	if excess, _ := s.ErrorBound(); !math.IsInf(excess, 1) {
		t.Errorf("error bound %v without a total", excess)
	}
}

func TestUnionsThatDiffer(t *testing.T) {
	conform.Differing(t, Family, Params{Width: 100, Depth: 3, Seed: 1}, map[string]func(p *Params){
		"width 100 vs 101":                  func(p *Params) { p.Width = 101 },
		"depth 3 vs 4":                      func(p *Params) { p.Depth = 4 },
		"seed 1 vs 2":                       func(p *Params) { p.Seed = 2 },
		"update rule plain vs conservative": func(p *Params) { p.Conservative = true },
	},
		func(a, b *Sketch) error { _, _, err := JoinSize(a, b); return err },
		func(a, b *Sketch) error { _, _, err := JoinSizeBlobs(a.Blob(), b.Blob()); return err })
}

func TestJoinSizeOfBadBlob(t *testing.T) {
	s := mustNew(t, Params{})
	s.AddKey([]byte("x"), 1)
	blob := s.Blob()
	blob[len(blob)-1] ^= 1
	before := s.Blob()
	if _, _, err := JoinSizeBlobs(before, blob); !errors.Is(err, sketch.ErrChecksum) {
		t.Error(err)
	}
}
