package sketches

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// DoFns are registered by their types alone, without the callers that package
// register generates: those save a microsecond per element, which is a batch of
// points or a sketch, and take a minute to compile.
func init() {
	beam.RegisterDoFn(reflect.TypeFor[*shardFn]())
	beam.RegisterDoFn(reflect.TypeFor[*unshardFn]())
	register.Emitter2[[]byte, beam.Y]()
}

// Option is a way of combining.
type Option func(*options)

type options struct{ fanout int }

// HotKeyFanout spreads each key over n sketches before they become one, so that
// no worker merges all sketches of a hot key. The output is the same. Elements go by the
// hash of key and value, so equal elements of a key stay together.
func HotKeyFanout(n int) Option { return func(o *options) { o.fanout = n } }

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
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	if o.fanout <= 1 {
		return beam.TryCombinePerKey(s, fn, col)
	}
	k := beam.EncodedType{T: col.Type().Components()[0].Type()}
	v := beam.EncodedType{T: col.Type().Components()[1].Type()}
	sharded, err := beam.TryParDo(s, &shardFn{Key: k, Value: v, Shards: uint32(o.fanout)}, col)
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
