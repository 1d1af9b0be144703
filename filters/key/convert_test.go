package key

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

func dec(s string) []byte {
	scale := 0
	if i := bytes.IndexByte([]byte(s), '.'); i >= 0 {
		scale = len(s) - i - 1
		s = s[:i] + s[i+1:]
	}
	v, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic(s)
	}
	lo, hi, _ := split(v)
	return AppendDecimal(nil, lo, int64(hi), uint8(scale))
}

func integer(s string) []byte {
	v, _ := new(big.Int).SetString(s, 10)
	k, _ := appendBig(nil, v)
	return k
}

func double(v float64) []byte { return AppendFloat64(nil, v) }

func TestConvert(t *testing.T) {
	for _, c := range []struct {
		from Class
		b    []byte
		to   Class
		want []byte // nil: an error
		text string
	}{
		{Decimal, dec("2.5"), Float, double(2.5), ""},
		{Decimal, dec("0.1"), Float, double(0.1), ""},
		{Decimal, dec("-12345.678900"), Float, double(-12345.6789), ""},
		{Decimal, dec("0.30000000000000004"), Float, double(0.30000000000000004), ""},
		{Decimal, dec("0.10000000000000001"), Float, nil, "a DECIMAL key does not fit a sketch of DOUBLE keys: 0.10000000000000001 is not exactly a DOUBLE"},
		{Decimal, dec("1.00000095367431640625"), Float, double(1 + 1.0/(1<<20)), ""},
		{Decimal, dec("9007199254740993"), Float, nil, "a DECIMAL key does not fit a sketch of DOUBLE keys: 9007199254740993 is not exactly a DOUBLE"},
		{Decimal, dec("0.00"), Float, double(0), ""},
		{Decimal, dec("7.00"), Int, integer("7"), ""},
		{Decimal, dec("7.01"), Int, nil, "a DECIMAL key does not fit a sketch of BIGINT keys: 7.01 is not exactly a BIGINT"},
		{Decimal, dec("99999999999999999999999999999999999999"), Int, integer("99999999999999999999999999999999999999"), ""},
		{Int, integer("-3"), Decimal, dec("-3"), ""},
		{Int, integer("3"), Float, double(3), ""},
		{Int, integer("9007199254740993"), Float, nil, "a BIGINT key does not fit a sketch of DOUBLE keys: 9007199254740993 is not exactly a DOUBLE"},
		{Int, integer("9223372036854775807"), Float, nil, "a BIGINT key does not fit a sketch of DOUBLE keys: 9223372036854775807 is not exactly a DOUBLE"},
		{Int, integer("-9223372036854775808"), Float, double(-1 << 63), ""},
		{Int, integer("18446744073709551616"), Float, double(1 << 64), ""},
		{Int, integer("340282366920938463463374607431768211455"), Decimal, nil, "a BIGINT key does not fit a sketch of DECIMAL keys: 340282366920938463463374607431768211455 is not exactly a DECIMAL"},
		{Float, double(4), Int, integer("4"), ""},
		{Float, double(-1 << 63), Int, integer("-9223372036854775808"), ""},
		{Float, double(1 << 100), Int, integer("1267650600228229401496703205376"), ""},
		{Float, double(4.5), Int, nil, "a DOUBLE key does not fit a sketch of BIGINT keys: 4.5 is not exactly a BIGINT"},
		{Float, double(1e300), Int, nil, "a DOUBLE key does not fit a sketch of BIGINT keys: 1e+300 is not exactly a BIGINT"},
		{Float, double(math.NaN()), Int, nil, "a DOUBLE key does not fit a sketch of BIGINT keys: NaN is not exactly a BIGINT"},
		{Float, double(math.Inf(-1)), Decimal, nil, "a DOUBLE key does not fit a sketch of DECIMAL keys: -Inf is not exactly a DECIMAL"},
		{Float, double(0.375), Decimal, dec("0.375"), ""},
		{Float, double(0.1), Decimal, nil, "a DOUBLE key does not fit a sketch of DECIMAL keys: 0.1 is not exactly a DECIMAL"},
		{Text, []byte("ab"), Blob, []byte("ab"), ""},
		{Blob, []byte("ab"), Text, nil, "a BLOB key does not fit a sketch of VARCHAR keys"},
		{Text, []byte("7"), Int, nil, "a VARCHAR key does not fit a sketch of BIGINT keys"},
		{Int, integer("1"), Bool, nil, "a BIGINT key does not fit a sketch of BOOLEAN keys"},
		{Timestamp, AppendTimestamp(nil, 0, Micros), TimestampTZ, nil, "a TIMESTAMP key does not fit a sketch of TIMESTAMPTZ keys"},
		{Date, AppendDate(nil, -1), Timestamp, AppendTimestamp(nil, -86400, Seconds), ""},
		{Date, AppendDate(nil, math.MaxInt32), Timestamp, AppendTimestamp(nil, math.MaxInt64, Micros), ""},
		{Timestamp, AppendTimestamp(nil, -math.MaxInt64, Nanos), Date, AppendDate(nil, -math.MaxInt32), ""},
		{Timestamp, AppendTimestamp(nil, 86400*3, Seconds), Date, AppendDate(nil, 3), ""},
		{Timestamp, AppendTimestamp(nil, 86400*3+1, Seconds), Date, nil, "a TIMESTAMP key does not fit a sketch of DATE keys: 259201000000 is not exactly a DATE"},
		{Timestamp, AppendTimestamp(nil, 1, Nanos), Date, nil, "a TIMESTAMP key does not fit a sketch of DATE keys: 030100000000000000 is not exactly a DATE"},
		{UUID, AppendUUID(nil, 1, 2), None, AppendUUID(nil, 1, 2), ""},
	} {
		got, err := Convert([]byte("dst"), c.from, c.to, c.b)
		if c.want == nil {
			if err == nil || err.Error() != c.text || !errors.Is(err, ErrClass) {
				t.Errorf("%v %s to %v: %x, error %v, want error %s", c.from, Format(c.from, c.b), c.to, got, err, c.text)
			}
			if string(got) != "dst" {
				t.Errorf("an error appended %x", got)
			}
			continue
		}
		if err != nil || !bytes.Equal(got, append([]byte("dst"), c.want...)) {
			t.Errorf("%v %s to %v: %x, error %v, want %x", c.from, Format(c.from, c.b), c.to, got, err, c.want)
		}
	}
}

