package cbf

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Keys come and go for long, half of the time below the threshold of variable length and then beyond
// it. No key that is there is ever missing, and no legal removal is refused. Stuck counters do not fill
// filters of this size, so they still rule absent keys out.
func TestHistory(t *testing.T) {
	steps, capacity := 100_000, uint64(1<<12)
	if os.Getenv("CCBF_LONG") == "1" {
		steps, capacity = 10_000_000, 1<<17
	}
	for _, variant := range []Variant{Plain, Increment, Tandem} {
		for _, variable := range []bool{false, true} {
			p := Params{Capacity: capacity, FPP: 0.01, Variant: variant, VariableLength: variable, Seed: 5}
			s := mustNew(t, p)
			r := rand.New(rand.NewPCG(1, uint64(steps)))
			there := make([]uint64, 0, capacity)
			removed, dropped := 0, -1
			for step := range steps {
				most := int(capacity) * 45 / 100
				if step > steps/2 {
					most = int(capacity)
				}
				id := r.Uint64N(4 * capacity)
				if len(there) == most || len(there) > most/2 && r.IntN(2) == 0 {
					i := r.IntN(len(there))
					id = there[i]
					there[i] = there[len(there)-1]
					there = there[:len(there)-1]
					h1, h2 := key.HashUint64(p.Seed, id)
					if !s.Contains(h1, h2) {
						t.Fatalf("%v %v: step %d: key %d is missing", variant, variable, step, id)
					}
					if err := s.Remove(h1, h2, 1); err != nil {
						t.Fatalf("%v %v: step %d: %v", variant, variable, step, err)
					}
					removed++
				} else {
					h1, h2 := key.HashUint64(p.Seed, id)
					s.Add(h1, h2, 1)
					there = append(there, id)
				}
				if dropped < 0 && variable && !s.Halves() {
					dropped = step
				}
				if step%(steps/20) == 0 {
					for _, id := range there {
						if h1, h2 := key.HashUint64(p.Seed, id); !s.Contains(h1, h2) {
							t.Fatalf("%v %v: at step %d key %d is missing", variant, variable, step, id)
						}
					}
				}
			}
			if variable && dropped < steps/2 {
				t.Errorf("%v: halves were dropped at step %d, before there were too many", variant, dropped)
			}
			_, fpp, stuck := s.measure()
			if rate := conform.Positives(s, 1<<14); rate > 0.02 {
				t.Errorf("%v %v: %.4f of the absent keys are found", variant, variable, rate)
			}
			t.Logf("%v variable %v: %d steps, %d removed, %d there, %d of %d counters stuck, rate %.4f", variant, variable, steps, removed, len(there), stuck, s.Counters(), fpp)
		}
	}
}
