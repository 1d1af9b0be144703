package bloom

import (
	"bytes"
	"errors"
	"fmt"
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

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		p        Params
		bits     uint64
		k        float64
		capacity uint64
		err      string
	}{
		// k = ceil(-log2(fpp)), m the first multiple of 64 whose rate, of a lognormal fill, is at most fpp, in 40 digits.
		{p: Params{}, bits: 959360, k: 7, capacity: 100_000},
		{p: Params{Capacity: 1000, FPP: 0.001}, bits: 14400, k: 10, capacity: 1000},
		{p: Params{Capacity: 1, FPP: 0.5}, bits: 64, k: 1, capacity: 1},
		{p: Params{Capacity: 1, FPP: 0.999999}, bits: 64, k: 1, capacity: 1},
		{p: Params{Capacity: 1000, FPP: 1e-18}, bits: 86336, k: 60, capacity: 1000},
		{p: Params{Bits: 1000, Capacity: 100}, bits: 1000, k: 7, capacity: 100},
		{p: Params{Bits: 1 << 20, Capacity: 1}, bits: 1 << 20, k: 64, capacity: 1},
		{p: Params{Bits: 1}, bits: 1, k: 1, capacity: 100_000},
		{p: Params{Bits: 1000, K: 7}, bits: 1000, k: 7, capacity: 99}, // 1000 ln 2 / 7
		{p: Params{Bits: 1, K: 64}, bits: 1, k: 64, capacity: 1},
		{p: Params{Capacity: 1000, FPP: 0.01, K: 1}, bits: 99520, k: 1, capacity: 1000}, // -1000 / ln(0.99) = 99499.2
		{p: Params{Capacity: 1000, FPP: 0.01, K: 2}, bits: 19008, k: 2, capacity: 1000}, // -2000 / ln(0.9) = 18982.4
		{p: Params{Bits: 1000, Capacity: 100, Variant: Rational}, bits: 1000, k: 10 * math.Ln2, capacity: 100},
		{p: Params{Bits: 1000, Capacity: 1e6, Variant: Blocks}, bits: 1000, k: 0.001 * math.Ln2, capacity: 1e6},
		{p: Params{Bits: 8, K: NoHashes, Variant: Rational}, bits: 8, k: 0, capacity: 100_000},
		{p: Params{Bits: 8, K: 1e-300, Variant: Blocks}, bits: 8, k: 1e-300, capacity: 1 << 62},

		{p: Params{FPP: 0.1, Bits: 10}, err: `option "fpp" is 0.1 and "bits" is 10: give one of them`},
		{p: Params{FPP: 1}, err: `option "fpp" is 1, must be from 1e-18 to below 1`},
		{p: Params{FPP: -0.5}, err: `option "fpp" is -0.5, must be from 1e-18 to below 1`},
		{p: Params{FPP: 1e-19}, err: `option "fpp" is 1e-19, must be from 1e-18 to below 1`},
		{p: Params{FPP: math.NaN()}, err: `option "fpp" is NaN, must be from 1e-18 to below 1`},
		{p: Params{Bits: MaxBits + 1}, err: `option "bits" is 8589934593, must be from 1 to 8589934592`},
		{p: Params{Bits: MaxBits + 1, K: 2}, err: `option "bits" is 8589934593, must be from 1 to 8589934592`},
		{p: Params{Capacity: 1e12}, err: `option "capacity" is 1000000000000, which needs 9.59e+12 bits, at most 8589934592 are allowed`},
		{p: Params{Capacity: math.MaxUint64, FPP: 1e-18}, err: `option "capacity" is 18446744073709551615, which needs 1.59e+21 bits, at most 8589934592 are allowed`},
		{p: Params{K: 65}, err: `option "k" is 65, must be from 1 to 64`},
		{p: Params{K: 65, Variant: Rational}, err: `option "k" is 65, must be from 0 to 64`},
		{p: Params{K: -2, Variant: Blocks}, err: `option "k" is -2, must be from 0 to 64`},
		{p: Params{K: math.NaN()}, err: `option "k" is NaN, must be from 1 to 64`},
		{p: Params{K: math.NaN(), Variant: Blocks}, err: `option "k" is NaN, must be from 0 to 64`},
		{p: Params{K: math.Inf(1)}, err: `option "k" is +Inf, must be from 1 to 64`},
		{p: Params{K: 2.5}, err: `option "k" is 2.5, must be a whole number; the variant 'rational' takes any`},
		{p: Params{K: 0.5}, err: `option "k" is 0.5, must be a whole number; the variant 'rational' takes any`},
		{p: Params{K: NoHashes}, err: `option "k" is 0, must be from 1 to 64`},
		{p: Params{K: NoHashes, Variant: Rational}, err: `option "k" is 0, with which no number of bits reaches an "fpp" of 0.01: give "bits"`},
		{p: Params{K: 0.5, Variant: Rational}, err: `option "k" is 0.5, with which no number of bits reaches an "fpp" of 0.01: give "bits"`},
		{p: Params{Variant: 3}, err: `option "variant" is 3, must be one of 0 to 2`},
		{p: Params{Activation: ByPosition}, err: `option "activation" is 'position', which only the variant 'rational' has`},
		{p: Params{Activation: 2}, err: `option "activation" is 2, must be one of 0 to 1`},
	} {
		f, err := c.p.form()
		if c.err != "" {
			if err == nil || err.Error() != c.err || !errors.Is(err, sketch.ErrOption) {
				t.Errorf("%+v: error %v, want %s", c.p, err, c.err)
			}
			continue
		}
		if err != nil || f.size != c.bits || f.kept != c.bits || math.Abs(f.k-c.k) > 1e-15*c.k || f.capacity != c.capacity {
			t.Errorf("%+v: %+v, error %v", c.p, f, err)
		}
	}
}

