package simd

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// both calls f with and without kernels.
func both(t *testing.T, f func(with bool)) {
	t.Helper()
	defer func() { use = have }()
	for _, with := range []bool{false, true} {
		if with && !have {
			t.Skip("this processor has no kernels: the loops were tested")
		}
		use = with
		f(with)
	}
}

func random(r *rand.Rand, n int) []uint64 {
	v := make([]uint64, n)
	for i := range v {
		v[i] = r.Uint64() >> r.UintN(64)
	}
	return v
}

// Hashes of states equal the results of Finish, one by one.
func TestHashes(t *testing.T) {
	both(t, func(with bool) {
		r := rand.New(rand.NewPCG(1, 1))
		for n := range 300 {
			h1s, h2s := random(r, n), random(r, n)
			a, b := slices.Clone(h1s), slices.Clone(h2s)
			FinishHashes(a, b)
			for i := range a {
				if h1, h2 := Finish(h1s[i], h2s[i], 0); a[i] != h1 || b[i] != h2 {
					t.Fatalf("kernels %v: state %d of %d", with, i, n)
				}
			}
		}
	})
}

// Keys of points have the bits of the indexes of their cells, those of x first, up to the first point
// without a key. Indexes are by a loop that steps from edge to edge.
func TestCellKeys(t *testing.T) {
	both(t, func(with bool) {
		r := rand.New(rand.NewPCG(2, 2))
		nowhere := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, 1 << 33, -1 << 33}
		for range 3000 {
			n := r.IntN(23)
			p, q := float64(1+r.IntN(9)), math.Pow(10, float64(r.IntN(5)))
			xs, ys := make([]float64, n), make([]float64, n)
			index := func(v float64) (int64, bool) {
				i := int64(math.Floor(v * q / p))
				for ; float64(i)*p/q > v; i-- {
				}
				for ; float64(i+1)*p/q <= v; i++ {
				}
				return i, i >= lowest && i <= highest
			}
			var want []uint64
			ends := false
			for i := range n {
				xs[i], ys[i] = float64(r.IntN(2e6)-1e6)/1000, (r.Float64()-0.5)*1e5
				if r.IntN(40) == 0 {
					ys[i], ends = nowhere[r.IntN(len(nowhere))]*p/q, true
				}
				if ends {
					continue
				}
				x, _ := index(xs[i])
				y, _ := index(ys[i])
				key := uint64(0)
				for bit := range 32 {
					key |= uint64(x+Bias)>>bit&1<<(2*bit) | uint64(y+Bias)>>bit&1<<(2*bit+1)
				}
				want = append(want, key)
			}
			got := make([]uint64, n)
			if done := CellKeys(got, xs, ys, p, q); done != len(want) || !slices.Equal(got[:done], want) {
				t.Fatalf("kernels %v: %v, %v of %v/%v: %x, want %x", with, xs, ys, p, q, got[:done], want)
			}
		}
	})
}

// bitString is a string of bits, each one byte.
type bitString []byte

// class appends the class code of order k. It has as many zeros as v has bits above k, then a one, and the
// bits of v without the leading one.
func (b *bitString) class(v, k uint64) (length int) {
	e, low := bits.Len64(v>>k), int(k)
	if e > 0 {
		low += e - 1
	}
	*b = append(append(*b, make([]byte, e)...), 1)
	for i := range low {
		*b = append(*b, byte(v>>i&1))
	}
	return e + 1 + low
}

