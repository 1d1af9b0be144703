package cbf

import (
	"os"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
)

// TestDefaultsGrid prints the rates by which the defaults of counter bits and L were chosen. Filters of
// one size are full, and then ten times as many keys come and go. Each key goes when its time is over,
// so that stuck counters stay behind. CCBF_LONG=1.
func TestDefaultsGrid(t *testing.T) {
	if os.Getenv("CCBF_LONG") != "1" {
		t.Skip("CCBF_LONG=1 measures")
	}
	const capacity, bits = 1 << 17, 40
	for _, p := range []Params{
		{CounterBits: 2}, {CounterBits: 4}, {CounterBits: 8},
		{CounterBits: 4, VariableLength: true, Alpha: 0.5}, {CounterBits: 4, VariableLength: true, Alpha: 1}, {CounterBits: 8, VariableLength: true, Alpha: 1},
		{CounterBits: 4, Variant: Increment, Increment: 2}, {CounterBits: 4, Variant: Increment, Increment: 4},
		{CounterBits: 8, Variant: Increment, Increment: 8}, {CounterBits: 8, Variant: Increment, Increment: 16}, {CounterBits: 8, Variant: Increment, Increment: 64},
		{CounterBits: 4, Variant: Tandem, Increment: 2}, {CounterBits: 4, Variant: Tandem, Increment: 4},
		{CounterBits: 8, Variant: Tandem, Increment: 8}, {CounterBits: 8, Variant: Tandem, Increment: 16}, {CounterBits: 8, Variant: Tandem, Increment: 64},
		{CounterBits: 8, Variant: Increment, VariableLength: true, Increment: 2, Alpha: 0.5}, {CounterBits: 8, Variant: Increment, VariableLength: true, Increment: 4, Alpha: 0.5},
		{CounterBits: 8, Variant: Increment, VariableLength: true, Increment: 2, Alpha: 1}, {CounterBits: 8, Variant: Increment, VariableLength: true, Increment: 4, Alpha: 1},
		{CounterBits: 8, Variant: Tandem, VariableLength: true, Increment: 2, Alpha: 0.5}, {CounterBits: 8, Variant: Tandem, VariableLength: true, Increment: 4, Alpha: 0.5},
		{CounterBits: 8, Variant: Tandem, VariableLength: true, Increment: 2, Alpha: 1}, {CounterBits: 8, Variant: Tandem, VariableLength: true, Increment: 4, Alpha: 1},
	} {
		p.Capacity, p.Counters = capacity, capacity*bits/p.CounterBits
		s := mustNew(t, p)
		const turnovers = 10
		h1s, h2s := conform.Hashes(0, 0, (1+turnovers)*capacity)
		state := func() (fpp, stuck float64) {
			_, fpp, n := s.measure()
			return fpp, float64(n) / float64(8*len(s.body)) * float64(s.kernel.bits)
		}
		s.AddHashes(h1s[:capacity/2], h2s[:capacity/2], nil)
		half, _ := state()
		s.AddHashes(h1s[capacity/2:capacity], h2s[capacity/2:capacity], nil)
		full, stuck := state()
		for i := capacity; i < len(h1s); i++ {
			if err := s.Remove(h1s[i-capacity], h2s[i-capacity], 1); err != nil {
				t.Fatal(err)
			}
			s.Add(h1s[i], h2s[i], 1)
		}
		later, stuckLater := state()
		t.Logf("%-9v bits %2d L %2d variable %-5v alpha %.1f k %d: half %.2g, full %.2g with %.2g stuck, after %d turnovers %.2g with %.2g stuck",
			p.Variant, p.CounterBits, s.inc, p.VariableLength, p.Alpha, s.K(), half, full, stuck, turnovers, later, stuckLater)
	}
}
