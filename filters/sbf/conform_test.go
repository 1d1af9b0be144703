package sbf

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// subject adapts a Sketch to the conformance kit.
type subject struct{ *Sketch }

func (s subject) Add(id, n uint64) error        { return s.AddInt(int64(id), n) }
func (s subject) Count(id uint64) uint64        { return s.CountInt(int64(id)) }
func (s subject) Remove(id, n uint64) error     { return s.RemoveInt(int64(id), n) }
func (s subject) Union(o conform.Subject) error { return s.Sketch.Union(o.(subject).Sketch) }

// gatherer is a subject that is built at once; unions are those of SQL's
// parallel parts.
type gatherer struct{ s *Sketch }

func (g gatherer) Add(id, n uint64) error        { return g.s.AddInt(int64(id), n) }
func (g gatherer) Count(id uint64) uint64        { return g.s.CountInt(int64(id)) }
func (g gatherer) Remove(id, n uint64) error     { return g.s.RemoveInt(int64(id), n) }
func (g gatherer) Union(o conform.Subject) error { return g.s.Union(o.(gatherer).s) }
func (g gatherer) Blob() []byte                  { return g.s.Blob() }

func online(s *Sketch) conform.Subject    { return subject{s} }
func gathering(s *Sketch) conform.Subject { return gatherer{s} }

func family(p Params, laws conform.Laws, newSketch func(Params) (*Sketch, error), adapt func(*Sketch) conform.Subject) conform.Family {
	of := func(p Params) func() conform.Subject {
		return func() conform.Subject {
			s, err := newSketch(p)
			if err != nil {
				panic(err)
			}
			return adapt(s)
		}
	}
	small := p
	small.Counters, small.K = 60, 3
	// 400 keys use at most 2,000 of 4,000 counters, so that an absent key
	// meets 5 of them with at most 0.5^5.
	p.Counters = 4000
	f := conform.Family{Keys: 2000, Load: 400, Absent: math.Pow(0.5, 5)}
	if p.Blocked {
		f.Load, f.Absent = 200, blockedAbsent(200, 63, 5)
	}
	if p.Range != (Range{}) {
		// 64 nodes a key, which meet each other.
		laws.Alone = false
		p.Counters, f.Keys, f.Load = 64_000, 400, 100
	}
	if p.Method.recurring() {
		p.Counters = p.Counters * 3 / 2
	}
	f.New, f.Small, f.Laws, f.Check = of(p), of(small), laws, Check
	f.Drawn = func(r *rand.Rand) func() conform.Subject {
		p := p
		p.K = 1 + r.Uint64N(MaxK)
		if r.IntN(2) == 0 {
			p.K = 1 + r.Uint64N(4)
		}
		p.Counters, p.Seed = p.K-1+conform.Size(r, 100), r.Uint64()
		if p.Method.recurring() { // two thirds of them are the first filter
			p.Counters += p.K
		}
		return of(p)
	}
	f.Decode = func(blob []byte) (conform.Subject, error) {
		s, err := Decode(blob)
		if err != nil {
			return nil, err
		}
		return adapt(s), nil
	}
	f.Look = func(blob []byte, id uint64) (uint64, error) {
		v, err := NewView(blob)
		if err != nil {
			return 0, err
		}
		h1, h2 := key.HashUint64(v.Seed(), id)
		return v.Count(h1, h2), nil
	}
	return f
}

// blockedAbsent bounds the probability that an absent key has a count when n
// keys are in blocks of 64: a block has j keys with the probability of a
// binomial, and at most j*k counters in use, and the mean over the blocks of
// one sketch is that and 4 sigma at most.
func blockedAbsent(n, blocks, k int) float64 {
	mean, square := 0.0, 0.0
	q := 1 / float64(blocks)
	p := math.Pow(1-q, float64(n)) // of j keys
	for j := range n {
		v := math.Pow(min(1, float64(j*k)/blockLen), float64(k))
		mean += p * v
		square += p * v * v
		p *= float64(n-j) / float64(j+1) * q / (1 - q)
	}
	return mean + 4*math.Sqrt((square-mean*mean)/float64(blocks))
}

var (
	sums   = conform.Laws{OrderFree: true, UnionCommutes: true, UnionEqualsWhole: true, Deletable: true, Restores: true, Alone: true}
	grows  = conform.Laws{UnionCommutes: true, Alone: true}
	moves  = conform.Laws{UnionCommutes: true, Deletable: true, Below: true}
	atOnce = conform.Laws{OrderFree: true, UnionCommutes: true, UnionEqualsWhole: true, Deletable: true, Restores: true, Below: true}
	all64  = Range{math.MinInt64, math.MaxInt64}
)

var families = []struct {
	name string
	conform.Family
}{
	{"ms", family(Params{}, sums, New, online)},
	{"ms/elias", family(Params{Encoding: Elias}, sums, New, online)},
	{"ms/steps", family(Params{Encoding: Steps}, sums, New, online)},
	{"ms/index", family(Params{Encoding: Index}, sums, New, online)},
	{"ms/blocked", family(Params{Blocked: true}, sums, New, online)},
	{"ms/range", family(Params{Range: all64}, sums, New, online)},
	{"mi", family(Params{Method: MI}, grows, New, online)},
	{"mi/elias", family(Params{Method: MI, Encoding: Elias}, grows, New, online)},
	{"mi/steps", family(Params{Method: MI, Encoding: Steps}, grows, New, online)},
	{"mi/index", family(Params{Method: MI, Encoding: Index}, grows, New, online)},
	{"mi/blocked", family(Params{Method: MI, Blocked: true}, grows, New, online)},
	{"mi/range", family(Params{Method: MI, Range: all64}, grows, New, online)},
	{"rm", family(Params{Method: RM}, moves, New, online)},
	{"rm/unmarked", family(Params{Method: RM, Marker: Unmarked}, moves, New, online)},
	{"rm/blocked/steps", family(Params{Method: RM, Blocked: true, Encoding: Steps}, moves, New, online)},
	{"trm", family(Params{Method: TRM}, moves, New, online)},
	{"trm/unmarked/index", family(Params{Method: TRM, Marker: Unmarked, Encoding: Index}, moves, New, online)},
	{"rm/gathering", family(Params{Method: RM}, atOnce, NewGathering, gathering)},
	{"trm/gathering", family(Params{Method: TRM, Marker: Unmarked}, atOnce, NewGathering, gathering)},
}

func TestConformance(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) { conform.Run(t, f.Family) })
	}
}

func FuzzBlob(f *testing.F)      { conform.Fuzz(f, families[0].Family) }
func FuzzBlobTRM(f *testing.F)   { conform.Fuzz(f, families[15].Family) }
func FuzzBlobIndex(f *testing.F) { conform.Fuzz(f, families[3].Family) }
func FuzzBlobSteps(f *testing.F) { conform.Fuzz(f, families[14].Family) }
func FuzzOps(f *testing.F)       { conform.FuzzOps(f, families[0].Family) }
func FuzzOpsMI(f *testing.F)     { conform.FuzzOps(f, families[6].Family) }
func FuzzOpsTRM(f *testing.F)    { conform.FuzzOps(f, families[15].Family) }
func FuzzOpsRange(f *testing.F)  { conform.FuzzOps(f, families[5].Family) }