// A K without Bits makes the least length that reaches the rate, whatever the
// variant.
func TestSizeForK(t *testing.T) {
	for _, k := range []float64{1, 1.5, 3, 4.7, 12, 64} {
		for _, fpp := range []float64{0.2, 1e-3, 1e-9} {
			if k == 1 && fpp < 1e-6 { // 10^13 bits
				continue
			}
			p := Params{K: k, FPP: fpp, Capacity: 1000, Variant: Rational}
			s, err := New(p)
			if err != nil {
				if k < 2 && strings.Contains(err.Error(), "which needs") {
					continue
				}
				t.Fatal(err)
			}
			less := s.filter
			less.size--
			// The sizing takes e^(-kn/m), FPPAt the sum for whole bits.
			if r := s.FPPAt(1000); r > fpp*(1+5*k/float64(s.Bits())*1000) || less.FPPAt(1000) < fpp*(1-5*k*1000/float64(s.Bits())) {
				t.Errorf("k %v, rate %v: %d bits have %v, one less %v", k, fpp, s.Bits(), r, less.FPPAt(1000))
			}
		}
	}
}

// model is a filter in the plainest way: positions by long arithmetic straight
// from docs/FORMAT.md.
type model struct {
	form
	set map[uint64]bool
}

var (
	two64 = new(big.Int).Lsh(big.NewInt(1), 64)
	unit  = big.NewInt(one)
)

func bigUint(v uint64) *big.Int { return new(big.Int).SetUint64(v) }

// x is h1 + 0xd1342543de82ef95^(j-1) * h2, the hash of the position numbered j from 1.
func (m *model) x(j int64, h1, h2 uint64) *big.Int {
	x := new(big.Int).Exp(bigUint(0xd1342543de82ef95), big.NewInt(j-1), two64)
	x.Mul(x, bigUint(h2)).Add(x, bigUint(h1))
	return x.Mod(x, two64)
}

// scaled is floor(x * m / 2^64).
func (m *model) scaled(x *big.Int) *big.Int {
	return new(big.Int).Rsh(new(big.Int).Mul(x, bigUint(m.size)), 64)
}

func floorDiv(a, b *big.Int) *big.Int { return new(big.Int).Div(a, b) }

