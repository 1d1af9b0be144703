package sketches

import (
	"encoding/json"
	"errors"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[Accumulator](), encodeAccumulator, decodeAccumulator)
}

// Accumulator is a sketch on its way through a pipeline. Between workers it is
// the sketch's BLOB, or nothing if nothing was added.
type Accumulator struct{ *part }

// part is what an accumulator holds: at most one of the two.
type part struct {
	// blob is a sketch that came from elsewhere and was not changed since: the
	// only part of a key is never decoded.
	blob []byte
	b    builder
}

// builder is a sketch in memory of whatever family.
type builder interface {
	id() sketch.ID
	add(input any) error
	// merge adds another builder of the same family, which is left unchanged.
	merge(from builder) error
	// mergeBlob adds a BLOB of the same family.
	mergeBlob(blob []byte) error
	// fresh is a builder of the family that takes its parameters from the first
	// sketch that it is given.
	fresh() builder
	// empty reports whether nothing was added.
	empty() bool
	bytes() ([]byte, error)
}

// family is what accumulators need of a family.
type family struct {
	sketch.Family
	// maker reads parameters and returns what makes builders of them.
	maker func(params json.RawMessage) (func() builder, error)
	// open is a builder for sketches whose parameters are not known yet.
	open func() builder
}

var families = func() []family {
	all := []family{{ccbf.Family, ccbfMaker, func() builder { return &places{} }}}
	for _, f := range filters.Keyed() {
		all = append(all, family{
			f.About(),
			func(params json.RawMessage) (func() builder, error) { return keysMaker(f, params) },
			func() builder { return &keys{family: f} },
		})
	}
	return all
}()

// familyOf is the family that wrote a BLOB.
func familyOf(blob []byte) (*family, error) {
	b, err := sketch.Parse(blob)
	if err != nil {
		return nil, err
	}
	for i := range families {
		if families[i].ID == b.Family {
			return &families[i], nil
		}
	}
	return nil, sketch.Invalidf("family %v is not known here", b.Family)
}

// empty reports whether nothing was added.
func (p *part) empty() bool { return p.blob == nil && (p.b == nil || p.b.empty()) }

// open makes sure that there is a builder, of what the BLOB holds.
func (p *part) open() error {
	if p.blob == nil {
		return nil
	}
	f, err := familyOf(p.blob)
	if err != nil {
		return err
	}
	b := f.open()
	if err := b.mergeBlob(p.blob); err != nil {
		return err
	}
	p.blob, p.b = nil, b
	return nil
}

func (p *part) mergeBlob(blob []byte) error {
	if p.empty() {
		if _, err := familyOf(blob); err != nil {
			return err
		}
		p.blob, p.b = blob, nil
		return nil
	}
	if err := p.open(); err != nil {
		return err
	}
	return p.b.mergeBlob(blob)
}

// merge adds another part, which is left unchanged.
func (p *part) merge(from *part) error {
	switch {
	case from.empty():
		return nil
	case from.blob != nil:
		return p.mergeBlob(from.blob)
	case p.b == nil && p.blob == nil:
		p.b = from.b.fresh()
	}
	if err := p.open(); err != nil {
		return err
	}
	if p.b.id() != from.b.id() { // the error for two families
		blob, err := from.b.bytes()
		if err != nil {
			return err
		}
		return p.b.mergeBlob(blob)
	}
	return p.b.merge(from.b)
}

var errNothing = errors.New("no sketch was added")

// bytes is the part as a BLOB, checked where it came from elsewhere.
func (p *part) bytes() ([]byte, error) {
	if p.blob != nil {
		f, err := familyOf(p.blob)
		if err != nil {
			return nil, err
		}
		return p.blob, f.Check(p.blob)
	}
	if p.b == nil {
		return nil, errNothing
	}
	return p.b.bytes()
}

func encodeAccumulator(a Accumulator) ([]byte, error) {
	if a.part == nil || a.empty() {
		return nil, nil
	}
	if a.blob != nil { // whoever extracts it checks it
		return a.blob, nil
	}
	return a.bytes()
}

func decodeAccumulator(blob []byte) (Accumulator, error) {
	a := Accumulator{&part{}}
	if len(blob) == 0 {
		return a, nil
	}
	return a, a.mergeBlob(blob)
}
