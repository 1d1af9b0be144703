package key

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// randomBig has between 0 and 128 bits, so that every form is met, and is
// often at the border of one.
func randomBig(r *rand.Rand) *big.Int {
	v := new(big.Int).SetUint64(r.Uint64())
	v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(r.Uint64()))
	v.Rsh(v, uint(r.IntN(129)))
	if r.IntN(3) == 0 {
		v.SetBit(new(big.Int), []int{7, 31, 53, 62, 63, 64, 126, 127}[r.IntN(8)], 1)
		v.Add(v, big.NewInt(int64(r.IntN(3)-1)))
	}
	if r.IntN(2) == 0 {
		v.Neg(v)
	}
	return v
}

// An integer has the same key in every SQL type that holds it, and another
// than every other integer.
func TestIntegersOfAllWidths(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	seen := map[string]string{}
	forms := [4]int{}
	for range 100_000 {
		v := randomBig(r)
		lo, hi, ok := split(v)
		if !ok {
			continue
		}
		var keys [][]byte
		if v.IsInt64() {
			keys = append(keys, AppendInt64(nil, v.Int64()))
			forms[0]++
		}
		if v.IsUint64() {
			keys = append(keys, AppendUint64(nil, v.Uint64()))
			forms[1]++
		}
		if v.Sign() < 0 || hi <= math.MaxInt64 {
			keys = append(keys, AppendInt128(nil, lo, int64(hi)))
			forms[2]++
		}
		if v.Sign() >= 0 {
			keys = append(keys, AppendUint128(nil, lo, hi))
			forms[3]++
		}
		for _, k := range keys {
			if !bytes.Equal(k, keys[0]) {
				t.Fatalf("%v has the keys %x and %x", v, keys[0], k)
			}
			if other, met := seen[string(k)]; met && other != v.String() {
				t.Fatalf("%v and %s have the key %x", v, other, k)
			}
			seen[string(k)] = v.String()
			if back := bigOf(k); back.Cmp(v) != 0 || Format(Int, k) != v.String() {
				t.Fatalf("%v reads back as %v", v, back)
			}
		}
	}
	for i, n := range forms {
		if n < 1000 {
			t.Errorf("form %d was met %d times", i, n)
		}
	}
}

func TestFloats(t *testing.T) {
	eq := func(a, b float64) bool { return bytes.Equal(AppendFloat64(nil, a), AppendFloat64(nil, b)) }
	nan := math.Float64frombits(0xfff8_0000_0000_0123)
	if !eq(0, math.Copysign(0, -1)) || !eq(math.NaN(), nan) || !eq(float64(float32(0.25)), 0.25) {
		t.Error("equal floats have different keys")
	}
	if eq(1, -1) || eq(math.Inf(1), math.Inf(-1)) || eq(0, math.SmallestNonzeroFloat64) {
		t.Error("different floats have one key")
	}
}

// Decimals of one value have one key whatever their scale, others another. The
// judge is exact rational arithmetic.
func TestDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	seen := map[string]*big.Rat{}
	for range 50_000 {
		v := randomBig(r)
		if r.IntN(2) == 0 {
			v.Rsh(v, 100)
		}
		scale := r.IntN(maxScale + 1)
		var key []byte
		var value *big.Rat
		for ; scale <= maxScale; scale++ {
			lo, hi, ok := split(v)
			if !ok || v.Sign() >= 0 && hi > math.MaxInt64 {
				break
			}
			k := AppendDecimal(nil, lo, int64(hi), uint8(scale))
			if key == nil {
				key, value = k, number(Decimal, k)
				want := new(big.Rat).SetFrac(v, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
				if value.Cmp(want) != 0 {
					t.Fatalf("%v / 10^%d is the key of %v", v, scale, value)
				}
			}
			if !bytes.Equal(k, key) {
				t.Fatalf("%v has the keys %x and %x", value, key, k)
			}
			v.Mul(v, big.NewInt(10))
		}
		if key == nil {
			continue
		}
		if other := seen[string(key)]; other != nil && other.Cmp(value) != 0 {
			t.Fatalf("%v and %v have one key", other, value)
		}
		seen[string(key)] = value
	}
	if k := AppendDecimal(nil, 250, 0, 2); Format(Decimal, k) != "2.5" {
		t.Errorf("2.50 is %s", Format(Decimal, k))
	}
	zero := AppendDecimal(nil, 0, 0, 7)
	if !bytes.Equal(zero, AppendDecimal(nil, 0, 0, 0)) {
		t.Error("0.0000000 is not 0")
	}
}

