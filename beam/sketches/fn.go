// Package sketches builds the project's sketches in Apache Beam: a CombineFn for
// each family, whose accumulators travel as the BLOBs that DuckDB reads and
// whose output is such a BLOB.
//
//	fn, err := sketches.CCBF(ccbf.Params{Res: 0.001})
//	blobs := sketches.CombinePerKey(s, fn, points) // PCollection<KV<K, []byte>>
//
// A sketch of the exact form, and one in mode 'standard', has the bytes that
// ccbf_agg gives for the same points, whatever the bundles were.
//
// Prism lifts these combiners, and Dataflow says that it does: each worker sketches what
// it reads, and sketches are shuffled, not points. The portable runners for Flink and
// Spark do not lift combiners of Beam's Go SDK (apache/beam 18584 and 18586): they
// shuffle points, and Flink joins all values of a key in memory (18848). Make sketches
// of what a worker reads in a DoFn there, and unite them by UnionPerKey.
package sketches

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func init() {
	register.Combiner3[Accumulator, beam.T, []byte](&Fn{})
	register.Combiner2[Accumulator, []byte](&UnionFn{})
}

// Fn is the CombineFn of one family and its parameters. Make one with CCBF or
// Keys, which check the parameters; the fields are there for Beam to send it to
// workers.
type Fn struct {
	Family string          // prefix in SQL
	Params json.RawMessage // Params of the family's package

	fresh func() (builder, error)
}

// newFn makes a Fn of parameters that a family accepts.
func newFn[P any](id sketch.ID, p P) (*Fn, error) {
	params, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	f := &Fn{Family: id.String(), Params: params}
	return f, f.prepare()
}

// CCBF counts points in the cells of a grid. It takes Point or Points. Errors
// are those of ccbf.Params.Config.
func CCBF(p ccbf.Params) (*Fn, error) { return newFn(ccbf.Family.ID, p) }

// Keys makes sketches of keys, of a family such as cms.Family. It takes Go's
// numbers, strings, []byte and bool, which are the same keys as in SQL, or
// Occurrences. Errors are those of New of the family's package.
//
//	fn, err := sketches.Keys(cms.Family, cms.Params{Epsilon: 0.0001})
func Keys[P comparable, S keyed.Mergeable[S], V any](f *keyed.Family[P, S, V], p P) (*Fn, error) {
	return newFn(f.ID, p)
}

// prepare reads the parameters, on the worker as well, and checks them by making a sketch.
func (f *Fn) prepare() (err error) {
	if f.fresh != nil {
		return nil
	}
	if f.Family == ccbf.Family.Name {
		f.fresh, err = placesMaker(f.Params)
		return err
	}
	for _, family := range filters.Keyed() {
		if family.About().Name == f.Family {
			if f.fresh, err = keysMaker(family, f.Params); err == nil {
				_, err = f.fresh()
			}
			return err
		}
	}
	return fmt.Errorf("no family of sketches has the name %q", f.Family)
}

// takes returns an error where a type is none that sketches are made of.
func (f *Fn) takes(t reflect.Type) error {
	if f.Family == ccbf.Family.Name {
		if t == pointType || t == pointsType {
			return nil
		}
		return fmt.Errorf("%s sketches are made of sketches.Point or sketches.Points, not of %v", f.Family, t)
	}
	if _, err := occurrences(reflect.Zero(t).Interface()); err != nil {
		return fmt.Errorf("%s: %w", f.Family, err)
	}
	return nil
}

// CreateAccumulator is an accumulator without points or keys.
func (f *Fn) CreateAccumulator() (Accumulator, error) {
	if err := f.prepare(); err != nil {
		return Accumulator{}, err
	}
	b, err := f.fresh()
	return Accumulator{b}, err
}

// AddInput counts a point, points, or a key.
func (f *Fn) AddInput(a Accumulator, input beam.T) (Accumulator, error) { return a, a.add(input) }

// MergeAccumulators adds b, which is left unchanged, to a.
func (f *Fn) MergeAccumulators(a, b Accumulator) (Accumulator, error) { return a.merge(b) }

// ExtractOutput is the sketch as a BLOB.
func (f *Fn) ExtractOutput(a Accumulator) ([]byte, error) { return a.extract() }

// UnionFn is the CombineFn that unites sketches of any family. If parameters
// differ, the bundle fails with an error that names both values. It takes BLOBs
// and returns one.
type UnionFn struct{}

// CreateAccumulator is an accumulator without a sketch.
func (*UnionFn) CreateAccumulator() Accumulator { return Accumulator{} }

// AddInput adds a sketch, which is left unchanged.
func (*UnionFn) AddInput(a Accumulator, blob []byte) (Accumulator, error) { return a.unite(blob) }

// MergeAccumulators adds b, which is left unchanged, to a.
func (*UnionFn) MergeAccumulators(a, b Accumulator) (Accumulator, error) { return a.merge(b) }

// ExtractOutput is the union as a BLOB.
func (*UnionFn) ExtractOutput(a Accumulator) ([]byte, error) { return a.extract() }
