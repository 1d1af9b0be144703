package sketch

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Short decimal numbers take few bytes, and every number comes back bit for bit.
func TestFloat(t *testing.T) {
	round := func(v float64, most int) {
		t.Helper()
		b := AppendFloat(nil, v)
		r := NewReader("a number", b)
		if got := r.Float(); r.Done() != nil || math.Float64bits(got) != math.Float64bits(v) || len(b) > most {
			t.Errorf("%v in %d bytes, at most %d: read %v, error %v", v, len(b), most, got, r.Err())
		}
	}
	for v, most := range map[float64]int{
		0: 1, 1: 1, 3: 1, 0.1: 1, 0.01: 1, 0.001: 1, 1e-6: 1, 2e-9: 1, 1e-22: 1,
		0.0001 * 25: 2, 0.25: 2, 1000: 3, 2.5: 2, 0.000123: 2, 500: 2, 123456.789: 6,
		1.0 / 3: 9, math.Pi: 9, 1e15: 9, 1e-23: 9, math.Inf(1): 9, -1: 9, math.Copysign(0, -1): 9, math.NaN(): 9,
		math.SmallestNonzeroFloat64: 9, math.MaxFloat64: 9,
	} {
		round(v, most)
	}
	r := rand.New(rand.NewPCG(16, 1))
	for range 20_000 {
		round(math.Float64frombits(r.Uint64()), 9)
		// Up to 15 digits are written as such: 50 bits and 5.
		digits, places := r.Uint64N(maxMantissa), r.IntN(len(powers))
		v, err := strconv.ParseFloat(strconv.FormatUint(digits, 10)+"e-"+strconv.Itoa(places), 64)
		if err != nil {
			t.Fatal(err)
		}
		if b := AppendFloat(nil, v); b[0] == inFull {
			t.Errorf("%v is written in full", v)
		}
		round(v, 8)
	}
}

// There is no second spelling.
func TestFloatSpellings(t *testing.T) {
	full := func(v float64) []byte { return binary.LittleEndian.AppendUint64([]byte{inFull}, math.Float64bits(v)) }
	for what, b := range map[string][]byte{
		"10 / 100":         binary.AppendUvarint(nil, 10<<placesBits|2),
		"0 / 10":           {1},
		"1 / 10^23":        {1<<placesBits | 23},
		"1 / 10^31":        {1<<placesBits | 31},
		"16 digits":        binary.AppendUvarint(nil, maxMantissa<<placesBits),
		"0.001 in full":    full(0.001),
		"0 in full":        full(0),
		"7 of 8 bytes":     full(math.Pi)[:8],
		"a longer 0.001":   {1<<placesBits | 3 | 1<<7, 0},
		"a longer in full": append([]byte{inFull | 1<<7, 0}, full(math.Pi)[1:]...),
	} {
		r := NewReader("a number", b)
		if v := r.Float(); r.Done() == nil {
			t.Errorf("%s: %x is %v", what, b, v)
		}
	}
	// Any first number at random is refused or written so.
	r := rand.New(rand.NewPCG(16, 2))
	for range 20_000 {
		b := binary.AppendUvarint(nil, r.Uint64()>>r.IntN(64))
		if b[0] == inFull {
			continue
		}
		reader := NewReader("a number", b)
		if v := reader.Float(); reader.Done() == nil && string(AppendFloat(nil, v)) != string(b) {
			t.Errorf("%x is %v, which is written %x", b, v, AppendFloat(nil, v))
		}
	}
}
