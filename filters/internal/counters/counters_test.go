package counters

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

var all = []Encoding{Elias, Steps, Index}

func forEach(t *testing.T, f func(t *testing.T, e Encoding)) {
	for _, e := range all {
		t.Run(e.String(), func(t *testing.T) { f(t, e) })
	}
}

// slice is counters as they are; what every encoding is compared with.
type slice []uint64

func (s slice) Len() int                    { return len(s) }
func (s slice) Unpack(at int, dst []uint64) { copy(dst, s[at:]) }

// values are counters of a kind: all small, of any length, heavy tails, and so on.
func values(kind, n int, r *rand.Rand) []uint64 {
	vs := make([]uint64, n)
	for i := range vs {
		switch kind {
		case 0: // all 0
		case 1:
			vs[i] = r.Uint64N(3)
		case 2:
			vs[i] = r.Uint64() >> r.UintN(64)
		case 3:
			vs[i] = uint64(1 / math.Pow(1-r.Float64(), 1.3)) // a heavy tail
		case 4:
			vs[i] = math.MaxUint64 - r.Uint64N(2)
		case 5:
			vs[i] = 1000 + r.Uint64N(1000)
		case 6: // chunks of every length, and groups of the longest
			vs[i] = mask(uint(i / 8 % 65))
		case 7:
			vs[i] = []uint64{0, 1, math.MaxUint64, 1 << 63}[r.IntN(4)]
		case 8: // just longer than what one word has from any bit on
			vs[i] = r.Uint64()>>6 | 1<<(57+r.UintN(2))
		}
	}
	return vs
}

const kinds = 9

var lengths = []int{1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 200, 1000}

func equal(t *testing.T, a interface {
	Source
	At(i int) uint64
}, want []uint64) {
	t.Helper()
	if a.Len() != len(want) {
		t.Fatalf("%d counters, want %d", a.Len(), len(want))
	}
	for i, v := range want {
		if got := a.At(i); got != v {
			t.Fatalf("counter %d of %d is %d, want %d", i, len(want), got, v)
		}
	}
	for _, step := range []int{1, 5, 64, 100, len(want)} {
		got := make([]uint64, len(want))
		for at := 0; at < len(got); at += step {
			a.Unpack(at, got[at:min(at+step, len(got))])
		}
		for i, v := range want {
			if got[i] != v {
				t.Fatalf("unpacked by %d, counter %d of %d is %d, want %d", step, i, len(want), got[i], v)
			}
		}
	}
}

func TestRoundTrip(t *testing.T) {
	forEach(t, func(t *testing.T, e Encoding) {
		r := rand.New(rand.NewPCG(1, uint64(e)))
		for kind := range kinds {
			for _, n := range lengths {
				vs := values(kind, n, r)
				body := Encode([]byte("before"), e, slice(vs))
				if string(body[:6]) != "before" {
					t.Fatal("Encode wrote over what was there")
				}
				equal(t, opened(t, e, n, body[6:]), vs)
			}
		}
	})
}

// opened is the view of a body that is valid.
func opened(t testing.TB, e Encoding, n int, body []byte) *View {
	t.Helper()
	v, err := Open(e, n, body)
	if err == nil {
		err = v.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	return &v
}

func TestOutOfRange(t *testing.T) {
	forEach(t, func(t *testing.T, e Encoding) {
		v := opened(t, e, 70, Encode(nil, e, slice(make([]uint64, 70))))
		for name, f := range map[string]func(){
			"At -1":          func() { v.At(-1) },
			"At 70":          func() { v.At(70) },
			"Unpack 1 of 70": func() { v.Unpack(1, make([]uint64, 70)) },
			"Unpack -1":      func() { v.Unpack(-1, make([]uint64, 1)) },
			"Unpack 69 of 2": func() { v.Unpack(69, make([]uint64, 2)) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic", name)
					}
				}()
				f()
			}()
		}
		for _, n := range []int{-1, 0, MaxLen + 1} {
			if _, err := Open(e, n, make([]byte, 1<<10)); !errors.Is(err, sketch.ErrInvalid) {
				t.Errorf("%d counters: %v", n, err)
			}
		}
	})
}

func TestEncodingNames(t *testing.T) {
	if got := fmt.Sprintf("%v", all); got != "[elias steps index]" {
		t.Error(got)
	}
	if got := Encoding(9).String(); got != "encoding 9" {
		t.Error(got)
	}
}

func TestNoAllocations(t *testing.T) {
	forEach(t, func(t *testing.T, e Encoding) {
		r := rand.New(rand.NewPCG(4, 4))
		vs := values(3, 1000, r)
		body := Encode(nil, e, slice(vs))
		dst := make([]uint64, 100)
		if n := testing.AllocsPerRun(100, func() {
			v, _ := Open(e, 1000, body)
			for i := 0; i < 1000; i += 7 {
				if v.At(i) != vs[i] {
					t.Fatal("they differ")
				}
			}
			v.Unpack(3, dst)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// The code, written down from its definition, the first bit first.
func codeText(s steps, v uint64) string {
	text := ""
	for _, w := range s.bits {
		if v < 1<<w {
			text += "0"
			for i := range w {
				text += fmt.Sprint(v >> i & 1)
			}
			return text
		}
		v -= 1 << w
		text += "1"
	}
	length := uint(65)
	if v < math.MaxUint64 {
		length = uint(bits.Len64(v + 1))
	}
	zeros := bits.Len(length) - 1
	for range zeros {
		text += "0"
	}
	text += "1"
	for i := range zeros {
		text += fmt.Sprint(length >> i & 1)
	}
	for i := range length - 1 {
		text += fmt.Sprint((v + 1) >> i & 1)
	}
	return text
}

func TestCodesBitByBit(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, s := range append(eliasCodes, stepCodes...) {
		var w bitio.Writer
		w.Reset(4096 / bitio.MaxClassBytes)
		var vs []uint64
		var ends []uint
		want := ""
		for len(want) < 4000*8-100 {
			v := r.Uint64() >> r.UintN(64)
			switch r.IntN(4) {
			case 0:
				v = r.Uint64N(40)
			case 1:
				v = math.MaxUint64 - r.Uint64N(3)
			}
			text := codeText(s, v)
			if got := s.size(v); got != uint(len(text)) {
				t.Fatalf("%v: %d takes %d bits, want %d", s, v, got, len(text))
			}
			want += text
			s.put(&w, v)
			if w.Len() != uint(len(want)) {
				t.Fatalf("%v: %d ends at %d, want %d", s, v, w.Len(), len(want))
			}
			vs, ends = append(vs, v), append(ends, w.Len())
		}
		b := w.Bytes()
		for i := range want {
			if b[i/8]>>(i%8)&1 != want[i]-'0' {
				t.Fatalf("%v: bit %d is wrong", s, i)
			}
		}
		at := uint(0)
		for i, v := range vs {
			if got := s.skip(b, at, 1); got != ends[i] {
				t.Fatalf("%v: %d skipped to %d, want %d", s, v, got, ends[i])
			}
			var got uint64
			if got, at = s.read(b, at); got != v || at != ends[i] {
				t.Fatalf("%v: read %d up to %d, want %d up to %d", s, got, at, v, ends[i])
			}
		}
	}
}
