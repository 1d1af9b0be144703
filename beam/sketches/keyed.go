package sketches

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Occurrences is a key and how often it occurred. Class and Key are those of
// package key, which has them for types of SQL that Go does not have.
type Occurrences struct {
	Class key.Class
	Key   []byte
	N     uint64
}

// appendKey appends the key that a value is in SQL.
func appendKey(dst []byte, v any) ([]byte, key.Class, error) {
	switch v := v.(type) {
	case string:
		return append(dst, v...), key.Text, nil
	case []byte:
		return append(dst, v...), key.Blob, nil
	case bool:
		return key.AppendBool(dst, v), key.Bool, nil
	case Occurrences:
		return append(dst, v.Key...), v.Class, nil
	}
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return key.AppendInt64(dst, r.Int()), key.Int, nil
	case r.CanUint():
		return key.AppendUint64(dst, r.Uint()), key.Int, nil
	case r.CanFloat():
		return key.AppendFloat64(dst, r.Float()), key.Float, nil
	}
	return dst, key.None, fmt.Errorf("a %T cannot be a key: give it as sketches.Occurrences", v)
}

// checkClass returns an error for what no sketch can say of its keys.
func checkClass(c key.Class) error {
	if c == key.None || !c.Known() {
		return fmt.Errorf("keys of class %d: give one of the classes of package key", uint8(c))
	}
	return nil
}

// keyedSketch is what accumulators need of a family's sketch in memory.
type keyedSketch[S any] interface {
	comparable
	Seed() uint64
	KeyClass() key.Class
	SetKeyClass(key.Class) error
	Union(S) error
	UnionBlob([]byte) error
	Blob() []byte
}

// keyed describes a family whose Params are P and whose Sketch is S.
type keyed[P any, S keyedSketch[S]] struct {
	new       func(P) (S, error)
	decode    func(blob []byte) (S, error)
	addHashes func(s S, h1s, h2s, ns []uint64) error
}

// unfailing is the addHashes of a sketch that always has room.
func unfailing[S any](add func(s S, h1s, h2s, ns []uint64)) func(s S, h1s, h2s, ns []uint64) error {
	return func(s S, h1s, h2s, ns []uint64) error {
		add(s, h1s, h2s, ns)
		return nil
	}
}

func keyedFamily[P any, S keyedSketch[S]](f sketch.Family, k *keyed[P, S]) family {
	return family{f.ID, f.Check, k.maker, func() builder { return &keys[P, S]{k: k} }}
}

// maker checks the parameters by making a sketch of them.
func (k *keyed[P, S]) maker(params json.RawMessage) (func() builder, error) {
	var p P
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	if _, err := k.new(p); err != nil {
		return nil, err
	}
	return func() builder { return &keys[P, S]{k: k, params: &p} }, nil
}

// keys builds a sketch of keys.
type keys[P any, S keyedSketch[S]] struct {
	k      *keyed[P, S]
	params *P // nil where the first sketch says them
	s      S
	buf    []byte
	h1, h2 [1]uint64
	n      [1]uint64
}

func (t *keys[P, S]) none() bool {
	var none S
	return t.s == none
}

func (t *keys[P, S]) fresh() builder { return &keys[P, S]{k: t.k} }

func (t *keys[P, S]) empty() bool { return t.none() }

func (t *keys[P, S]) add(input any) (err error) {
	var class key.Class
	if t.buf, class, err = appendKey(t.buf[:0], input); err != nil {
		return err
	}
	if err := checkClass(class); err != nil {
		return err
	}
	t.n[0] = 1
	if o, ok := input.(Occurrences); ok {
		t.n[0] = o.N
	}
	if t.none() {
		if t.s, err = t.k.new(*t.params); err != nil {
			return err
		}
	}
	if err := t.s.SetKeyClass(class); err != nil {
		return err
	}
	// A sketch that answers for ranges of keys needs the keys themselves.
	if v, ok := any(t.s).(interface {
		ByValue() bool
		AddKey(b []byte, n uint64) error
	}); ok && v.ByValue() {
		return v.AddKey(t.buf, t.n[0])
	}
	t.h1[0], t.h2[0] = key.Hash(t.s.Seed(), t.buf)
	return t.k.addHashes(t.s, t.h1[:], t.h2[:], t.n[:])
}

func (t *keys[P, S]) merge(from builder) error {
	f := from.(*keys[P, S])
	if !t.none() {
		return t.s.Union(f.s)
	}
	// A sketch may know more, while it is built, than its BLOB says.
	if c, ok := any(f.s).(interface{ Clone() S }); ok {
		t.s = c.Clone()
		return nil
	}
	return t.mergeBlob(f.s.Blob())
}

func (t *keys[P, S]) mergeBlob(blob []byte) (err error) {
	if !t.none() {
		return t.s.UnionBlob(blob)
	}
	t.s, err = t.k.decode(blob)
	return err
}

func (t *keys[P, S]) bytes() ([]byte, error) {
	if t.none() {
		var err error
		if t.s, err = t.k.new(*t.params); err != nil {
			return nil, err
		}
	}
	return t.s.Blob(), nil
}
