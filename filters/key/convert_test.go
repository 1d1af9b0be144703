package key

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
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
		{Decimal, dec("0.30000000000000004"), Float, nil, "a DECIMAL key does not fit a sketch of DOUBLE keys: 0.30000000000000004 is not exactly a DOUBLE"},
		{Decimal, dec("0.10000000000000001"), Float, nil, "a DECIMAL key does not fit a sketch of DOUBLE keys: 0.10000000000000001 is not exactly a DOUBLE"},
		{Decimal, dec("1.00000095367431640625"), Float, nil, "a DECIMAL key does not fit a sketch of DOUBLE keys: 1.00000095367431640625 is not exactly a DOUBLE"},
		{Decimal, dec("0.1"), Real, double(float64(float32(0.1))), ""},
		{Decimal, dec("2.5"), Real, double(2.5), ""},
		{Decimal, dec("16777217"), Real, nil, "a DECIMAL key does not fit a sketch of FLOAT keys: 16777217 is not exactly a FLOAT"},
		{Decimal, dec("1.6777217"), Real, nil, "a DECIMAL key does not fit a sketch of FLOAT keys: 1.6777217 is not exactly a FLOAT"},
		{Int, integer("16777216"), Real, double(16777216), ""},
		{Int, integer("16777217"), Real, nil, "a BIGINT key does not fit a sketch of FLOAT keys: 16777217 is not exactly a FLOAT"},
		{Float, double(0.5), Real, double(0.5), ""},
		{Float, double(0.1), Real, nil, "a DOUBLE key does not fit a sketch of FLOAT keys: 0.1 is not exactly a FLOAT"},
		{Float, double(math.NaN()), Real, double(math.NaN()), ""},
		{Float, double(math.Inf(1)), Real, double(math.Inf(1)), ""},
		{Real, double(float64(float32(0.1))), Float, double(float64(float32(0.1))), ""},
		{Real, double(float64(float32(0.1))), Decimal, nil, "a FLOAT key does not fit a sketch of DECIMAL keys: 0.1 is equal to more than one DECIMAL, cast it to one"},
		{Real, double(16777215), Int, integer("16777215"), ""},
		{Real, double(16777216), Int, nil, "a FLOAT key does not fit a sketch of BIGINT keys: 16777216.0 is equal to more than one BIGINT, cast it to one"},
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
		{Float, double(1<<53 - 1), Int, integer("9007199254740991"), ""},
		{Float, double(-1 << 53), Int, nil, "a DOUBLE key does not fit a sketch of BIGINT keys: -9007199254740992.0 is equal to more than one BIGINT, cast it to one"},
		{Float, double(4.5), Int, nil, "a DOUBLE key does not fit a sketch of BIGINT keys: 4.5 is not exactly a BIGINT"},
		{Float, double(1e300), Int, nil, "a DOUBLE key does not fit a sketch of BIGINT keys: 1e+300 is equal to more than one BIGINT, cast it to one"},
		{Float, double(math.NaN()), Int, nil, "a DOUBLE key does not fit a sketch of BIGINT keys: nan is not exactly a BIGINT"},
		{Float, double(math.Inf(-1)), Decimal, nil, "a DOUBLE key does not fit a sketch of DECIMAL keys: -inf is not exactly a DECIMAL"},
		{Float, double(0.375), Decimal, nil, "a DOUBLE key does not fit a sketch of DECIMAL keys: 0.375 is equal to more than one DECIMAL, cast it to one"},
		{Float, double(0.1), Decimal, nil, "a DOUBLE key does not fit a sketch of DECIMAL keys: 0.1 is equal to more than one DECIMAL, cast it to one"},
		{Text, []byte("ab"), Blob, []byte("ab"), ""},
		{Blob, []byte("ab"), Text, nil, "a BLOB key does not fit a sketch of VARCHAR keys"},
		{Text, []byte("7"), Int, nil, "a VARCHAR key does not fit a sketch of BIGINT keys: cast it to BIGINT"},
		{Int, integer("1"), Bool, nil, "a BIGINT key does not fit a sketch of BOOLEAN keys"},
		{Timestamp, AppendTimestamp(nil, 0, Micros), TimestampTZ, nil, "a TIMESTAMP key does not fit a sketch of TIMESTAMPTZ keys"},
		{Date, AppendDate(nil, -1), Timestamp, AppendTimestamp(nil, -86400, Seconds), ""},
		{Date, AppendDate(nil, math.MaxInt32), Timestamp, AppendTimestamp(nil, math.MaxInt64, Micros), ""},
		{Timestamp, AppendTimestamp(nil, -math.MaxInt64, Nanos), Date, AppendDate(nil, -math.MaxInt32), ""},
		{Timestamp, AppendTimestamp(nil, math.MaxInt64, Nanos), Date, AppendDate(nil, math.MaxInt32), ""},
		{Date, AppendDate(nil, -math.MaxInt32), Timestamp, AppendTimestamp(nil, -math.MaxInt64, Micros), ""},
		{Timestamp, AppendTimestamp(nil, 86400*3, Seconds), Date, AppendDate(nil, 3), ""},
		{Timestamp, AppendTimestamp(nil, 86400*3+1, Seconds), Date, nil, "a TIMESTAMP key does not fit a sketch of DATE keys: 1970-01-04 00:00:01 is not exactly a DATE"},
		{Timestamp, AppendTimestamp(nil, 1, Nanos), Date, nil, "a TIMESTAMP key does not fit a sketch of DATE keys: 1970-01-01 00:00:00.000000001 is not exactly a DATE"},
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