// positions are the bits of a key in the BLOB's body.
func (m *model) positions(h1, h2 uint64) (at []uint64) {
	scaled, _ := new(big.Float).Mul(big.NewFloat(m.k), new(big.Float).SetInt(unit)).Int(nil) // k in units of 2^-56
	whole, part := new(big.Int).DivMod(scaled, unit, new(big.Int))
	u := bigUint(activation(h1, h2))
	if m.variant == Blocks {
		n := floorDiv(new(big.Int).Add(scaled, u), unit).Int64()
		for i := range n {
			sum, offset := uint64(0), uint64(0)
			for digit := 33; digit >= 0; digit-- {
				block := uint64(1) << digit
				if m.size&block == 0 {
					continue
				}
				sum += block
				s := floorDiv(new(big.Int).Mul(scaled, bigUint(sum)), bigUint(m.size))
				if floorDiv(s.Add(s, u), unit).Int64() > i {
					if m.kept&block != 0 {
						p := m.x(i+1, h1, h2)
						at = append(at, offset+p.Mul(p, bigUint(block)).Rsh(p, 64).Uint64())
					}
					break
				}
				if m.kept&block != 0 {
					offset += block
				}
			}
		}
		return at
	}
	n := whole.Int64()
	switch {
	case m.activation == ByHash && new(big.Int).Add(part, u).Cmp(unit) >= 0:
		n++
	case m.activation == ByPosition:
		// position of number floor(k) < part * m
		x := bigUint(h1) // where there is no such position
		if n > 0 {
			x = m.x(n, h1, h2)
		}
		p := m.scaled(x)
		if p.Mul(p, unit).Cmp(new(big.Int).Mul(part, bigUint(m.size))) < 0 {
			n++
		}
	}
	for j := int64(1); j <= n; j++ {
		at = append(at, m.scaled(m.x(j, h1, h2)).Uint64())
	}
	return at
}

func (m *model) add(h1, h2 uint64) {
	for _, p := range m.positions(h1, h2) {
		m.set[p] = true
	}
}

func (m *model) contains(h1, h2 uint64) bool {
	for _, p := range m.positions(h1, h2) {
		if !m.set[p] {
			return false
		}
	}
	return true
}

// randomParams returns parameters of any filter of at most 2^top bits.
func randomParams(r *rand.Rand, top int) Params {
	p := Params{Bits: 1 + r.Uint64N(1<<(1+r.IntN(top))), Variant: Variant(r.IntN(3)), Seed: r.Uint64N(3)}
	p.K = float64(1 + r.IntN(10))
	if p.Variant != Standard {
		switch r.IntN(5) {
		case 0:
		case 1:
			p.K = r.Float64()
		case 2:
			p.K = NoHashes
		default:
			p.K = r.Float64() * 12
		}
	}
	if p.Variant == Rational {
		p.Activation = Activation(r.IntN(2))
	}
	return p
}

