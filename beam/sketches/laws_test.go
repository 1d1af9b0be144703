package sketches

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/stretchr/testify/require"
)

// must returns the value of a call, or panics at an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// law is a CombineFn, its inputs, and the expected result.
type law struct {
	name   string
	fn     *Fn
	inputs []any
	// want are the bytes that the family's package returns for all inputs; nil if the result may
	// depend on the order of bundles.
	want []byte
	// count returns the count of each key or cell, or 1 for a key that is there. truth has those of all
	// inputs: a count is never below.
	truth map[any]uint64
	count func(blob []byte, key any) uint64
}

// somePoints are points in about 3,000 cells of 0.5, a few of which have many.
func somePoints(rng *rand.Rand, n int) []Point {
	out := make([]Point, n)
	for i := range out {
		out[i] = Point{rng.NormFloat64() * 10, rng.NormFloat64() * 10}
		if i%3 == 0 {
			out[i] = Point{1.25, float64(i % 5)}
		}
	}
	return out
}

// pointInputs returns points one by one and in batches.
func pointInputs(rng *rand.Rand, points []Point) (out []any) {
	for len(points) > 0 {
		n := min(rng.IntN(40), len(points))
		if n < 10 {
			out, points = append(out, points[0]), points[1:]
			continue
		}
		out, points = append(out, batchOf(points[:n])), points[n:]
	}
	return out
}

func batchOf(points []Point) (p Points) {
	for _, q := range points {
		p.X, p.Y = append(p.X, q.X), append(p.Y, q.Y)
	}
	return p
}

// builtOf returns the sketch that ccbf_agg builds of the points.
func builtOf(p ccbf.Params, points []Point) []byte {
	c := must(p.Config())
	b := ccbf.NewBuilder(c, nil)
	for _, q := range points {
		if err := b.Add(must(c.Grid.Cell(q.X, q.Y)), nil, key.None, 1); err != nil {
			panic(err)
		}
	}
	return must(b.Sketch()).Blob()
}

func ccbfLaw(rng *rand.Rand, name string, p ccbf.Params, identical bool) law {
	points := somePoints(rng, 20_000)
	l := law{name: name, fn: must(CCBF(p)), inputs: pointInputs(rng, points), truth: map[any]uint64{}}
	if identical {
		l.want = builtOf(p, points)
	}
	g := must(grid.New(p.Res))
	for _, q := range points {
		l.truth[must(g.Cell(q.X, q.Y))]++
	}
	l.truth["total"] = uint64(len(points))
	l.count = func(blob []byte, cell any) uint64 {
		v := must(ccbf.NewView(blob))
		if cell == "total" {
			if total, known := v.Total(); known && total <= l.truth[cell] {
				return total
			}
			return 0 // the total is exact
		}
		return v.Count(cell.(grid.Cell), nil)
	}
	return l
}

// keyedLaw returns the law of a family with default parameters. If the family promises it, the
// result has the bytes of one sketch of all keys.
func keyedLaw(rng *rand.Rand, f keyed.Any) law {
	about, params := f.About(), f.Settings().Params()
	l := law{name: about.Name, fn: must(newFn(about.ID, params)), truth: map[any]uint64{}}
	whole := must(f.Make(params))
	_ = keyed.BaseOf(whole).SetKeyClass(key.Int)
	kind := f.Questions()[0].Kind
	for range 5000 {
		k := int64(rng.IntN(700))
		l.inputs = append(l.inputs, k)
		switch kind {
		case keyed.HowOften:
			l.truth[k]++
		case keyed.Whether:
			l.truth[k] = 1
		}
		if err := f.AddKey(whole, key.AppendInt64(nil, k), 1); err != nil {
			panic(err)
		}
	}
	if laws := f.Laws(params); laws.OrderFree && laws.UnionEqualsWhole {
		l.want = whole.Blob()
	}
	l.count = func(blob []byte, k any) uint64 {
		r := f.Reader()
		if err := r.Open(blob); err != nil {
			panic(err)
		}
		h1, h2 := key.Hash(keyed.BaseOf(r).Seed(), key.AppendInt64(nil, k.(int64)))
		got, is := []uint64{0}, []bool{false}
		if kind == keyed.HowOften {
			r.CountHashes(got, []uint64{h1}, []uint64{h2})
		} else if r.ContainsHashes(is, []uint64{h1}, []uint64{h2}); is[0] {
			got[0] = 1
		}
		return got[0]
	}
	return l
}

