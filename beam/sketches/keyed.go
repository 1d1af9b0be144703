package sketches

import (
	"encoding/json"
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// Occurrences is a key and its number of occurrences. Class and Key are those
// of package key, which also has them for SQL types that Go does not have.
type Occurrences struct {
	Class key.Class
	Key   []byte
	N     uint64
}

// occurrences are those of a value: one of the key that it is in SQL, or what it says.
func occurrences(v any) (Occurrences, error) {
	o, ok := v.(Occurrences)
	if ok {
		return o, nil
	}
	b, class, err := key.Append(nil, v)
	if err != nil {
		return o, fmt.Errorf("a %T cannot be a key: give it as sketches.Occurrences", v)
	}
	return Occurrences{class, b, 1}, nil
}

// checkClass returns an error for what no sketch can say of its keys.
func checkClass(c key.Class) error {
	if c == key.None || !c.Known() {
		return fmt.Errorf("keys of class %d: give one of the classes of package key", uint64(c))
	}
	return nil
}

// keysMaker returns what makes builders of parameters.
func keysMaker(f keyed.Any, text json.RawMessage) (func() (builder, error), error) {
	params, err := f.ReadParams(text)
	return func() (builder, error) {
		s, err := f.Make(params)
		return &keys{family: f, s: s}, err
	}, err
}

// keys builds a sketch of keys.
type keys struct {
	family keyed.Any
	s      keyed.Sketch
}

func (t *keys) add(input any) error {
	o, err := occurrences(input)
	if err != nil {
		return err
	}
	if err := checkClass(o.Class); err != nil {
		return err
	}
	if err := keyed.BaseOf(t.s).SetKeyClass(o.Class); err != nil {
		return err
	}
	return t.family.AddKey(t.s, o.Key, o.N)
}

func (t *keys) unite(blob []byte) error { return t.family.UniteBlob(t.s, blob) }

func (t *keys) bytes() ([]byte, error) { return t.s.Blob(), nil }
