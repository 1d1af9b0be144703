package sbf

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
)

// Info.ErrorRate of a small sketch is the measured rate.
func TestErrorRateOfSmallSketches(t *testing.T) {
	var all []Params
	for _, p := range []Params{{}, {Method: MI}, {Method: RM}, {Blocked: true}} {
		for _, p.Capacity = range []uint64{1, 2, 4, 8, 16, 32, 100} {
			for _, p.K = range []uint64{1, 2, 5, 8, 16, 32} {
				all = append(all, p)
			}
		}
	}
	conform.SmallRates(t, Family, 100, all, func(p Params) uint64 { return p.Capacity },
		func(p Params, seed uint64) Params { p.Seed = seed; return p },
		func(t testing.TB, _ Params, s *Sketch) []conform.Rate {
			v, err := NewView(s.Blob())
			must(t, err)
			return []conform.Rate{{By: "ErrorRate", Mean: v.Info().ErrorRate}}
		})
}
