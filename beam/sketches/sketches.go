// Package sketches builds the project's sketches in Apache Beam. Each family has a CombineFn. Its
// accumulators are encoded as the BLOBs that DuckDB reads, and its output is such a BLOB.
//
//	fn, err := sketches.CCBF(ccbf.Params{Res: 0.001})
//	blobs := sketches.CombinePerKey(s, fn, points) // PCollection<KV<K, []byte>>
//
// An exact sketch (a sorted list of cells) has the bytes that ccbf_agg returns for the same points,
// for any division into bundles. So has a sketch in mode 'standard'.
//
// Prism lifts these combiners, and so does Dataflow according to its documentation: each worker
// sketches its input, and sends sketches instead of points. The portable runners for Flink and
// Spark do not lift combiners of Beam's Go SDK (apache/beam 18584 and 18586). They send points, and
// Flink joins all values of a key in memory (18848). For these runners, build sketches in a DoFn
// and unite them with UnionPerKey.
package sketches

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
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

// DoFns are registered by their types, without the callers that package register generates. These
// would save a microsecond per element, which is a batch of points or a sketch, and take a minute
// to compile.
func init() {
	register.Combiner3[Accumulator, beam.T, []byte](&Fn{})
	register.Combiner2[Accumulator, []byte](&UnionFn{})
	beam.RegisterDoFn(reflect.TypeFor[*shardFn]())
	beam.RegisterDoFn(reflect.TypeFor[*unshardFn]())
	register.Emitter2[[]byte, beam.Y]()
}

// Fn is the CombineFn that builds sketches of one family with parameters. The functions CCBF and Keys
// check the parameters and return a Fn. Its fields are exported so that Beam can send them to workers.
type Fn struct {
	Family string          // prefix of the family's SQL functions, such as bloom
	Params json.RawMessage // the type Params of the family's package, as JSON

	fresh func() (builder, error)
}

// newFn returns a Fn with checked parameters.
func newFn[P any](id sketch.ID, p P) (*Fn, error) {
	params, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	f := &Fn{Family: id.String(), Params: params}
	return f, f.prepare()
}

// CCBF returns a Fn that counts points in the cells of a grid. Inputs are Point or Points. It returns
// the errors of ccbf.Params.Config. AtLeast is an error.
func CCBF(p ccbf.Params) (*Fn, error) { return newFn(ccbf.Family.ID, p) }

// Keys returns a Fn for a family of keys such as cms.Family. Inputs are Occurrences, or numbers,
// strings, []byte and bool. These are the same keys as in SQL. It returns the errors of the function New
// in the family's package.
//
//	fn, err := sketches.Keys(cms.Family, cms.Params{Epsilon: 0.0001})
func Keys[P comparable, S keyed.Mergeable[S], V any](f *keyed.Family[P, S, V], p P) (*Fn, error) {
	return newFn(f.ID, p)
}

// prepare decodes and checks the parameters, also on workers.
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
		if c.AtLeast > 0 {
			return errors.New("AtLeast would suppress parts of a sketch: call Suppress of the whole")
		}
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

// takes returns an error if values of a type cannot be counted.
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

// CreateAccumulator returns an accumulator without points or keys.
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

// ExtractOutput returns the sketch as a BLOB.
func (f *Fn) ExtractOutput(a Accumulator) ([]byte, error) { return a.extract() }

// UnionFn is the CombineFn that unites sketches of any family, from BLOBs to one BLOB. If
// parameters differ, the bundle fails with an error that names both values.
type UnionFn struct{}

// CreateAccumulator returns an accumulator without a sketch.
func (*UnionFn) CreateAccumulator() Accumulator { return Accumulator{} }

// AddInput adds a sketch, which stays unchanged.
func (*UnionFn) AddInput(a Accumulator, blob []byte) (Accumulator, error) { return a.unite(blob) }

// MergeAccumulators adds b, which is left unchanged, to a.
func (*UnionFn) MergeAccumulators(a, b Accumulator) (Accumulator, error) { return a.merge(b) }

// ExtractOutput returns the union as a BLOB.
func (*UnionFn) ExtractOutput(a Accumulator) ([]byte, error) { return a.extract() }

// Option changes how values are combined.
type Option struct{ fanout int }

// HotKeyFanout first builds n sketches per key and then unites them, so that no worker merges all
// sketches of a frequent key. The output is the same. The hash of key and value selects the sketch,
// so equal elements of a key stay together.
func HotKeyFanout(n int) Option { return Option{n} }

// CombinePerKey builds a sketch of the values of each key: PCollection<KV<K, V>> becomes
// PCollection<KV<K, []byte>>. Like beam.CombinePerKey it panics on a collection that cannot be
// combined this way.
func CombinePerKey(s beam.Scope, fn *Fn, col beam.PCollection, opts ...Option) beam.PCollection {
	return beam.Must(TryCombinePerKey(s, fn, col, opts...))
}

// CombineGlobally builds one sketch of a PCollection<V>: a PCollection<[]byte>, empty if the input
// is. Like beam.Combine it panics on a collection that cannot be combined this way.
func CombineGlobally(s beam.Scope, fn *Fn, col beam.PCollection, opts ...Option) beam.PCollection {
	s = s.Scope("sketches.CombineGlobally")
	return beam.DropKey(s, CombinePerKey(s, fn, beam.AddFixedKey(s, col), opts...))
}

// UnionPerKey unites the sketches of each key: PCollection<KV<K, []byte>> keeps its type, with one
// BLOB per key. It panics as CombinePerKey does.
func UnionPerKey(s beam.Scope, col beam.PCollection, opts ...Option) beam.PCollection {
	return beam.Must(tryCombine(s.Scope("sketches.UnionPerKey"), &UnionFn{}, col, opts))
}

// TryCombinePerKey is CombinePerKey, but returns an error instead of a panic.
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

// shardBytes is the length of a shard's number before a key's bytes.
const shardBytes = 4

// shardFn puts a shard's number before each key, from the hash of key and value. So a repeated
// stage has the same elements in each shard, whatever the order in which it reads them.
type shardFn struct {
	Key, Value beam.EncodedType
	Shards     uint32

	keys, values beam.ElementEncoder
}

// Setup creates the encoders.
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

// unshardFn removes the shard's number.
type unshardFn struct {
	Key beam.EncodedType

	dec beam.ElementDecoder
}

// Setup creates the decoder of keys.
func (f *unshardFn) Setup() { f.dec = beam.NewElementDecoder(f.Key.T) }

// ProcessElement restores the key of a partial sketch.
func (f *unshardFn) ProcessElement(k, blob []byte) (beam.X, []byte, error) {
	key, err := f.dec.Decode(bytes.NewReader(k[shardBytes:]))
	return key, blob, err
}
