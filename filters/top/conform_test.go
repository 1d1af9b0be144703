package top

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
)

// family keeps 100 of the kit's 5,000 keys. A sketch in memory has up to twice as many as its BLOB.
var family = func() conform.Family {
	f := conform.Keyed(Family, "top", Params{}, Params{K: 20}, func(r *rand.Rand) Params { return Params{K: conform.Size(r, 100)} })
	f.BlobsApart = true
	return f
}()

func TestConformance(t *testing.T) { conform.Run(t, family) }
func FuzzBlob(f *testing.F)        { conform.Fuzz(f, family) }
func FuzzOps(f *testing.F)         { conform.FuzzOps(f, family) }