// Every way to add sets the bits of the model, and every query has its result. The filters have all
// variants, tiny and shrunk ones, in memory and on the BLOB.
func TestAgainstModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 400 {
		p := randomParams(r, 12)
		one, batch, byKey := mustNew(t, p), mustNew(t, p), mustNew(t, p)
		m := model{one.form, map[uint64]bool{}}
		shrink := p.Variant == Blocks && r.IntN(2) == 0
		size := start + 8*r.Uint64N(1+p.Bits/64)
		if shrink && r.IntN(2) == 0 && one.Shrink(size) == nil { // before there are keys
			for _, s := range []*Sketch{batch, byKey} {
				if err := s.Shrink(size); err != nil {
					t.Fatal(err)
				}
			}
			m.form, shrink = one.form, false
		}
		n := r.IntN(300)
		var h1s, h2s []uint64
		for range n {
			b := key.AppendInt64(nil, r.Int64N(100))
			h1, h2 := key.Hash(p.Seed, b)
			h1s, h2s = append(h1s, h1), append(h2s, h2)
			one.Add(h1, h2, 1)
			byKey.AddKey(b, 1)
			m.add(h1, h2)
		}
		batch.AddHashes(h1s, h2s, nil)
		if !bytes.Equal(one.Blob(), batch.Blob()) || !bytes.Equal(one.Blob(), byKey.Blob()) {
			t.Fatalf("round %d, %+v: additions one by one and in batches differ", round, p)
		}
		if shrink && one.Shrink(size) == nil { // the filter has the bits of one that was shrunk before
			m.form, m.set = one.form, map[uint64]bool{}
			for i := range h1s {
				m.add(h1s[i], h2s[i])
			}
		}
		for i := range one.kept {
			if got := one.bits[i/8]>>(i%8)&1 == 1; got != m.set[i] {
				t.Fatalf("round %d, %+v: bit %d is %v", round, p, i, got)
			}
		}
		view, err := NewView(one.Blob())
		if err != nil {
			t.Fatal(err)
		}
		const asked = 200
		h1s, h2s = nil, nil
		var keys [][]byte
		for i := range int64(asked) {
			b := key.AppendInt64(nil, i)
			h1, h2 := key.Hash(p.Seed, b)
			h1s, h2s, keys = append(h1s, h1), append(h2s, h2), append(keys, b)
		}
		var a, b [asked]bool
		one.ContainsHashes(a[:], h1s, h2s)
		view.ContainsHashes(b[:], h1s, h2s)
		for i := range asked {
			want := m.contains(h1s[i], h2s[i])
			for j, got := range []bool{a[i], b[i], one.Contains(h1s[i], h2s[i]), view.ContainsKey(keys[i])} {
				if got != want {
					t.Fatalf("round %d, %+v: answer %d for key %d is %v, want %v", round, p, j, i, got, want)
				}
			}
		}
	}
}

// start is the largest offset of the body of a BLOB.
const start = mostAround

// Many keys at once give what they give one by one.
func TestLargeBatches(t *testing.T) {
	const size, n = 1 << 15, 3000
	for _, p := range []Params{
		{Bits: 8*size + 12345, K: 7},
		{Bits: 8*size + 12345, K: 64},
		{Bits: 8*size + 12345, K: 0.4, Variant: Rational},
		{Bits: 8*size + 12345, K: 6.6, Variant: Rational, Activation: ByPosition},
		{Bits: 8*size + 12345, K: 6.6, Variant: Blocks},
		{Bits: 16*size + 8*size + 12345, K: 6.6, Variant: Blocks, Seed: 1}, // shrunk below
	} {
		one, batch, weighted := mustNew(t, p), mustNew(t, p), mustNew(t, p)
		if p.Seed == 1 {
			for _, s := range []*Sketch{one, batch, weighted} {
				if err := s.Shrink(2*size + 2000); err != nil || s.kept == s.size {
					t.Fatalf("%d of %d bits, error %v", s.kept, s.size, err)
				}
			}
		}
		r := rand.New(rand.NewPCG(3, 4))
		h1s, h2s, ns := make([]uint64, n), make([]uint64, n), make([]uint64, n)
		for i := range h1s {
			h1s[i], h2s[i] = r.Uint64(), r.Uint64()|1
			ns[i] = uint64(i % 3)
			if i%3 > 0 {
				one.Add(h1s[i], h2s[i], uint64(i%3))
			}
		}
		weighted.AddHashes(h1s, h2s, ns)
		if !bytes.Equal(one.bits, weighted.bits) || one.total() != weighted.total() {
			t.Errorf("%+v: weights one by one and in batches differ", p)
		}
		for i := range h1s {
			one.Add(h1s[i], h2s[i], 1)
		}
		batch.AddHashes(h1s, h2s, nil)
		if !bytes.Equal(one.bits, batch.bits) || batch.total() != fmt.Sprint(n, true) {
			t.Errorf("%+v: additions one by one and in batches differ", p)
		}
		for i := range h1s {
			if i%2 == 0 {
				h1s[i], h2s[i] = r.Uint64(), r.Uint64()|1
			}
		}
		got := make([]bool, n)
		batch.ContainsHashes(got, h1s, h2s)
		for i := range got {
			if want := one.Contains(h1s[i], h2s[i]); got[i] != want || i%2 == 1 && !got[i] {
				t.Fatalf("%+v: key %d is %v, want %v", p, i, got[i], want)
			}
		}
	}
}

func (f *filter) total() string { n, known := f.Total(); return fmt.Sprint(n, known) }