// Whatever converts is the same number, and where it converts back it is the
// key that it was. The judge is exact rational arithmetic, without shortcuts.
func TestConvertKeepsValues(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	classes := []Class{Int, Float, Decimal}
	converted := 0
	for range 100_000 {
		from, to := classes[r.IntN(3)], classes[r.IntN(3)]
		v := randomBig(r)
		if r.IntN(2) == 0 {
			v.Rsh(v, uint(r.IntN(128)))
		}
		lo, hi, ok := split(v)
		if !ok || hi > math.MaxInt64 && v.Sign() >= 0 {
			continue
		}
		var b []byte
		switch from {
		case Int:
			b = AppendInt128(nil, lo, int64(hi))
		case Decimal:
			b = AppendDecimal(nil, lo, int64(hi), uint8(r.IntN(maxScale+1)))
		case Float:
			b = double(math.Ldexp(float64(int64(lo)), -r.IntN(80)))
			if r.IntN(2) == 0 {
				b = double(float64(int64(lo)%1000) / 8)
			}
		}
		value := number(from, b)
		got, err := Convert(nil, from, to, b)
		exact, shortest := representable(value, to)
		if want := exact || from == Decimal && shortest; (err == nil) != want {
			t.Fatalf("%v %s to %v: error %v", from, Format(from, b), to, err)
		}
		if err != nil {
			continue
		}
		converted++
		if exact && number(to, got).Cmp(value) != 0 {
			t.Fatalf("%v %s to %v became %s", from, Format(from, b), to, Format(to, got))
		}
		if back, err := Convert(nil, to, from, got); exact && (err != nil || !bytes.Equal(back, b)) {
			t.Fatalf("%v %s to %v and back: %s, error %v", from, Format(from, b), to, Format(from, back), err)
		}
	}
	if converted < 10_000 {
		t.Errorf("only %d conversions", converted)
	}
}

// representable is the specification: exactly, or as a fraction's nearest
// DOUBLE that prints as the fraction.
func representable(v *big.Rat, c Class) (exact, shortest bool) {
	switch c {
	case Int:
		_, _, ok := split(v.Num())
		return v.IsInt() && ok, false
	case Decimal:
		scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(maxScale), nil))
		scaled := new(big.Rat).Mul(v, scale)
		if !scaled.IsInt() {
			return false, false
		}
		n := scaled.Num()
		for range maxScale {
			q, m := new(big.Int).QuoRem(n, big.NewInt(10), new(big.Int))
			if m.Sign() != 0 {
				break
			}
			n = q
		}
		return new(big.Int).Add(new(big.Int).Lsh(n, 1), big.NewInt(1)).BitLen() <= 128, false
	}
	f, exact := v.Float64()
	printed, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'f', -1, 64))
	return exact, ok && !v.IsInt() && printed.Cmp(v) == 0
}

// Bytes that are no key of their class are an error, not a panic.
func FuzzConvert(f *testing.F) {
	f.Add(uint8(1), uint8(2), []byte("12345678"))
	f.Add(uint8(11), uint8(2), []byte("123456789"))
	f.Add(uint8(11), uint8(1), append([]byte{1}, make([]byte, 17)...))
	f.Fuzz(func(t *testing.T, from, to uint8, b []byte) {
		a, z := Class(from)%(lastClass+2), Class(to)%(lastClass+2)
		got, err := Convert(nil, a, z, b)
		if err != nil && (!errors.Is(err, ErrClass) || err.Error() == "" || len(got) != 0) {
			t.Fatalf("%v to %v: %x, error %v", a, z, got, err)
		}
	})
}

func BenchmarkConvertDecimalToFloat(b *testing.B) {
	k, dst := dec("0.1"), make([]byte, 0, 32)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Convert(dst, Decimal, Float, k)
	}
}
