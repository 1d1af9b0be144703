package cbf

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// hashes are those of n keys from the given one on.
func hashes(seed, from, n uint64) (h1s, h2s []uint64) {
	h1s, h2s = make([]uint64, n), make([]uint64, n)
	for i := range n {
		h1s[i], h2s[i] = key.HashUint64(seed, from+i)
	}
	return h1s, h2s
}

// TestThroughput prints what the four operations of the paper's table I take
// for filters of fixed and of variable length, in ns per key, and the
// throughput of the second as part of that of the first. The two take turns
// with every chunk of keys; the time of a chunk is the least of several rounds,
// so that what else the machine does is left out. CCBF_SPEED=1; timings are no
// test.
func TestThroughput(t *testing.T) {
	if os.Getenv("CCBF_SPEED") != "1" {
		t.Skip("CCBF_SPEED=1 measures")
	}
	for _, variant := range []Variant{Plain, Increment, Tandem} {
		for _, load := range []float64{0.45, 0.9} {
			p := Params{Capacity: 1 << 20, Counters: 10 << 20, K: 7, CounterBits: 4, Variant: variant}
			if variant != Plain {
				p.CounterBits, p.Increment, p.Counters, p.K = 8, 4, 5<<20, 4
			}
			v := p
			v.VariableLength = true
			ns := compare(t, p, v, load)
			line := fmt.Sprintf("%-9v load %2.0f%%:", variant, 100*load)
			for i, what := range []string{"insert", "positive", "negative", "delete"} {
				line += fmt.Sprintf("  %s %.2f (%.0f, %.0f ns)", what, ns[i][0]/ns[i][1], ns[i][0], ns[i][1])
			}
			t.Log(line)
		}
	}
}

func compare(t *testing.T, a, b Params, load float64) (ns [4][2]float64) {
	const rounds, chunk = 7, 2048
	n := uint64(load*float64(a.Capacity)) / chunk * chunk
	h1s, h2s := hashes(0, 0, n)
	a1s, a2s := hashes(0, 1<<40, n)
	dst := make([]bool, chunk)
	least := [4][2][]time.Duration{}
	for op := range least {
		least[op] = [2][]time.Duration{make([]time.Duration, n/chunk), make([]time.Duration, n/chunk)}
	}
	for round := range rounds {
		ss := [2]*Sketch{mustNew(t, a), mustNew(t, b)}
		for op := range least {
			for c := range n / chunk {
				from, to := c*chunk, (c+1)*chunk
				for turn := range ss {
					which := (turn + round) % 2
					s := ss[which]
					start := time.Now()
					switch op {
					case 0:
						s.AddHashes(h1s[from:to], h2s[from:to], nil)
					case 1:
						s.ContainsHashes(dst, h1s[from:to], h2s[from:to])
					case 2:
						s.ContainsHashes(dst, a1s[from:to], a2s[from:to])
					case 3:
						for i := from; i < to; i++ {
							if err := s.Remove(h1s[i], h2s[i], 1); err != nil {
								t.Fatal(err)
							}
						}
					}
					took := time.Since(start)
					if l := &least[op][which][c]; round == 0 || took < *l {
						*l = took
					}
				}
			}
		}
	}
	for op := range least {
		for which := range least[op] {
			for _, d := range least[op][which] {
				ns[op][which] += float64(d.Nanoseconds()) / float64(n)
			}
		}
	}
	return ns
}
