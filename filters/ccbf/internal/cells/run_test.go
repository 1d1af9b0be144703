package cells

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/kit"
)

// townKeys makes keys of n points in towns.
func townKeys(n int) []uint64 {
	keys := make([]uint64, n)
	for i, c := range kit.Towns(n) {
		_, _, keys[i] = Key(c)
	}
	return keys
}

func TestSortedRunsCountEveryKey(t *testing.T) {
	keys := townKeys(100_000)
	for _, n := range []int{0, 1, 300, packKeys, 100_000} {
		want := map[uint64]uint64{}
		for _, k := range keys[:n] {
			want[k]++
		}
		for name, weights := range map[string][]uint64{"plain": nil, "weighted": make([]uint64, n)} {
			for i := range weights {
				weights[i] = 1
			}
			in := append([]uint64(nil), keys[:n]...)
			r := new(sorter).run(in, weights)
			if len(r.Keys) != len(want) {
				t.Fatalf("%s, %d keys: %d cells, want %d", name, n, len(r.Keys), len(want))
			}
			for i, k := range r.Keys {
				if r.Counts[i] != want[k] || i > 0 && k <= r.Keys[i-1] {
					t.Fatalf("%s, %d keys: cell %d counts %d, want %d", name, n, k, r.Counts[i], want[k])
				}
			}
		}
	}
}

func BenchmarkRun(b *testing.B) {
	src := townKeys(MaxKeys)
	keys := make([]uint64, len(src))
	var s sorter
	for b.Loop() {
		copy(keys, src)
		s.run(keys, nil)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/MaxKeys, "ns/key")
}

func BenchmarkEncode(b *testing.B) {
	r := new(sorter).run(townKeys(1<<20), nil)
	var dst []byte
	for b.Loop() {
		dst, _ = appendBlocks(dst[:0], &runSource{r}, 1<<30)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(r.Keys)), "ns/cell")
	b.ReportMetric(float64(len(dst))/float64(len(r.Keys)), "bytes/cell")
}

func BenchmarkMerge(b *testing.B) {
	keys := townKeys(1 << 19)
	x, y := new(sorter).run(keys[:1<<18], nil), new(sorter).run(keys[1<<18:], nil)
	for b.Loop() {
		Merge(x, y)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(x.Keys)+len(y.Keys)), "ns/cell")
}
