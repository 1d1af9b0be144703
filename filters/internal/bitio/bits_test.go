package bitio

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
)

// code is the class code written down as its definition, the first bit first.
func code(v uint64, k uint) string {
	e := uint(bits.Len64(v >> k))
	s := strings.Repeat("0", int(e)) + "1"
	low := k
	if e > 0 {
		low = k + e - 1
	}
	for i := range low {
		s += fmt.Sprint(v >> i & 1)
	}
	return s
}

func written(b []byte, n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprint(&s, b[i/8]>>(i%8)&1)
	}
	return s.String()
}

func TestClassCodeBitByBit(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 0))
	var w Writer // one for all, as it is used
	for range 500 {
		w.Reset(40)
		want := ""
		type number struct {
			v uint64
			k uint
		}
		var numbers []number
		for range 20 {
			u, v := r.Uint64()>>r.UintN(64), r.Uint64()>>r.UintN(64)
			j, k := r.UintN(57), r.UintN(57)
			numbers = append(numbers, number{u, j}, number{v, k})
			want += code(u, j) + code(v, k)
			w.WriteClass(u, j)
			w.WriteClass(v, k)
		}
		b := w.Bytes()
		if len(b) != (len(want)+7)/8 || written(b, len(want)) != want {
			t.Fatalf("wrote\n%s, want\n%s", written(b, len(b)*8), want)
		}
		for i := len(want); i < len(b)*8; i++ {
			if b[i/8]>>(i%8)&1 != 0 {
				t.Fatal("the padding is not zero")
			}
		}
		// Whole, every number comes back; cut off anywhere, those before the
		// cut do and the reader says that it ran over.
		for range 10 {
			cut := r.IntN(len(b) + 1)
			rd, at := NewReader(b[:cut]), 0
			for i, n := range numbers {
				got := rd.ReadClass(n.k)
				at += len(code(n.v, n.k))
				if at > cut*8 {
					if !rd.Overrun() {
						t.Fatalf("number %d ends at bit %d of %d: no overrun", i, at, cut*8)
					}
					break
				}
				if got != n.v || rd.Overrun() {
					t.Fatalf("number %d: read %d, wrote %d, overrun %v", i, got, n.v, rd.Overrun())
				}
			}
		}
	}
}

func TestWriteOfFewBits(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 0))
	var w Writer
	for range 200 {
		w.Reset(100)
		want := ""
		for range 30 {
			n := r.UintN(57)
			v := r.Uint64() & (1<<n - 1)
			w.Write(v, n)
			for i := range n {
				want += fmt.Sprint(v >> i & 1)
			}
		}
		if b := w.Bytes(); len(b) != (len(want)+7)/8 || written(b, len(want)) != want {
			t.Fatal("bits came out otherwise")
		}
	}
}

func TestEmptyStream(t *testing.T) {
	var w Writer
	w.Reset(0)
	if b := w.Bytes(); len(b) != 0 {
		t.Errorf("%d bytes of nothing", len(b))
	}
	rd := NewReader(nil)
	if rd.Overrun() {
		t.Error("overrun before anything was read")
	}
	if v := rd.ReadClass(7); v != 0 || !rd.Overrun() {
		t.Errorf("read %d from nothing, overrun %v", v, rd.Overrun())
	}
}

func TestNoAllocations(t *testing.T) {
	var w Writer
	w.Reset(100)
	if n := testing.AllocsPerRun(100, func() {
		w.Reset(100)
		for i := range uint64(50) {
			w.WriteClass(i*i, 3)
			w.WriteClass(i<<40, 20)
		}
		rd := NewReader(w.Bytes())
		for range 50 {
			rd.ReadClass(3)
			rd.ReadClass(20)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
