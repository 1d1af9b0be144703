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
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// DoFns are registered by their types alone, without the callers that package
// register generates: those save a microsecond per element, which is a batch of
// points or a sketch, and take a minute to compile.
func init() {
	register.Combiner3[Accumulator, beam.T, []byte](&Fn{})
	register.Combiner2[Accumulator, []byte](&UnionFn{})
	beam.RegisterDoFn(reflect.TypeFor[*shardFn]())
	beam.RegisterDoFn(reflect.TypeFor[*unshardFn]())
	register.Emitter2[[]byte, beam.Y]()
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

// prepare reads and checks the parameters, on the worker as well.
func (f *Fn) prepare() error {
	if f.fresh != nil {
		return nil
	}
	if f.Family == ccbf.Family.Name {
		var p ccbf.Params
		if err := json.Unmarshal(f.Params, &p); err != nil {
			return err
		}
		c, err := p.Config()
		f.fresh = func() (builder, error) { return places{ccbf.NewBuilder(c, nil)}, nil }
		return err
	}
	for _, family := range filters.Keyed() {
		if family.About().Name != f.Family {
			continue
		}
		params, err := family.ReadParams(f.Params)
		if err != nil {
			return err
		}
		f.fresh = func() (builder, error) {
			s, err := family.Make(params)
			return &keys{family: family, s: s}, err
		}
		_, err = family.Make(params)
		return err
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

// Option is a way of combining.
type Option struct{ fanout int }

// HotKeyFanout spreads each key over n sketches before they become one, so that
// no worker merges all sketches of a hot key. The output is the same. Elements go by the
// hash of key and value, so equal elements of a key stay together.
func HotKeyFanout(n int) Option { return Option{n} }

// CombinePerKey makes a sketch of the values of each key: it turns a
// PCollection<KV<K, V>> into a PCollection<KV<K, []byte>>. Like
// beam.CombinePerKey it panics on a collection that cannot be combined this way.
func CombinePerKey(s beam.Scope, fn *Fn, col beam.PCollection, opts ...Option) beam.PCollection {
	return beam.Must(TryCombinePerKey(s, fn, col, opts...))
}

// CombineGlobally makes one sketch of a PCollection<V>: a PCollection<[]byte>,
// empty where the input is. Like beam.Combine it panics on a collection that
// cannot be combined this way.
func CombineGlobally(s beam.Scope, fn *Fn, col beam.PCollection, opts ...Option) beam.PCollection {
	s = s.Scope("sketches.CombineGlobally")
	return beam.DropKey(s, CombinePerKey(s, fn, beam.AddFixedKey(s, col), opts...))
}

// UnionPerKey unites the sketches of each key: it turns a PCollection<KV<K,
// []byte>> into another one with one BLOB per key. It panics as CombinePerKey
// does.
func UnionPerKey(s beam.Scope, col beam.PCollection, opts ...Option) beam.PCollection {
	return beam.Must(tryCombine(s.Scope("sketches.UnionPerKey"), &UnionFn{}, col, opts))
}

// TryCombinePerKey is CombinePerKey with an error in place of a panic.
func TryCombinePerKey(s beam.Scope, fn *Fn, col beam.PCollection, opts ...Option) (beam.PCollection, error) {
	if !typex.IsKV(col.Type()) {
		return beam.PCollection{}, fmt.Errorf("%s: a collection of %v, must be of KV", fn.Family, col.Type())
	}
	if err := fn.takes(col.Type().Components()[1].Type()); err != nil {
		return beam.PCollection{}, err
	}
	return tryCombine(s.Scope("sketches."+fn.Family), fn, col, opts)
}

func tryCombine(s beam.Scope, fn any, col beam.PCollection, opts []Option) (beam.PCollection, error) {
	fanout := 0
	for _, o := range opts {
		fanout = o.fanout
	}
	if fanout <= 1 {
		return beam.TryCombinePerKey(s, fn, col)
	}
	k := beam.EncodedType{T: col.Type().Components()[0].Type()}
	v := beam.EncodedType{T: col.Type().Components()[1].Type()}
	sharded, err := beam.TryParDo(s, &shardFn{Key: k, Value: v, Shards: uint32(fanout)}, col)
	if err != nil {
		return beam.PCollection{}, err
	}
	parts, err := beam.TryCombinePerKey(s.Scope("parts"), fn, sharded[0])
	if err != nil {
		return beam.PCollection{}, err
	}
	blobs, err := beam.TryParDo(s, &unshardFn{Key: k}, parts, beam.TypeDefinition{Var: beam.XType, T: k.T})
	if err != nil {
		return beam.PCollection{}, err
	}
	return beam.TryCombinePerKey(s.Scope("whole"), &UnionFn{}, blobs[0])
}

// shardBytes is the length of a shard's number in front of a key's bytes.
const shardBytes = 4

// shardFn puts a shard in front of each key, by the hash of key and value. A stage that a
// runner repeats then has the same elements in each shard, in whatever order it reads them.
type shardFn struct {
	Key, Value beam.EncodedType
	Shards     uint32

	keys, values beam.ElementEncoder
}

// Setup makes the encoders.
func (f *shardFn) Setup() {
	f.keys, f.values = beam.NewElementEncoder(f.Key.T), beam.NewElementEncoder(f.Value.T)
}

// ProcessElement moves an element to its shard.
func (f *shardFn) ProcessElement(k beam.X, v beam.Y, emit func([]byte, beam.Y)) error {
	buf := bytes.NewBuffer(make([]byte, shardBytes))
	if err := f.keys.Encode(k, buf); err != nil {
		return err
	}
	h := fnv.New32a()
	_, _ = h.Write(buf.Bytes())
	if err := f.values.Encode(v, h); err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(buf.Bytes(), h.Sum32()%f.Shards)
	emit(buf.Bytes(), v)
	return nil
}

// unshardFn takes the shard away again.
type unshardFn struct {
	Key beam.EncodedType

	dec beam.ElementDecoder
}

// Setup makes the decoder of keys.
func (f *unshardFn) Setup() { f.dec = beam.NewElementDecoder(f.Key.T) }

// ProcessElement gives a part of a sketch its own key back.
func (f *unshardFn) ProcessElement(k, blob []byte) (beam.X, []byte, error) {
	key, err := f.dec.Decode(bytes.NewReader(k[shardBytes:]))
	return key, blob, err
}