func laws(rng *rand.Rand) []law {
	out := []law{
		ccbfLaw(rng, "exact", ccbf.Params{Res: 0.5}, true),
		ccbfLaw(rng, "standard, dense from the first row on", ccbf.Params{Res: 0.5, Bytes: 4096, Dense: true, Mode: ccbf.Standard}, true),
		ccbfLaw(rng, "standard, outgrows its bytes", ccbf.Params{Res: 0.5, Bytes: 1024, Mode: ccbf.Standard}, true),
		ccbfLaw(rng, "mi, outgrows its bytes", ccbf.Params{Res: 0.5, Bytes: 1024, Overflow: ccbf.ToCounters}, false),
		ccbfLaw(rng, "tree, outgrows its bytes", ccbf.Params{Res: 0.5, Bytes: 1024}, false),
		ccbfLaw(rng, "mi, dense", ccbf.Params{Res: 0.5, Bytes: 4096, Dense: true}, false),
	}
	for _, f := range filters.Keyed() {
		out = append(out, keyedLaw(rng, f))
	}
	return out
}

// onTheWay returns the accumulator, sometimes encoded and decoded, as between two workers.
func onTheWay(rng *rand.Rand, a Accumulator) Accumulator {
	if rng.IntN(2) == 0 {
		return a
	}
	return must(load(bytes.Clone(must(encodeAccumulator(a)))))
}

// bundle accumulates inputs as a worker does, one time in four after a failed attempt.
func bundle(rng *rand.Rand, fn *Fn, inputs []any) Accumulator {
	attempt := func(inputs []any) Accumulator {
		a := must(fn.CreateAccumulator())
		for _, in := range inputs {
			a = must(fn.AddInput(a, in))
			if rng.IntN(len(inputs)) == 0 {
				a = onTheWay(rng, a)
			}
		}
		return a
	}
	if rng.IntN(4) == 0 {
		attempt(inputs[:rng.IntN(len(inputs)+1)])
	}
	return onTheWay(rng, attempt(inputs))
}

// Bundles of any size, repeated, reordered, and merged in any tree, have the bytes of one sketch of
// all inputs if the family promises that. They never count too few. A merge leaves its source unchanged,
// and an accumulator can be used after it was encoded.
func TestAnyTreeOfBundles(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, l := range laws(rng) {
		t.Run(l.name, func(t *testing.T) {
			for _, parts := range []int{1, 2, 3, 8, 50} {
				inputs := slices.Clone(l.inputs)
				rng.Shuffle(len(inputs), func(i, j int) { inputs[i], inputs[j] = inputs[j], inputs[i] })
				accs := []Accumulator{must(l.fn.CreateAccumulator())}
				for i := range parts {
					accs = append(accs, bundle(rng, l.fn, inputs[i*len(inputs)/parts:(i+1)*len(inputs)/parts]))
				}
				var sources []Accumulator
				var unchanged [][]byte
				for len(accs) > 1 {
					i := rng.IntN(len(accs) - 1)
					sources, unchanged = append(sources, accs[i+1]), append(unchanged, must(encodeAccumulator(accs[i+1])))
					accs[i] = onTheWay(rng, must(l.fn.MergeAccumulators(accs[i], accs[i+1])))
					accs = slices.Delete(accs, i+1, i+2)
				}
				for i, a := range sources {
					require.Equal(t, unchanged[i], must(encodeAccumulator(a)), "the source of a merge")
				}
				blob := must(l.fn.ExtractOutput(accs[0]))
				require.True(t, l.want == nil || bytes.Equal(blob, l.want), "%d parts: %d bytes that differ from the %d of the whole", parts, len(blob), len(l.want))
				for k, n := range l.truth {
					require.GreaterOrEqual(t, l.count(blob, k), n, "%v", k)
				}
			}
		})
	}
}
