package bitio

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

func TestClassCodeRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for k := range uint(57) {
		var vs []uint64
		for length := range uint(65) {
			if length == 0 {
				vs = append(vs, 0)
				continue
			}
			top := uint64(1) << (length - 1)
			vs = append(vs, top, top|r.Uint64N(top), top|(top-1))
		}
		r.Shuffle(len(vs), func(i, j int) { vs[i], vs[j] = vs[j], vs[i] })
		var w Writer
		w.Reset(len(vs))
		want := uint(0)
		for _, v := range vs {
			w.WriteClass(v, k)
			want += ClassBits(uint(bits.Len64(v)), k)
		}
		buf := w.Bytes()
		if uint(len(buf)) != (want+7)/8 {
			t.Fatalf("order %d: %d bytes written, ClassBits promises %d bits", k, len(buf), want)
		}
		rd := NewReader(buf)
		for i, v := range vs {
			if got := rd.ReadClass(k); got != v {
				t.Fatalf("order %d, number %d: read %d, wrote %d", k, i, got, v)
			}
		}
		if rd.Overrun() {
			t.Fatalf("order %d: overrun at the end", k)
		}
	}
}

// Whatever the bytes, a reader ends and says so.
func FuzzReadClass(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0}, uint(3))
	f.Add([]byte{0xff, 1, 2, 3}, uint(56))
	f.Fuzz(func(t *testing.T, b []byte, k uint) {
		rd := NewReader(b)
		for range len(b)*8 + 1 {
			rd.ReadClass(k % 57)
			if rd.Overrun() {
				return
			}
		}
		t.Fatal("read more numbers than there are bits")
	})
}
