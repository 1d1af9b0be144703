package bitio

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// Runs read sixteen at once are what was written, with codes of all lengths, up to a pair that is
// long, whether of one buffer or of a buffer each; there the readers are, and go on one by one.
func TestReadSixteenRuns(t *testing.T) {
	if RunsAtOnce < 16 {
		t.Skip("not on this processor")
	}
	r := rand.New(rand.NewPCG(9, 10))
	whole := 0
	for round := range 500 {
		var want, got [4]Runs
		var readers [16]Reader
		var orders [16][2]uint
		var begins, ends [16]int
		var buf []byte
		for i := range readers {
			j, k := r.UintN(1+r.UintN(40)), r.UintN(1+r.UintN(8))
			orders[i] = [2]uint{j, k}
			keys, counts := &want[i/4].Keys[i%4], &want[i/4].Counts[i%4]
			var w Writer
			w.Reset(2 * MaxRun)
			keys[0] = r.Uint64() >> 8
			got[i/4].Keys[i%4][0] = keys[0]
			for x := 1; x < MaxRun; x++ {
				u, v := r.Uint64()>>(62-j)>>r.UintN(4), r.Uint64()>>(62-k)>>r.UintN(4)
				if round%3 == 0 && r.IntN(300) == 0 {
					u = r.Uint64() >> 8 // a long code
				}
				keys[x], counts[x] = keys[x-1]+u+1, v+1
				w.WriteClasses(u, j, v, k)
			}
			begins[i] = len(buf)
			buf = append(buf, w.Bytes()...)
			ends[i] = len(buf)
		}
		if round%2 == 0 {
			buf = append(buf, make([]byte, 8)...)
		}
		for i := range readers {
			readers[i] = NewReaderIn(buf, begins[i], ends[i])
			if round%5 > 2 {
				readers[i] = NewReader(bytes.Clone(buf[begins[i]:ends[i]]))
			}
		}
		for from := 1; from < MaxRun; {
			to := min(from+1+r.IntN(2*MaxRun), MaxRun)
			came := ReadSixteenRuns(&readers, &orders, &got, from, to)
			if came == MaxRun && from == 1 {
				whole++
			}
			next := came
			if came < to {
				next++
			}
			for i := range readers {
				keys, counts := &got[i/4].Keys[i%4], &got[i/4].Counts[i%4]
				for x := came; x < next; x++ {
					keys[x], counts[x] = keys[x-1]+readers[i].ReadClass(orders[i][0])+1, readers[i].ReadClass(orders[i][1])+1
				}
				for x := from; x < next; x++ {
					if keys[x] != want[i/4].Keys[i%4][x] || counts[x] != want[i/4].Counts[i%4][x] {
						t.Fatalf("round %d, orders %v, from %d to %d, came to %d: pair %d is %d %d, written %d %d", round, orders[i], from, to, came, x,
							keys[x], counts[x], want[i/4].Keys[i%4][x], want[i/4].Counts[i%4][x])
					}
				}
			}
			from = next
		}
		for i := range readers {
			if !readers[i].Done() {
				t.Fatalf("round %d: not done at the end", round)
			}
		}
	}
	if whole < 20 {
		t.Errorf("read to the end at once %d times", whole)
	}
}

// A run is written as its pairs are one by one, of any length, with codes that are long and
// behind bits that fill no byte; its orders are the best for the bit lengths. So it is on a processor
// that cannot write eight at once.
func TestWriteRun(t *testing.T) {
	can := eight
	defer func() { eight = can }()
	r := rand.New(rand.NewPCG(11, 12))
	for round := range 4000 {
		eight = can && round%4 > 0
		n := 1 + r.IntN(MaxRun)
		keys, counts := make([]uint64, n), make([]uint64, n)
		apart, most := r.UintN(57), r.UintN(64)
		if round%3 > 0 {
			apart, most = r.UintN(30), r.UintN(10)
		}
		var gaps, ns [65]uint32
		for i, key := 0, r.Uint64()>>1; i < n; i++ {
			key += 1 + r.Uint64()>>(64-apart)>>r.UintN(4)
			keys[i], counts[i] = key, 1+r.Uint64()>>(64-most)>>r.UintN(4)
			if i > 0 {
				gaps[bits.Len64(key-keys[i-1]-1)]++
			}
			ns[bits.Len64(counts[i]-1)]++
		}
		j, k := RunOrders(keys, counts)
		if j != BestOrder(&gaps) || k != BestOrder(&ns) {
			t.Fatalf("round %d: orders %d and %d, the best are %d and %d", round, j, k, BestOrder(&gaps), BestOrder(&ns))
		}
		if round%5 < 2 {
			j, k = r.UintN(MaxOrder+1), r.UintN(MaxOrder+1)
		}
		var run, pairs Writer
		before := r.UintN(20)
		for _, w := range []*Writer{&run, &pairs} {
			w.Reset(2*MaxRun + 1)
			w.Write(1<<before-1, before)
		}
		run.WriteRun(keys, counts, j, k)
		for i := 1; i < n; i++ {
			pairs.WriteClasses(keys[i]-keys[i-1]-1, j, counts[i]-1, k)
		}
		for _, w := range []*Writer{&run, &pairs} {
			w.Write(5, 3)
		}
		if !bytes.Equal(run.Bytes(), pairs.Bytes()) {
			t.Fatalf("round %d: %d cells in orders %d and %d are %x, one by one %x", round, n, j, k, run.Bytes(), pairs.Bytes())
		}
	}
}
