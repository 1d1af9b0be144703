package sketches

import (
	"errors"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[Accumulator](), encodeAccumulator, load)
}

// Accumulator is a sketch on its way through a pipeline, or none yet. Between workers it is
// the sketch's BLOB, or nothing.
type Accumulator struct{ builder }

// builder is a sketch in memory of whatever family.
type builder interface {
	add(input any) error
	// unite adds a sketch of the same family.
	unite(blob []byte) error
	bytes() ([]byte, error)
}

// load makes an accumulator of a BLOB, which it checks.
func load(blob []byte) (Accumulator, error) {
	if len(blob) == 0 {
		return Accumulator{}, nil
	}
	head, err := sketch.Parse(blob)
	if err != nil {
		return Accumulator{}, err
	}
	if head.Family == ccbf.Family.ID {
		b, err := loadPlaces(blob)
		return Accumulator{b}, err
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

// extract is the sketch as a BLOB.
func (a Accumulator) extract() ([]byte, error) {
	if a.builder == nil {
		return nil, errNothing
	}
	return a.bytes()
}
