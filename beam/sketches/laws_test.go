package sketches

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
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
	// holds checks what must be true for any order.
	holds func(t *testing.T, blob []byte)
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
func pointInputs(rng *rand.Rand, points []Point) []any {
	var out []any
	for len(points) > 0 {
		n := min(rng.IntN(40), len(points))
		if n < 10 {
			n = 1
			out = append(out, points[0])
		} else {
			var p Points
			for _, q := range points[:n] {
				p.X, p.Y = append(p.X, q.X), append(p.Y, q.Y)
			}
			out = append(out, p)
		}
		points = points[n:]
	}
	return out
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
	l := law{name: name, fn: must(CCBF(p)), inputs: pointInputs(rng, points)}
	if identical {
		l.want = builtOf(p, points)
	}
	truth := map[grid.Cell]uint64{}
	g := must(grid.New(p.Res))
	for _, q := range points {
		truth[must(g.Cell(q.X, q.Y))]++
	}
	l.holds = func(t *testing.T, blob []byte) {
		var v ccbf.View
		if err := v.Reset(blob); err != nil {
			t.Fatal(err)
		}
		if total, known := v.Total(); total != uint64(len(points)) || !known {
			t.Errorf("total %d (%v), want %d", total, known, len(points))
		}
		for c, n := range truth {
			if got := v.Count(c, nil); got < n {
				t.Fatalf("cell %v counts %d, of %d points", c, got, n)
			}
		}
	}
	return l
}

// keyedLaw returns the law of a family with default parameters. If the family promises it, the
// result has the bytes of one sketch of all keys. Every added key is found, as often as it was
// added or once.
func keyedLaw(rng *rand.Rand, f keyed.Any) law {
	about, params := f.About(), f.Settings().Params()
	l := law{name: about.Name, fn: must(newFn(about.ID, params))}
	whole := must(f.Make(params))
	_ = keyed.BaseOf(whole).SetKeyClass(key.Int)
	truth := map[int64]uint64{}
	for range 5000 {
		k := int64(rng.IntN(700))
		l.inputs = append(l.inputs, k)
		truth[k]++
		if err := f.AddKey(whole, key.AppendInt64(nil, k), 1); err != nil {
			panic(err)
		}
	}
	laws := f.Laws(params)
	if laws.OrderFree && laws.UnionEqualsWhole {
		l.want = whole.Blob()
	}
	l.holds = func(t *testing.T, blob []byte) {
		r := f.Reader()
		if err := r.Open(blob); err != nil {
			t.Fatal(err)
		}
		for k, n := range truth {
			h1, h2 := key.Hash(keyed.BaseOf(r).Seed(), key.AppendInt64(nil, k))
			switch f.Questions()[0].Kind {
			case keyed.HowOften:
				got := []uint64{0}
				if r.CountHashes(got, []uint64{h1}, []uint64{h2}); got[0] < n {
					t.Fatalf("key %d counts %d of %d", k, got[0], n)
				}
			case keyed.Whether:
				is := []bool{false}
				if r.ContainsHashes(is, []uint64{h1}, []uint64{h2}); !is[0] {
					t.Fatalf("key %d is not there", k)
				}
			}
		}
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
func onTheWay(t *testing.T, rng *rand.Rand, a Accumulator) Accumulator {
	if rng.IntN(2) == 0 {
		return a
	}
	blob, err := encodeAccumulator(a)
	if err != nil {
		t.Fatal(err)
	}
	b, err := load(bytes.Clone(blob))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// bundle accumulates inputs as a worker does, one time in four after a failed attempt.
func bundle(t *testing.T, rng *rand.Rand, fn *Fn, inputs []any) Accumulator {
	attempt := func(inputs []any) Accumulator {
		a, err := fn.CreateAccumulator()
		for _, in := range inputs {
			if err == nil {
				a, err = fn.AddInput(a, in)
			}
			if rng.IntN(len(inputs)) == 0 {
				a = onTheWay(t, rng, a)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if rng.IntN(4) == 0 {
		attempt(inputs[:rng.IntN(len(inputs)+1)])
	}
	return onTheWay(t, rng, attempt(inputs))
}

// Bundles of any size, repeated, reordered, and merged in any tree, have the bytes of one sketch of
// all inputs if the family promises that. They never count too few.
func TestAnyTreeOfBundles(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, l := range laws(rng) {
		t.Run(l.name, func(t *testing.T) {
			for _, parts := range []int{1, 2, 3, 8, 50} {
				inputs := append([]any(nil), l.inputs...)
				rng.Shuffle(len(inputs), func(i, j int) { inputs[i], inputs[j] = inputs[j], inputs[i] })
				var accs []Accumulator
				for i := range parts {
					accs = append(accs, bundle(t, rng, l.fn, inputs[i*len(inputs)/parts:(i+1)*len(inputs)/parts]))
				}
				for len(accs) > 1 {
					i := rng.IntN(len(accs) - 1)
					a, err := l.fn.MergeAccumulators(accs[i], accs[i+1])
					if err != nil {
						t.Fatal(err)
					}
					accs[i] = onTheWay(t, rng, a)
					accs = append(accs[:i+1], accs[i+2:]...)
				}
				blob, err := l.fn.ExtractOutput(accs[0])
				if err != nil {
					t.Fatal(err)
				}
				if l.want != nil && !bytes.Equal(blob, l.want) {
					t.Errorf("%d parts: %d bytes that differ from the %d of the whole", parts, len(blob), len(l.want))
				}
				if l.holds != nil {
					l.holds(t, blob)
				}
			}
		})
	}
}

// A merge leaves its source unchanged, and an accumulator can be used after it was encoded.
func TestMergeLeavesItsSource(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	for _, l := range laws(rng) {
		t.Run(l.name, func(t *testing.T) {
			half := len(l.inputs) / 2
			a, b := bundle(t, rng, l.fn, l.inputs[:half]), bundle(t, rng, l.fn, l.inputs[half:])
			before := must(encodeAccumulator(b))
			once := must(l.fn.MergeAccumulators(must(l.fn.CreateAccumulator()), b))
			once = must(l.fn.AddInput(once, l.inputs[0]))
			must(l.fn.MergeAccumulators(a, once))
			if after := must(encodeAccumulator(b)); !bytes.Equal(before, after) {
				t.Error("the source of a merge changed")
			}
		})
	}
}
