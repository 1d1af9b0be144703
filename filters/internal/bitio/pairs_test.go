package bitio

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// Pairs read at once, of one reader and of two, are the numbers that are read one by one,
// whatever lies behind the end.
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
				w.WriteClasses(us[i][x], j, vs[i][x], k)
			}
			orders[i] = [2]uint{j, k}
			b := append([]byte{1, 2, 3}, w.Bytes()...)
			end := len(b)
			for range r.IntN(10) {
				b = append(b, byte(r.Uint32()))
			}
			readers[i] = NewReaderIn(b, 3, end)
		}
		check := func(what string, i int, gotU, gotV []uint64, rd *Reader) {
			t.Helper()
			for x := range n {
				if gotU[x] != us[i][x] || gotV[x] != vs[i][x] {
					t.Fatalf("round %d, %s, orders %v: pair %d is %d %d, written %d %d", round, what, orders[i], x, gotU[x], gotV[x], us[i][x], vs[i][x])
				}
			}
			if !rd.Done() {
				t.Fatalf("round %d, %s: not done at the end", round, what)
			}
		}
		var a, b [n]uint64
		for i := range readers {
			one := readers[i]
			one.ReadPairs(a[:], b[:], orders[i][0], orders[i][1])
			check("one", i, a[:], b[:], &one)
		}
	}
}

// Runs that are read at once are the keys and counts whose gaps were written. Codes must fit a window, and
// the buffer must have eight bytes for each.
func TestReadRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for round := range 300 {
		const n = MaxRun
		var want, got Runs
		var readers [4]Reader
		var orders [4][2]uint
		var ends [4]int
		var buf []byte
		long := n // where the first long code is
		for i := range readers {
			j, k := r.UintN(40), r.UintN(8)
			orders[i] = [2]uint{j, k}
			var w Writer
			w.Reset(2 * n)
			want.Keys[i][0] = r.Uint64() >> 8
			got.Keys[i][0] = want.Keys[i][0]
			for x := 1; x < n; x++ {
				u, v := r.Uint64()>>(63-j), r.Uint64()>>(62-k)
				if round%3 == 0 && r.IntN(100) == 0 {
					u = r.Uint64() >> 8
				}
				if ClassBits(uint(bits.Len64(u)), j)+ClassBits(uint(bits.Len64(v)), k) > 57 {
					long = min(long, x)
				}
				want.Keys[i][x], want.Counts[i][x] = want.Keys[i][x-1]+u+1, v+1
				w.WriteClasses(u, j, v, k)
			}
			readers[i] = Reader{pos: uint(len(buf)) * 8}
			buf = append(buf, w.Bytes()...)
			ends[i] = len(buf)
		}
		for i := range readers {
			readers[i] = NewReaderIn(buf, int(readers[i].pos/8), ends[i])
		}
		from := 1 + r.IntN(long)
		came := 0
		for came = ReadRuns(&readers, &orders, &got, 1, from); came < n; {
			next := ReadRuns(&readers, &orders, &got, came, n)
			if next == came {
				break
			}
			came = next
		}
		if came > long || came < long && readers[3].pos+64 < uint(len(buf))*8 && came < n-16 {
			t.Fatalf("round %d: read up to pair %d, the first long one is %d", round, came, long)
		}
		for i := range readers {
			for x := 1; x < came; x++ {
				if got.Keys[i][x] != want.Keys[i][x] || got.Counts[i][x] != want.Counts[i][x] {
					t.Fatalf("round %d, orders %v: pair %d is %d %d, written %d %d", round, orders[i], x, got.Keys[i][x], got.Counts[i][x], want.Keys[i][x], want.Counts[i][x])
				}
			}
			if came == n && !readers[i].Done() {
				t.Fatalf("round %d: not done at the end", round)
			}
		}
	}
}
