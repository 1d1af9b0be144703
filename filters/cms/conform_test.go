package cms

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// subject adapts a Sketch to the conformance kit.
type subject struct{ *Sketch }

func (s subject) Add(id, n uint64) error {
	h1, h2 := key.HashUint64(s.Seed(), id)
	s.Sketch.Add(h1, h2, n)
	return nil
}

func (s subject) Count(id uint64) uint64 {
	h1, h2 := key.HashUint64(s.Seed(), id)
	return s.Sketch.Count(h1, h2)
}

func (s subject) Remove(id, n uint64) error {
	h1, h2 := key.HashUint64(s.Seed(), id)
	return s.Sketch.Remove(h1, h2, n)
}

func (s subject) Union(o conform.Subject) error { return s.Sketch.Union(o.(subject).Sketch) }

func family(name string, p Params, laws conform.Laws, load int, absent float64) conform.Family {
	small := p
	small.Width, small.Depth, small.Epsilon, small.Delta = 50, 3, 0, 0
	make1 := func(p Params) func() conform.Subject {
		return func() conform.Subject {
			s, err := New(p)
			if err != nil {
				panic(err)
			}
			return subject{s}
		}
	}
	return conform.Family{
		Name: name, New: make1(p), Small: make1(small), Laws: laws, Check: Check,
		Decode: func(blob []byte) (conform.Subject, error) {
			s, err := Decode(blob)
			if err != nil {
				return nil, err
			}
			return subject{s}, nil
		},
		Look: func(blob []byte, id uint64) (uint64, error) {
			v, err := NewView(blob)
			if err != nil {
				return 0, err
			}
			h1, h2 := key.HashUint64(v.Seed(), id)
			return v.Count(h1, h2), nil
		},
		Load: load, Absent: absent,
		Drawn: func(r *rand.Rand) func() conform.Subject {
			return make1(Params{Width: conform.Size(r, 100), Depth: conform.Size(r, 32), Seed: r.Uint64(), Conservative: p.Conservative})
		},
	}
}

// 100 keys use at most 100 counters of a row of 1,000, so an absent key meets
// one with probability 0.1, in each of 3 rows with 0.001 if they are reached by
// different keys. Two rows reached by one key happen with about 1/width^2 for
// each of the 100 keys and 3 pairs of rows, 0.0003. Together below 0.002.
var (
	plainFamily = family("plain", Params{Width: 1000, Depth: 3, Seed: 9},
		conform.Laws{OrderFree: true, UnionCommutes: true, UnionEqualsWhole: true, Deletable: true, Restores: true, Alone: true}, 100, 0.002)
	conservativeFamily = family("conservative", Params{Width: 1000, Depth: 3, Seed: 9, Conservative: true},
		conform.Laws{UnionCommutes: true, Alone: true}, 100, 0.002)
)

func TestConformance(t *testing.T) {
	t.Run("plain", func(t *testing.T) { conform.Run(t, plainFamily) })
	t.Run("conservative", func(t *testing.T) { conform.Run(t, conservativeFamily) })
}

func FuzzBlob(f *testing.F)             { conform.Fuzz(f, plainFamily) }
func FuzzBlobConservative(f *testing.F) { conform.Fuzz(f, conservativeFamily) }
func FuzzOps(f *testing.F)              { conform.FuzzOps(f, plainFamily) }
func FuzzOpsConservative(f *testing.F)  { conform.FuzzOps(f, conservativeFamily) }
