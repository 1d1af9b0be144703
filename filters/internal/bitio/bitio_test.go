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

// Done wants every bit read but the zeros that fill the last byte.
func TestDone(t *testing.T) {
	for n := range uint(40) {
		var w Writer
		w.Reset(8)
		for range n {
			w.Write(1, 1)
		}
		buf := append([]byte(nil), w.Bytes()...)
		done := func(buf []byte, read uint) bool {
			r := NewReader(buf)
			for range read {
				r.ReadClass(0) // of order 0, a one is the number 0
			}
			return r.Done()
		}
		if !done(buf, n) {
			t.Errorf("%d bits of %d read: not done", n, n)
		}
		if n > 0 && done(buf, n-1) {
			t.Errorf("%d bits of %d read: done", n-1, n)
		}
		if done(append(buf, 0), n) {
			t.Errorf("%d bits and a byte of zeros: done", n)
		}
		if n%8 != 0 {
			buf[len(buf)-1] |= 1 << 7
			if done(buf, n) {
				t.Errorf("%d bits and one in the padding: done", n)
			}
		}
	}
}
