package beside

import (
	"iter"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// Both are done when Do returns, and a panic of either is the caller's. A goroutine is
// started only where there is a processor for it, and none while there is one.
func TestDo(t *testing.T) {
	yes, no := func() bool { return true }, func() bool { return false }
	for name, of := range map[string]struct {
		spare func() bool
		want  int64
	}{"not known": {nil, 0}, "none": {no, 0}, "one": {yes, 1}} {
		var first, second, third, fourth bool
		before := Started()
		Do(of.spare, func() {
			Do(yes, func() { first = true }, func() { second = true }) // inside of another: one goroutine in all
		}, func() {
			Do(no, func() { third = true }, func() { fourth = true })
		})
		if !first || !second || !third || !fourth {
			t.Errorf("%s: did %v, %v, %v, %v", name, first, second, third, fourth)
		}
		if got := Started() - before; got != max(of.want, 1) {
			t.Errorf("%s: %d goroutines", name, got)
		}
		before = Started()
		Do(of.spare, func() {}, func() {})
		if got := Started() - before; got != of.want {
			t.Errorf("%s: %d goroutines, want %d", name, got, of.want)
		}
		for which := range 2 {
			fails := func(i int) func() {
				return func() {
					if i == which {
						panic(i)
					}
				}
			}
			got := func() (v any) {
				defer func() { v = recover() }()
				Do(of.spare, fails(0), fails(1))
				return nil
			}()
			if got != which {
				t.Errorf("%s: panic %v, want %d", name, got, which)
			}
		}
	}
}

// Nobody waits for a goroutine that does not come: with one processor it begins when first has
// ended, and finds nothing to do.
func TestDoAlone(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	yes := func() bool { return true }
	for range 100 {
		second := 0
		Do(yes, func() {}, func() { second++ })
		runtime.Gosched() // to the goroutine
		if second != 1 {
			t.Fatalf("second ran %d times", second)
		}
		// Where it can come, it does.
		came := make(chan struct{})
		Do(yes, func() { <-came }, func() { close(came) })
	}
}

// Each number is a worker's once, whether there are two or one, and none is after one breaks
// off. One number takes no goroutine.
func TestShare(t *testing.T) {
	for _, spare := range []func() bool{nil, func() bool { return true }} {
		for n := range 40 {
			var mu sync.Mutex
			var got []int
			before := Started()
			Share(spare, n, func(numbers iter.Seq[int]) {
				for i := range numbers {
					mu.Lock()
					got = append(got, i)
					mu.Unlock()
				}
			})
			slices.Sort(got)
			for i := range n {
				if len(got) != n || got[i] != i {
					t.Fatalf("%v of %d", got, n)
				}
			}
			if started := Started() - before; started > 0 != (spare != nil && n > 1) {
				t.Errorf("%d goroutines for %d", started, n)
			}
		}
		workers, taken := 0, 0
		var mu sync.Mutex
		Share(spare, 1000, func(numbers iter.Seq[int]) {
			mu.Lock()
			defer mu.Unlock()
			workers++
			for range numbers {
				if taken++; taken == 10 {
					break
				}
			}
		})
		if workers != 2 || taken != 10 {
			t.Errorf("%d numbers taken by %d workers", taken, workers)
		}
	}
}

// Each number is one worker's: those of the first go up from 0, those of the second down to the
// next one. Where one breaks off, the other goes on to the number that it did not finish.
func TestEnds(t *testing.T) {
	for _, spare := range []func() bool{nil, func() bool { return true }} {
		for n := range 40 {
			for _, most := range []int{0, 1, 5, n + 1} {
				up, down := 0, n
				before := Started()
				Ends(spare, n, func(numbers iter.Seq[int]) {
					for i := range numbers {
						if i != up {
							t.Errorf("%d after %d", i, up)
						}
						up++
					}
				}, func(numbers iter.Seq[int]) {
					for i := range numbers {
						if i != down-1 {
							t.Errorf("%d before %d", i, down)
						}
						if n-down == most {
							break
						}
						down--
					}
				})
				if down-up > 1 || up > down || n-down > most {
					t.Fatalf("of %d, %d and %d", n, up, n-down)
				}
				if n-down < most && up != down {
					t.Fatalf("of %d, those from %d to %d are nobody's", n, up, down)
				}
				if started := Started() - before; started > 0 != (spare != nil && n > 1) {
					t.Errorf("%d goroutines for %d", started, n)
				}
			}
		}
	}
}
