package sketches

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[*sourceFn]())
	register.Emitter2[[]byte, Point]()
	register.Function2x1(dropKey)
	register.Function1x2(globally)
	register.Function2x2(wordOf)
}

// TestMain removes temporary files that Beam leaves behind.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ccbf-test-")
	if err != nil {
		panic(err)
	}
	_ = os.Setenv("TMPDIR", dir)
	code := ptest.MainRet(m)
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// sourceFn emits every Of-th point, after all its siblings have started.
type sourceFn struct {
	Test      string
	Index, Of int
}

const prismPoints = 30_000

// keyed returns the key of a point: there are few keys, and one has most points.
func (f *sourceFn) keyed(p Point) string { return fmt.Sprintf("x%d", max(0, int(p.X)/5)) }

func (f *sourceFn) ProcessElement(ctx context.Context, _ []byte, emit func([]byte, Point)) error {
	if err := join(ctx, f.Test); err != nil {
		return err
	}
	points := testPoints()
	for i := f.Index; i < len(points); i += f.Of {
		emit([]byte(f.keyed(points[i])), points[i])
	}
	return nil
}

func testPoints() []Point { return somePoints(rand.New(rand.NewPCG(8, 3)), prismPoints) }

// sources returns n collections of points, which run in n bundles at once.
func sources(s beam.Scope, test string, n int) []beam.PCollection {
	meet(test, n)
	out := make([]beam.PCollection, n)
	for i := range out {
		out[i] = beam.ParDo(s, &sourceFn{Test: test, Index: i, Of: n}, beam.Impulse(s))
	}
	return out
}

// Every key's sketch has the bytes of one sketch of all its points, for any number of workers, with
// and without lifted combiners.
func TestPrismGivesTheBytesOfTheWhole(t *testing.T) {
	for _, p := range []ccbf.Params{
		{Res: 0.5},
		{Res: 0.5, Bytes: 2048, Dense: true, Mode: ccbf.Standard},
		{Res: 0.5, Bytes: 1024, Mode: ccbf.Standard},
	} {
		want := map[string][]byte{}
		parts := map[string][]Point{}
		for _, q := range testPoints() {
			k := new(sourceFn).keyed(q)
			parts[k] = append(parts[k], q)
		}
		for k, points := range parts {
			want[k] = builtOf(p, points)
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
			for _, n := range []int{1, 2, 8} {
				t.Run(fmt.Sprintf("%v %d %s/%d", p.Mode, p.Bytes, name, n), func(t *testing.T) {
					ptest.BuildAndRun(t, func(s beam.Scope) {
						collect(s, t.Name(), build(s, sources(s, t.Name(), n)))
					})
					got := collected(t.Name())
					if len(got) != len(want) {
						t.Errorf("%d keys, want %d", len(got), len(want))
					}
					for k, blob := range want {
						if !bytes.Equal(got[k], blob) {
							t.Errorf("key %s: %d bytes that differ from the %d of the whole", k, len(got[k]), len(blob))
						}
					}
				})
			}
		}
	}
}

func dropKey(_ []byte, p Point) Point { return p }

func globally(blob []byte) ([]byte, []byte) { return []byte("all"), blob }

func wordOf(k []byte, _ Point) ([]byte, string) { return []byte("all"), string(k) }

func TestPrismCombinesGlobally(t *testing.T) {
	fn := must(CCBF(ccbf.Params{Res: 0.5}))
	ptest.BuildAndRun(t, func(s beam.Scope) {
		points := beam.ParDo(s, dropKey, sources(s, t.Name(), 1)[0])
		collect(s, t.Name(), beam.ParDo(s, globally, CombineGlobally(s, fn, points)))
	})
	if want := builtOf(ccbf.Params{Res: 0.5}, testPoints()); !bytes.Equal(collected(t.Name())["all"], want) {
		t.Error("the bytes differ from those of the whole")
	}
}

func TestPrismCountsKeys(t *testing.T) {
	fn := must(Keys(cms.Family, cms.Params{}))
	truth := map[string]uint64{}
	for _, q := range testPoints() {
		truth[new(sourceFn).keyed(q)]++
	}
	ptest.BuildAndRun(t, func(s beam.Scope) {
		words := beam.ParDo(s, wordOf, sources(s, t.Name(), 1)[0])
		collect(s, t.Name(), CombinePerKey(s, fn, words))
	})
	sketch := must(cms.Decode(collected(t.Name())["all"]))
	for k, n := range truth {
		if got := sketch.CountKey([]byte(k)); got < n {
			t.Errorf("%s counts %d of %d", k, got, n)
		}
	}
}

func TestCollectionsThatAreRefused(t *testing.T) {
	_, s := beam.NewPipelineWithRoot()
	fn := must(CCBF(ccbf.Params{Res: 1}))
	words := beam.Create(s, "a")
	if _, err := TryCombinePerKey(s, fn, words); err == nil || !strings.Contains(err.Error(), "must be of KV") {
		t.Error(err)
	}
	if _, err := TryCombinePerKey(s, fn, beam.AddFixedKey(s, words)); err == nil || !strings.Contains(err.Error(), "not of string") {
		t.Error(err)
	}
}

// A point without a cell fails the pipeline with an error that names it.
func TestPrismFailsOnABadPoint(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	CombineGlobally(s, must(CCBF(ccbf.Params{Res: 1})), beam.Create(s, Point{1, 2}, Point{1e300, 2}))
	if err := ptest.Run(p); err == nil || !strings.Contains(err.Error(), "1e+300") {
		t.Error(err)
	}
}
