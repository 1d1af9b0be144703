package sketches

import (
	"encoding/json"
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Occurrences is a key and its number of occurrences. Class and Key are those
// of package key, which also has them for SQL types that Go does not have.
type Occurrences struct {
	Class key.Class
	Key   []byte
	N     uint64
}

// appendKey appends the key that a value is in SQL.
func appendKey(dst []byte, v any) ([]byte, key.Class, error) {
	if o, ok := v.(Occurrences); ok {
		return append(dst, o.Key...), o.Class, nil
	}
	b, class, err := key.Append(dst, v)
	if err != nil {
		return dst, key.None, fmt.Errorf("a %T cannot be a key: give it as sketches.Occurrences", v)
	}
	return b, class, nil
}

// checkClass returns an error for what no sketch can say of its keys.
func checkClass(c key.Class) error {
	if c == key.None || !c.Known() {
		return fmt.Errorf("keys of class %d: give one of the classes of package key", uint64(c))
	}
	return nil
}

// keysMaker checks the parameters by making a sketch of them.
func keysMaker(f keyed.Any, text json.RawMessage) (func() builder, error) {
	params, err := f.ReadParams(text)
	if err != nil {
		return nil, err
	}
	if _, err := f.Make(params); err != nil {
		return nil, err
	}
	return func() builder { return &keys{family: f, params: params} }, nil
}

// keys builds a sketch of keys.
type keys struct {
	family keyed.Any
	params any          // of the family; nil where the first sketch says them
	s      keyed.Sketch // nil where nothing was added
	buf    []byte
}

func (t *keys) id() sketch.ID { return t.family.About().ID }

func (t *keys) fresh() builder { return &keys{family: t.family} }

func (t *keys) empty() bool { return t.s == nil }

// make makes the sketch where there is none.
func (t *keys) make() (err error) {
	if t.s == nil {
		t.s, err = t.family.Make(t.params)
	}
	return err
}

func (t *keys) add(input any) (err error) {
	var class key.Class
	if t.buf, class, err = appendKey(t.buf[:0], input); err != nil {
		return err
	}
	if err := checkClass(class); err != nil {
		return err
	}
	n := uint64(1)
	if o, ok := input.(Occurrences); ok {
		n = o.N
	}
	if err := t.make(); err != nil {
		return err
	}
	if err := keyed.BaseOf(t.s).SetKeyClass(class); err != nil {
		return err
	}
	return t.family.AddKey(t.s, t.buf, n)
}

func (t *keys) merge(from builder) (err error) {
	f := from.(*keys)
	if t.s != nil {
		return t.family.Unite(t.s, f.s)
	}
	t.s, err = t.family.Clone(f.s)
	return err
}

func (t *keys) mergeBlob(blob []byte) (err error) {
	if t.s != nil {
		return t.family.UniteBlob(t.s, blob)
	}
	t.s, err = t.family.Load(blob)
	return err
}

func (t *keys) bytes() ([]byte, error) {
	if err := t.make(); err != nil {
		return nil, err
	}
	return t.s.Blob(), nil
}
