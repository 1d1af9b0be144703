package bitio

import (
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