func TestInstants(t *testing.T) {
	type stamp struct {
		v int64
		u Unit
	}
	for _, same := range [][]stamp{
		{{0, Seconds}, {0, Millis}, {0, Micros}, {0, Nanos}},
		{{-3, Seconds}, {-3000, Millis}, {-3_000_000, Micros}, {-3_000_000_000, Nanos}},
		{{1_700_000_000, Seconds}, {1_700_000_000_000, Millis}, {1_700_000_000_000_000, Micros}, {1_700_000_000_000_000_000, Nanos}},
		{{math.MaxInt64, Seconds}, {math.MaxInt64, Millis}, {math.MaxInt64, Micros}, {math.MaxInt64, Nanos}},
		{{-math.MaxInt64, Seconds}, {-math.MaxInt64, Nanos}},
		{{1 << 61, Seconds}, {1 << 61 / 1, Seconds}},
	} {
		a := AppendTimestamp(nil, same[0].v, same[0].u)
		for _, s := range same[1:] {
			if b := AppendTimestamp(nil, s.v, s.u); !bytes.Equal(a, b) {
				t.Errorf("%v has the key %x, %v %x", same[0], a, s, b)
			}
		}
	}
	seen := map[string]stamp{}
	for _, s := range []stamp{{1, Seconds}, {1, Millis}, {1, Micros}, {1, Nanos}, {-1, Nanos}, {-1, Micros},
		{1 << 62, Seconds}, {-1 << 62, Seconds}, {1 << 62, Micros}, {1001, Nanos}, {1 << 62, Nanos}} {
		k := string(AppendTimestamp(nil, s.v, s.u))
		if other, dup := seen[k]; dup {
			t.Errorf("%v and %v have one key", s, other)
		}
		seen[k] = s
	}
	if !bytes.Equal(AppendTime(nil, 5000, Nanos), AppendTime(nil, 5, Micros)) {
		t.Error("5000 ns is not 5 us of a day")
	}
}

func TestIntervals(t *testing.T) {
	same := [][]byte{
		AppendInterval(nil, 1, 0, 0), AppendInterval(nil, 0, 30, 0), AppendInterval(nil, 0, 0, 30*microsPerDay),
		AppendInterval(nil, 2, -30, 0), AppendInterval(nil, 1, 1, -microsPerDay),
	}
	for i, k := range same {
		if !bytes.Equal(k, same[0]) {
			t.Errorf("form %d of a month: %x and %x", i, k, same[0])
		}
	}
	if bytes.Equal(same[0], AppendInterval(nil, 1, 0, 1)) {
		t.Error("a month and a month and 1 us have one key")
	}
	// The longest does not fit 8 bytes, and its value is right.
	long := AppendInterval(nil, math.MaxInt32, math.MaxInt32, math.MaxInt64)
	want := new(big.Int).Mul(big.NewInt(math.MaxInt32*31), big.NewInt(microsPerDay))
	want.Add(want, big.NewInt(math.MaxInt64))
	if got := bigOf(long); got == nil || got.Cmp(want) != 0 {
		t.Errorf("the longest interval is %v us, want %v", got, want)
	}
	short := AppendInterval(nil, math.MinInt32, math.MinInt32, math.MinInt64)
	want.Mul(big.NewInt(math.MinInt32*31), big.NewInt(microsPerDay))
	want.Add(want, big.NewInt(math.MinInt64))
	if got := bigOf(short); got == nil || got.Cmp(want) != 0 {
		t.Errorf("the most negative interval is %v us, want %v", got, want)
	}
}

func TestOtherClasses(t *testing.T) {
	for name, c := range map[string]struct{ got, want []byte }{
		"true":  {AppendBool(nil, true), []byte{1, 0, 0, 0, 0, 0, 0, 0}},
		"false": {AppendBool(nil, false), make([]byte, 8)},
		"date":  {AppendDate(nil, -1), bytes.Repeat([]byte{0xff}, 8)},
		"uuid":  {AppendUUID(nil, 0x0011223344556677, 0x8899aabbccddeeff), []byte("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff")},
		"text":  {AppendBytes([]byte("x"), []byte("yz")), []byte("xyz")},
		"tz":    {AppendTimeTZ(nil, 1<<40|7), binary.LittleEndian.AppendUint64(nil, 1<<40|7)},
	} {
		if !bytes.Equal(c.got, c.want) {
			t.Errorf("%s: %x, want %x", name, c.got, c.want)
		}
	}
	for c := None; c <= lastClass; c++ {
		if !c.Known() || c.String() == "" {
			t.Errorf("class %d has no name", uint64(c))
		}
	}
	if c := lastClass + 1; c.Known() || !errors.Is(&ClassError{From: c}, ErrClass) {
		t.Error("an unknown class")
	}
}