// TestRuns: four runs that are read at once have the keys and counts that were written, up to the first
// code that is long. Read stops before the last eight bytes.
func TestRuns(t *testing.T) {
	both(t, func(with bool) {
		r := rand.New(rand.NewPCG(7, 8))
		long, whole := 0, 0
		for round := range 400 {
			var got, want Runs
			var code bitString
			n := 2 + r.IntN(MaxRun-1)
			stop := n // where the first long code is
			for i := range 4 {
				j, k := r.Uint64N(1+r.Uint64N(MaxOrder+1)), r.Uint64N(1+r.Uint64N(MaxOrder+1))
				got.At[i], got.GapOrder[i], got.CountOrder[i] = uint64(len(code)), j, k
				want.Keys[i][0] = r.Uint64() >> 8
				got.Keys[i][0] = want.Keys[i][0]
				for x := 1; x < n; x++ {
					gap, count := r.Uint64()>>min(63-j, 40)>>r.UintN(24), r.Uint64()>>min(62-min(k, 62), 50)>>r.UintN(14)
					if round%3 > 0 {
						gap, count = gap&(4<<min(j, 20)-1), count&(2<<min(k, 8)-1)
					}
					want.Keys[i][x], want.Counts[i][x] = want.Keys[i][x-1]+gap+1, count+1
					if code.class(gap, j)+code.class(count, k) > Window {
						stop = min(stop, x)
					}
				}
				want.At[i] = uint64(len(code))
			}
			buf := make([]byte, len(code)/8+1+8*r.IntN(2))
			for i, bit := range code {
				buf[i/8] |= bit << (i % 8)
			}
			from := 1 + r.IntN(n-1)
			to := got.Read(buf, 1, from)
			if to == from {
				to = got.Read(buf, from, n)
			}
			near := slices.Max(got.At[:])+64 > uint64(len(buf))*8
			if to > stop || to < stop && !near {
				t.Fatalf("kernels %v, round %d: read up to cell %d of %d, the first long code is of %d", with, round, to, n, stop)
			}
			if to == n && got.At != want.At {
				t.Fatalf("kernels %v, round %d: came to %d, written were %d", with, round, got.At, want.At)
			}
			for i := range 4 {
				if !slices.Equal(got.Keys[i][:to], want.Keys[i][:to]) || !slices.Equal(got.Counts[i][1:to], want.Counts[i][1:to]) {
					t.Fatalf("kernels %v, round %d, orders %d and %d: run %d differs", with, round, got.GapOrder[i], got.CountOrder[i], i)
				}
			}
			switch to {
			case n:
				whole++
			case stop:
				long++
			}
		}
		if long < 50 || whole < 50 {
			t.Errorf("kernels %v: %d rounds came to a long code, %d to the end", with, long, whole)
		}
	})
}

// TestLeastFours: if a key is not in left, the least counter is right by its definition. A counter
// with a flag goes on in the second layer. One with a flag there is above every value of two
// layers.
func TestLeastFours(t *testing.T) {
	both(t, func(with bool) {
		r := rand.New(rand.NewPCG(5, 5))
		for range 500 {
			up := 1 + r.Uint64N(1<<12)>>r.UintN(12)
			size := up * (2 + r.Uint64N(15))
			first, second := make([]byte, size/2+9), make([]byte, up)
			for i := range first {
				first[i] = uint8(r.Uint32() >> r.UintN(32))
			}
			for i := range second {
				second[i] = uint8(r.Uint32() >> r.UintN(32))
			}
			n := r.IntN(300)
			at, step, dst, left := make([]uint32, n), make([]uint32, n), make([]uint64, n), make([]uint8, (n+7)/8)
			for i := range at {
				at[i], step[i] = uint32(r.Uint64N(size)), uint32(r.Uint64N(size))
			}
			above := second
			if r.IntN(3) == 0 {
				above = nil
			}
			LeastFours(dst, left, at, step, first, above, size)
			alone := 0 // keys that no counter with a flag may be the least of
			for i := range dst {
				least, certain := uint64(math.MaxUint64), true
				for x := range uint64(4) {
					j := (uint64(at[i]) + x*uint64(step[i])) % size
					c := uint64(first[j/2] >> (j % 2 * 4) & 15)
					v := c & 7
					if c > 7 {
						certain = false
						u := uint64(second[j%up])
						if v += u & 127 << 3; u > 127 {
							v = 1 << 20
						}
					}
					least = min(least, v)
				}
				if certain {
					alone++
				}
				is := left[i/8]>>(i%8)&1 != 0
				if is && certain || !is && dst[i] != least {
					t.Fatalf("kernels %v: key %d of %d reads %d, left %v; want %d", with, i, n, dst[i], is, least)
				}
			}
		}
	})
}

// Prefetching changes nothing that can be seen but must not fault, at the
// first and the last byte of what is there.
func TestPrefetchLeavesMemoryAlone(t *testing.T) {
	b := make([]byte, 1<<16)
	for i := range b {
		b[i] = byte(i)
	}
	Prefetch(unsafe.Pointer(&b[0]), nil)
	Prefetch(unsafe.Pointer(&b[0]), []uint32{0, 1, 63, 64, 4096, uint32(len(b) - 1)})
	for i := range b {
		if b[i] != byte(i) {
			t.Fatalf("byte %d changed", i)
		}
	}
}
