package cbf

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
)

func family(name string, p Params) conform.Family {
	p.K, p.Seed = 3, 9
	small := p
	small.Counters, small.Capacity = 128, 0
	if p.Capacity > 1<<32 { // never full
		small.Capacity = p.Capacity
	}
	f := conform.Keyed(Family, name, p, small, func(r *rand.Rand) Params {
		p := p
		p.Counters, p.K, p.Seed = conform.Size(r, 100), 1+r.Uint64N(MaxK), r.Uint64()
		if p.Capacity < 1<<32 {
			p.Capacity = conform.Size(r, 50)
		}
		return p
	}).Bound(100, absent)
	if p.Capacity > 1<<32 { // always in halves
		f.Laws.OrderFree, f.Laws.UnionCommutes, f.Laws.UnionEqualsWhole = true, true, true
	}
	return f
}

// restoring is a family whose removals restore what was there: no counter gets
// stuck in the test of removal.
func restoring(f conform.Family) conform.Family {
	f.Laws.Restores = true
	return f
}

// 100 keys with 3 hash functions use at most 7.5% of 4,000 counters. Then 0.075^3 = 0.00042 of the
// absent keys are found. All other forms are stricter. The standard deviation of the fraction of
// counters is below 1% of it, far below the kit's 4 sigma.
const absent = 0.00043

var families = []conform.Family{
	family("plain", Params{Counters: 4096}),
	// 16 bits: what the random operations add at a time, 5,000 occurrences and
	// more, sticks now and then, but not in the removal test.
	restoring(family("plain wide", Params{Counters: 65536, CounterBits: 16})),
	family("increment", Params{Counters: 4096, Variant: Increment}),
	family("tandem", Params{Counters: 4096, Variant: Tandem}),
	family("plain halves", Params{Counters: 4096, Capacity: 1 << 40, VariableLength: true}),
	family("increment halves", Params{Counters: 4096, Capacity: 1 << 40, Variant: Increment, VariableLength: true}),
	family("tandem halves", Params{Counters: 4096, Capacity: 1 << 40, Variant: Tandem, VariableLength: true}),
	family("plain variable", Params{Counters: 4096, Capacity: 2000, VariableLength: true}),
	family("increment variable", Params{Counters: 4096, Capacity: 2000, Variant: Increment, VariableLength: true}),
	family("tandem variable", Params{Counters: 4096, Capacity: 2000, Variant: Tandem, VariableLength: true}),
}

func TestConformance(t *testing.T) {
	for _, f := range families {
		t.Run(f.Name, func(t *testing.T) { conform.Run(t, f) })
	}
}

func FuzzBlobPlain(f *testing.F)     { conform.Fuzz(f, families[0]) }
func FuzzBlobIncrement(f *testing.F) { conform.Fuzz(f, families[2]) }
func FuzzBlobTandem(f *testing.F)    { conform.Fuzz(f, families[3]) }
func FuzzBlobHalves(f *testing.F)    { conform.Fuzz(f, families[6]) }
func FuzzOpsIncrement(f *testing.F)  { conform.FuzzOps(f, families[8]) }
func FuzzOpsTandem(f *testing.F)     { conform.FuzzOps(f, families[3]) }
func FuzzOpsVariable(f *testing.F)   { conform.FuzzOps(f, families[9]) }
