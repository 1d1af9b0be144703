package sketches

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[Accumulator](), encodeAccumulator, load)
	beam.RegisterType(pointType)
	beam.RegisterType(pointsType)
}

// Accumulator is a sketch that a pipeline is building, or none yet. Between workers it is encoded
// as the sketch's BLOB, or as no bytes.
type Accumulator struct{ builder }

// builder is a sketch of any family that is being built in memory.
type builder interface {
	add(input any) error
	// unite adds a sketch of the same family.
	unite(blob []byte) error
	bytes() ([]byte, error)
}

// load returns an accumulator with the sketch of a BLOB, which it checks.
func load(blob []byte) (Accumulator, error) {
	if len(blob) == 0 {
		return Accumulator{}, nil
	}
	head, err := sketch.Parse(blob)
	if err != nil {
		return Accumulator{}, err
	}
	if head.Family == ccbf.Family.ID {
		v, err := ccbf.NewView(blob)
		if err != nil {
			return Accumulator{}, err
		}
		b := places{ccbf.NewBuilder(v.Config, nil)}
		return Accumulator{b}, b.AddView(&v)
	}
	for _, f := range filters.Keyed() {
		if f.About().ID == head.Family {
			s, err := f.Load(blob)
			return Accumulator{&keys{family: f, s: s}}, err
		}
	}
	return Accumulator{}, sketch.Invalidf("family %v is not known here", head.Family)
}

// unite adds a sketch, which is left unchanged.
func (a Accumulator) unite(blob []byte) (Accumulator, error) {
	if a.builder == nil {
		return load(blob)
	}
	return a, a.builder.unite(blob)
}

// merge adds b, which is left unchanged, to a.
func (a Accumulator) merge(b Accumulator) (Accumulator, error) {
	if b.builder == nil {
		return a, nil
	}
	blob, err := b.bytes()
	if err != nil {
		return a, err
	}
	return a.unite(blob)
}

func encodeAccumulator(a Accumulator) ([]byte, error) {
	if a.builder == nil {
		return nil, nil
	}
	return a.bytes()
}

var errNothing = errors.New("no sketch was added")

// extract returns the sketch as a BLOB.
func (a Accumulator) extract() ([]byte, error) {
	if a.builder == nil {
		return nil, errNothing
	}
	return a.bytes()
}

// Occurrences is a key and its number of occurrences. Class and Key are values of package key,
// which also has them for SQL types without a Go type.
type Occurrences struct {
	Class key.Class
	Key   []byte
	N     uint64
}

// occurrences returns the key of a Go value with one occurrence, or an Occurrences unchanged.
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

// checkClass returns an error for a class that sketches cannot have.
func checkClass(c key.Class) error {
	if c == key.None || !c.Known() {
		return fmt.Errorf("keys of class %d: give one of the classes of package key", uint64(c))
	}
	return nil
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

func (t *keys) unite(blob []byte) error { return t.family.UnionBlob(t.s, blob) }

func (t *keys) bytes() ([]byte, error) { return t.s.Blob(), nil }

// Point is a place: x is longitude or easting, y latitude or northing.
type Point struct{ X, Y float64 }

// Points are several points for one sketch: Beam's cost per element is then paid
// once for all of them. N and Category are empty or as long as X.
type Points struct {
	X, Y     []float64
	N        []uint64  // weight of each point; empty: 1
	Category [][]byte  // category of each point, encoded by package key; empty: none
	Class    key.Class // class of the categories
}

var (
	pointType  = reflect.TypeFor[Point]()
	pointsType = reflect.TypeFor[Points]()
)

// places builds a ccbf sketch.
type places struct{ *ccbf.Builder }

func (t places) add(input any) error {
	switch p := input.(type) {
	case Point:
		return t.addPoints(&Points{X: []float64{p.X}, Y: []float64{p.Y}})
	case Points:
		return t.addPoints(&p)
	}
	return fmt.Errorf("%T is neither sketches.Point nor sketches.Points", input)
}

func (t places) addPoints(p *Points) error {
	n := len(p.X)
	if len(p.Y) != n || len(p.N) != n && len(p.N) > 0 || len(p.Category) != n && len(p.Category) > 0 {
		return fmt.Errorf("points with %d x, %d y, %d weights and %d categories: the numbers must be equal", n, len(p.Y), len(p.N), len(p.Category))
	}
	if len(p.Category) > 0 {
		if err := checkClass(p.Class); err != nil {
			return err
		}
	}
	for i := range n {
		cell, err := t.Grid.Cell(p.X[i], p.Y[i])
		if err != nil {
			return err
		}
		count := uint64(1)
		if len(p.N) > 0 {
			count = p.N[i]
		}
		var category []byte
		class := key.None
		if len(p.Category) > 0 {
			category, class = append([]byte{}, p.Category[i]...), p.Class // empty text is a category
		}
		if err := t.Add(cell, category, class, count); err != nil {
			return err
		}
	}
	return nil
}

func (t places) unite(blob []byte) error {
	v, err := ccbf.NewView(blob)
	if err != nil {
		return err
	}
	return t.AddView(&v)
}

func (t places) bytes() ([]byte, error) {
	s, err := t.Sketch()
	if err != nil {
		return nil, err
	}
	return s.Blob(), nil
}
