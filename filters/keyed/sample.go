package keyed

import (
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Sample describes a small sketch of one form of a family. It has Rows keys, integers: row % Keys for
// each row from 0.
type Sample struct {
	Form       string
	Options    string // what SQL writes for Params, without braces: "bits: 64, k: 3"
	Params     any    // the family's Params
	Rows, Keys uint64
	Change     func(s Sketch) error // what to do after the rows were added; may be nil
	// Words is the description of the sketch, as in sketch.Sample.
	Words string
}

// Forms implements Any.
func (f *Family[P, S, V]) Forms() []Sample { return slices.Clip(f.spec.Samples) }

// samples builds all Samples of the family, and returns their BLOBs.
func (f *Family[P, S, V]) samples() ([]sketch.Sample, error) {
	var out []sketch.Sample
	for _, sample := range f.spec.Samples {
		blob, err := f.sample(sample)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", f.Name, sample.Form, err)
		}
		out = append(out, sketch.Sample{Name: sample.Form, Blob: blob, Words: sample.Words, Fills: f.Laws(sample.Params).Fills})
	}
	return out, nil
}

// sample builds the sketch of a Sample, and returns its BLOB.
func (f *Family[P, S, V]) sample(sample Sample) ([]byte, error) {
	s, err := f.Make(sample.Params)
	if err != nil {
		return nil, err
	}
	if err := s.self().SetKeyClass(key.Int); err != nil {
		return nil, err
	}
	for row := range sample.Rows {
		if err := f.AddKey(s, key.AppendUint64(nil, row%sample.Keys), 1); err != nil {
			return nil, err
		}
	}
	if sample.Change != nil {
		if err := sample.Change(s); err != nil {
			return nil, err
		}
	}
	return s.Blob(), nil
}
