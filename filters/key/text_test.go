package key

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"
)

func TestAppendText(t *testing.T) {
	at := func(s string) int64 {
		v, err := time.Parse("2006-01-02 15:04:05.999999999", s)
		if err != nil {
			t.Fatal(err)
		}
		return v.UnixNano()
	}
	days := func(year int, month time.Month, day int) []byte {
		return AppendDate(nil, int32(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()/86400))
	}
	for _, c := range []struct {
		class Class
		b     []byte
		want  string
	}{
		{Int, integer("-5"), "-5"},
		{Int, integer("340282366920938463463374607431768211455"), "340282366920938463463374607431768211455"},
		{Float, double(2.5), "2.5"}, {Float, double(3), "3.0"}, {Float, double(math.Copysign(0, -1)), "0.0"},
		{Float, double(1e15), "1000000000000000.0"}, {Float, double(1e16), "1e+16"}, {Float, double(0.0001), "0.0001"}, {Float, double(-0.00001), "-1e-05"},
		{Float, double(math.NaN()), "nan"}, {Float, double(math.Inf(-1)), "-inf"},
		{Text, []byte("it's"), "it's"}, {Text, []byte{}, ""}, {Text, []byte("\xff\xfe"), "fffe"},
		{Blob, []byte("a'\\\x00ÿ"), `a\x27\x5C\x00\xC3\xBF`},
		{Bool, AppendBool(nil, true), "true"}, {Bool, AppendBool(nil, false), "false"},
		{Decimal, dec("-12.50"), "-12.5"}, {Decimal, dec("0.05"), "0.05"}, {Decimal, dec("7.00"), "7"},
		{Date, days(2024, 2, 29), "2024-02-29"}, {Date, days(12345, 1, 2), "12345-01-02"}, {Date, days(1, 1, 1), "0001-01-01"},
		{Date, days(0, 12, 31), "0001-12-31 (BC)"}, {Date, days(-43, 3, 15), "0044-03-15 (BC)"},
		{Date, AppendDate(nil, math.MaxInt32), "infinity"}, {Date, AppendDate(nil, -math.MaxInt32), "-infinity"},
		{Time, AppendTime(nil, 45296, Seconds), "12:34:56"}, {Time, AppendTime(nil, 500000, Micros), "00:00:00.5"},
		{Time, AppendTime(nil, 86400, Seconds), "24:00:00"}, {Time, AppendTime(nil, 1, Nanos), "00:00:00.000000001"},
		{TimeTZ, AppendTimeTZ(nil, 43200000000<<24|(57599-7200)), "12:00:00+02"},
		{TimeTZ, AppendTimeTZ(nil, 43200000000<<24|(57599+19800)), "12:00:00-05:30"},
		{TimeTZ, AppendTimeTZ(nil, 1<<24|(57599-1)), "00:00:00.000001+00:00:01"},
		{Timestamp, AppendTimestamp(nil, at("2024-02-29 12:34:56.25"), Nanos), "2024-02-29 12:34:56.25"},
		{Timestamp, AppendTimestamp(nil, at("1969-12-31 23:59:59.000000001"), Nanos), "1969-12-31 23:59:59.000000001"},
		{Timestamp, AppendTimestamp(nil, math.MaxInt64, Micros), "infinity"},
		{TimestampTZ, AppendTimestamp(nil, 0, Seconds), "1970-01-01 00:00:00+00"},
		{UUID, AppendUUID(nil, 0x0123456789abcdef, 0xfedcba9876543210), "01234567-89ab-cdef-fedc-ba9876543210"},
		{Interval, AppendInterval(nil, 1, 1, 0), "31 days"}, {Interval, AppendInterval(nil, 0, -1, -3600e6), "-1 days -01:00:00"},
		{Interval, AppendInterval(nil, 0, 0, 1500000), "00:00:01.5"}, {Interval, AppendInterval(nil, 0, 0, 0), "00:00:00"},
		{Int, []byte{1, 2}, "0102"}, {Timestamp, []byte("longer"), "6c6f6e676572"}, {None, []byte{255}, "ff"},
	} {
		if got := string(AppendText(nil, c.class, c.b)); got != c.want {
			t.Errorf("%v %x is %q, want %q", c.class, c.b, got, c.want)
		}
	}
}

// Keys of numbers of all sizes are in the order of the numbers.
func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 0))
	draw := func() *big.Int {
		n := new(big.Int).SetUint64(r.Uint64() >> r.UintN(64))
		if r.IntN(3) == 0 {
			n.Lsh(n, r.UintN(60))
		}
		if r.IntN(2) == 0 {
			n.Neg(n)
		}
		return n
	}
	for range 2000 {
		a, b := draw(), draw()
		ka, _ := appendBig(nil, a)
		kb, _ := appendBig(nil, b)
		if got, ok := Compare(Int, ka, kb); !ok || got != a.Cmp(b) {
			t.Fatalf("%v and %v: %d %v", a, b, got, ok)
		}
		fa, _ := new(big.Float).SetInt(a).Float64()
		fb, _ := new(big.Float).SetInt(b).Float64()
		if got, ok := Compare(Float, double(fa), double(fb)); !ok || got != big.NewFloat(fa).Cmp(big.NewFloat(fb)) {
			t.Fatalf("%v and %v: %d %v", fa, fb, got, ok)
		}
	}
	for _, c := range []struct {
		class Class
		a, b  []byte
		want  int
	}{
		{Decimal, dec("2.5"), dec("2.49"), 1}, {Decimal, dec("-1.5"), dec("1"), -1}, {Decimal, dec("1.50"), dec("1.5"), 0},
		{Text, []byte("a"), []byte("ab"), -1}, {Blob, []byte{255}, []byte{1}, 1},
		{Float, double(math.NaN()), double(math.Inf(1)), 1}, {Float, double(1), double(math.NaN()), -1}, {Float, double(math.NaN()), double(math.NaN()), 0},
		{Date, AppendDate(nil, -3), AppendDate(nil, 2), -1},
		{Timestamp, AppendTimestamp(nil, 1500, Nanos), AppendTimestamp(nil, 1, Micros), 1},
		{Timestamp, AppendTimestamp(nil, 1999, Nanos), AppendTimestamp(nil, 2, Micros), -1},
		{Timestamp, AppendTimestamp(nil, math.MaxInt64, Micros), AppendTimestamp(nil, 1<<40, Seconds), 1},
		{Interval, AppendInterval(nil, 1, 0, 0), AppendInterval(nil, 0, 30, 1), -1},
	} {
		if got, ok := Compare(c.class, c.a, c.b); !ok || got != c.want {
			t.Errorf("%v %x and %x: %d %v, want %d", c.class, c.a, c.b, got, ok, c.want)
		}
	}
	for _, c := range []Class{None, Bool, UUID, TimeTZ} {
		if _, ok := Compare(c, double(1), double(2)); ok || c.Ordered() {
			t.Errorf("%v has an order", c)
		}
	}
	if _, ok := Compare(Int, []byte{1}, integer("1")); ok {
		t.Error("bytes that are no key were compared")
	}
}