// Whatever converts is the one number of the other class that SQL's = is true of. The judge is exact
// rational arithmetic, without shortcuts.
func TestConvertKeepsValues(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	classes := []Class{Int, Float, Decimal, Real}
	converted := 0
	for range 100_000 {
		from, to := classes[r.IntN(4)], classes[r.IntN(4)]
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
		case Real:
			b = double(float64(float32(math.Ldexp(float64(int64(lo)), -r.IntN(80)))))
			if r.IntN(2) == 0 {
				b = double(float64(int64(lo) % 20_000_000))
			}
		}
		value := number(from, b)
		got, err := Convert(nil, from, to, b)
		want := equal(from, to, value)
		if (err == nil) != (want != nil) {
			t.Fatalf("%v %s to %v: error %v", from, Format(from, b), to, err)
		}
		if err != nil {
			continue
		}
		converted++
		if number(to, got).Cmp(want) != 0 {
			t.Fatalf("%v %s to %v became %s", from, Format(from, b), to, Format(to, got))
		}
	}
	if converted < 10_000 {
		t.Errorf("only %d conversions", converted)
	}
}

// equal is the specification: the only number of class to that SQL's = finds equal to v, of class from.
// It is nil if there is none, or more than one.
func equal(from, to Class, v *big.Rat) *big.Rat {
	if from == to {
		return v
	}
	binary := map[Class]uint{Float: 53, Real: 24}
	abs := new(big.Rat).Abs(v)
	below := func(bits uint) bool { return abs.Cmp(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), bits))) < 0 }
	switch {
	case to == Int && binary[from] > 0:
		if v.IsInt() && below(binary[from]) {
			return v
		}
		return nil
	case to == Int:
		if _, _, ok := split(v.Num()); ok && v.IsInt() {
			return v
		}
		return nil
	case to == Decimal && from == Int:
		most := new(big.Int).Lsh(big.NewInt(1), 127)
		if v.Num().Cmp(most) < 0 && v.Num().Cmp(new(big.Int).Neg(most)) >= 0 {
			return v
		}
		return nil
	case to == Decimal:
		return nil
	}
	nearest := new(big.Rat)
	if f, exact := v.Float64(); to == Float {
		if nearest.SetFloat64(f) == nil || exact && (from != Decimal || v.IsInt()) {
			return nearest
		}
	} else if f, exact := v.Float32(); nearest.SetFloat64(float64(f)) == nil || exact && (from != Decimal || v.IsInt()) {
		return nearest
	}
	// A DECIMAL has the nearest number, where the class holds its digits and its power of ten.
	if from != Decimal {
		return nil
	}
	scale, _ := v.FloatPrec()
	unscaled := new(big.Int).Mul(v.Num(), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
	unscaled.Quo(unscaled, v.Denom()).Abs(unscaled)
	powers := map[Class]int{Float: 22, Real: 10}
	if unscaled.Cmp(new(big.Int).Lsh(big.NewInt(1), binary[to])) > 0 || scale > powers[to] {
		return nil
	}
	return nearest
}

// Keys come from BLOBs that anybody may have made. Keys that are cut off or not of their class do not
// cause a panic. An error names the classes, and a result is a key that converts to itself.
func TestDamagedKeys(t *testing.T) {
	shape := structOf(of(Int, integer("1")), structOf(of(Text, []byte("oak")), of(Decimal, nil).orNull()), of(Date, AppendDate(nil, 1)))
	classes := []Class{shape.class, structOf(of(Float, nil), structOf(of(Blob, nil), of(Int, nil)), of(Timestamp, nil)).class}
	for c := None + 1; c <= Real; c++ {
		if c.Known() {
			classes = append(classes, c)
		}
	}
	samples := [][]byte{dec("2.5"), dec("99999999999999999999999999999999999999"), integer("-1"), integer("18446744073709551616"), double(2), shape.bytes(),
		AppendTimestamp(nil, 1, Nanos), AppendUUID(nil, 1, 2), AppendInterval(nil, 1, 2, 3), append(dec("1")[:8], 255)}
	for _, sample := range samples {
		for n := range len(sample) + 1 {
			b := sample[:n:n]
			for _, from := range classes {
				_, _ = AppendText(nil, from, b), Format(from, b)
				_, _ = Compare(from, b, sample)
				_, _ = Compare(from, sample, b)
				for _, to := range classes {
					got, err := Convert(nil, from, to, b)
					if err != nil {
						if !errors.Is(err, ErrClass) || got != nil {
							t.Fatalf("%v %x to %v: %x, %v", from, b, to, got, err)
						}
						continue
					}
					if again, err := Convert(nil, to, to, got); err != nil || !bytes.Equal(again, got) {
						t.Fatalf("%v %x to %v: %x, then %x, %v", from, b, to, got, again, err)
					}
				}
			}
		}
	}
	if _, err := Convert(nil, Decimal, Int, nil); !errors.Is(err, ErrClass) {
		t.Errorf("no bytes are a DECIMAL: %v", err)
	}
}
