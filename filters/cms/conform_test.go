package cms

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
)

// 100 keys use at most 100 counters of a row of 1,000, so an absent key shares one with a probability
// of 0.1. In all 3 rows that is 0.001.
var (
	plain        = family("plain", false)
	conservative = family("conservative", true)
)

func family(name string, conservative bool) conform.Family {
	of := func(width, depth, seed uint64) Params {
		return Params{Width: width, Depth: depth, Seed: seed, Conservative: conservative}
	}
	return conform.Keyed(Family, name, of(1000, 3, 9), of(50, 3, 9),
		func(r *rand.Rand) Params { return of(conform.Size(r, 100), conform.Size(r, 32), r.Uint64()) },
	).Bound(100, 0.002)
}

func TestConformance(t *testing.T) {
	t.Run("plain", func(t *testing.T) { conform.Run(t, plain) })
	t.Run("conservative", func(t *testing.T) { conform.Run(t, conservative) })
}

func FuzzBlob(f *testing.F)             { conform.Fuzz(f, plain) }
func FuzzBlobConservative(f *testing.F) { conform.Fuzz(f, conservative) }
func FuzzOps(f *testing.F)              { conform.FuzzOps(f, plain) }
func FuzzOpsConservative(f *testing.F)  { conform.FuzzOps(f, conservative) }
