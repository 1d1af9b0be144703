package sketches

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/stretchr/testify/require"
)

func init() {
	register.Function1x2(withKey)
	register.Function2x1(sumOf)
}

// TestMain removes temporary files that Beam leaves behind.
func TestMain(m *testing.M) {
	dir := must(os.MkdirTemp("", "ccbf-test-"))
	_ = os.Setenv("TMPDIR", dir)
	code := ptest.MainRet(m)
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// keyOf returns the key of a point: there are few keys, and one has most points.
func keyOf(p Point) string { return fmt.Sprintf("x%d", max(0, int(p.X)/5)) }

func withKey(p Point) (string, Point) { return keyOf(p), p }

// sumOf returns a key with the SHA-256 of its sketch.
func sumOf(key string, blob []byte) string { return fmt.Sprintf("%s %x", key, sha256.Sum256(blob)) }

func testPoints() []Point { return somePoints(rand.New(rand.NewPCG(8, 3)), 30_000) }

// Every key's sketch has the bytes of one sketch of all its points, with and without lifted combiners.
func TestPrismGivesTheBytesOfTheWhole(t *testing.T) {
	parts := map[string][]Point{}
	for _, q := range testPoints() {
		parts[keyOf(q)] = append(parts[keyOf(q)], q)
	}
	for _, p := range []ccbf.Params{
		{Res: 0.5},
		{Res: 0.5, Bytes: 2048, Dense: true, Mode: ccbf.Standard},
		{Res: 0.5, Bytes: 1024, Mode: ccbf.Standard},
	} {
		var want []string
		for k, points := range parts {
			want = append(want, sumOf(k, builtOf(p, points)))
		}
		fn := must(CCBF(p))
		for name, build := range map[string]func(s beam.Scope, cols []beam.PCollection) beam.PCollection{
			"one combine": func(s beam.Scope, cols []beam.PCollection) beam.PCollection {
				return CombinePerKey(s, fn, beam.Flatten(s, cols...))
			},
			"fan-out": func(s beam.Scope, cols []beam.PCollection) beam.PCollection {
				return CombinePerKey(s, fn, beam.Flatten(s, cols...), HotKeyFanout(5))
			},
			"one combine each": func(s beam.Scope, cols []beam.PCollection) beam.PCollection {
				for i, col := range cols {
					cols[i] = CombinePerKey(s, fn, col)
				}
				return UnionPerKey(s, beam.Flatten(s, cols...))
			},
		} {
			t.Run(fmt.Sprintf("%v %d %s", p.Mode, p.Bytes, name), func(t *testing.T) {
				ptest.BuildAndRun(t, func(s beam.Scope) {
					var cols []beam.PCollection
					for points := range slices.Chunk(testPoints(), 4000) {
						cols = append(cols, beam.ParDo(s, withKey, beam.CreateList(s, points)))
					}
					passert.EqualsList(s, beam.ParDo(s, sumOf, build(s, cols)), want)
				})
			})
		}
	}
}

// A sketch of a whole collection, of points, of batches or of keys, has the bytes of one accumulator.
func TestPrismCombinesGlobally(t *testing.T) {
	var words []string
	counted := must(Keys(cms.Family, cms.Params{}))
	whole := must(counted.CreateAccumulator())
	for _, q := range testPoints() {
		words = append(words, keyOf(q))
		whole = must(counted.AddInput(whole, keyOf(q)))
	}
	var batches []Points
	for some := range slices.Chunk(testPoints(), 100) {
		batches = append(batches, batchOf(some))
	}
	ptest.BuildAndRun(t, func(s beam.Scope) {
		places := must(CCBF(ccbf.Params{Res: 0.5}))
		passert.Equals(s, CombineGlobally(s, places, beam.CreateList(s, testPoints())), builtOf(ccbf.Params{Res: 0.5}, testPoints()))
		passert.Equals(s, CombineGlobally(s, places, beam.CreateList(s, batches)), builtOf(ccbf.Params{Res: 0.5}, testPoints()))
		passert.Equals(s, CombineGlobally(s, counted, beam.CreateList(s, words)), must(counted.ExtractOutput(whole)))
	})
}

// The weights and categories of a batch reach the sketch through a pipeline.
func TestPrismTakesCategories(t *testing.T) {
	fn := must(CCBF(ccbf.Params{Res: 1, Categories: true}))
	batch := Points{X: []float64{1, 2}, Y: []float64{3, 4}, N: []uint64{5, 6}, Class: key.Text, Category: [][]byte{{}, []byte("theft")}}
	whole := must(fn.AddInput(must(fn.CreateAccumulator()), batch))
	ptest.BuildAndRun(t, func(s beam.Scope) {
		passert.Equals(s, CombineGlobally(s, fn, beam.CreateList(s, []Points{batch})), must(fn.ExtractOutput(whole)))
	})
	v := must(ccbf.NewView(must(fn.ExtractOutput(whole))))
	require.Equal(t, []uint64{5, 6}, []uint64{v.Count(grid.Cell{X: 1, Y: 3}, []byte{}), v.Count(grid.Cell{X: 2, Y: 4}, []byte("theft"))})
}

func TestCollectionsThatAreRefused(t *testing.T) {
	_, s := beam.NewPipelineWithRoot()
	fn := must(CCBF(ccbf.Params{Res: 1}))
	words := beam.Create(s, "a")
	_, err := TryCombinePerKey(s, fn, words)
	require.ErrorContains(t, err, "must be of KV")
	_, err = TryCombinePerKey(s, fn, beam.AddFixedKey(s, words))
	require.ErrorContains(t, err, "not of string")
}

// A point without a cell fails the pipeline with an error that names it.
func TestPrismFailsOnABadPoint(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	CombineGlobally(s, must(CCBF(ccbf.Params{Res: 1})), beam.Create(s, Point{1, 2}, Point{1e300, 2}))
	require.ErrorContains(t, ptest.Run(p), "1e+300")
}
