package bitio

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// Pairs that are read at once are the numbers that were written, whatever lies behind the end.
func TestReadPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 400 {
		const n = 90
		var us, vs [2][n]uint64
		var orders [2][2]uint
		var readers [2]Reader
		for i := range readers {
			j, k := r.UintN(1+r.UintN(57)), r.UintN(1+r.UintN(57))
			var w Writer
			w.Reset(2 * n)
			for x := range n {
				us[i][x], vs[i][x] = r.Uint64()>>(r.UintN(64)), r.Uint64()>>(r.UintN(64))
				if round%2 == 0 { // as they mostly are: about as long as the order
					us[i][x], vs[i][x] = us[i][x]>>(63-min(j+2, 63)), vs[i][x]>>(63-min(k+1, 63))
				}
				w.WritePair(us[i][x], vs[i][x], j, k)
			}
			orders[i] = [2]uint{j, k}
			b := append([]byte{1, 2, 3}, w.Bytes()...)
			end := len(b)
			for range r.IntN(10) {
				b = append(b, byte(r.Uint32()))
			}
			readers[i] = NewReaderIn(b, 3, end)
		}
		var a, b [n]uint64
		for i, rd := range readers {
			rd.ReadPairs(a[:], b[:], orders[i][0], orders[i][1])
			for x := range n {
				if a[x] != us[i][x] || b[x] != vs[i][x] {
					t.Fatalf("round %d, orders %v: pair %d is %d %d, written %d %d", round, orders[i], x, a[x], b[x], us[i][x], vs[i][x])
				}
			}
			if !rd.Done() {
				t.Fatalf("round %d: not done at the end", round)
			}
		}
	}
}

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
