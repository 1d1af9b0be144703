// Package agg describes the aggregate functions: what each takes, and how a
// group's state is updated, combined and made into a BLOB. docs/ARCHITECTURE.md
// follows a point through it, docs/MEMORY.md says who owns a group's memory.
package agg

import (
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// functions are for package ccbfsql, which registers and describes them.
type functions = []duck.Function

// mergeAggregate is the part of an aggregate that all families share: groups whose
// states are pages of type T, merged and encoded the same way whatever they
// were made of. A group without rows is NULL.
type mergeAggregate[T any] struct {
	size  int64 // what an empty T takes
	fresh func(*duck.Lease) T
	merge func(into, from T) error
	blob  func(t T, dst []byte) ([]byte, error) // appends
	cost  func(t T) int64                       // bytes that blob takes beside t; nil where it asks for them itself
}

// of is the T of a state, made where there is none yet.
func (m *mergeAggregate[T]) of(s *duck.State) (T, error) {
	b, err := s.Page()
	if err != nil {
		var none T
		return none, err
	}
	if b != nil {
		return b.(T), nil
	}
	lease, err := s.NewPage(m.size)
	if err != nil {
		var none T
		return none, err
	}
	t := m.fresh(lease)
	lease.Set(t)
	return t, nil
}

func (m *mergeAggregate[T]) Combine(from, into duck.States) error {
	for i := range from.Len() {
		b, err := from.At(i).Page()
		if err != nil {
			return err
		}
		if b == nil {
			continue
		}
		t, err := m.of(into.At(i))
		if err != nil {
			return err
		}
		if err := m.merge(t, b.(T)); err != nil {
			return err
		}
	}
	return nil
}

func (m *mergeAggregate[T]) Finalize(states duck.States, out *duck.Result) error {
	var blob []byte
	for i := range out.Len() {
		b, err := states.At(i).Page()
		if err != nil {
			return err
		}
		if b == nil {
			out.SetNull(i)
			continue
		}
		cost := int64(0)
		if m.cost != nil {
			cost = m.cost(b.(T))
		}
		if err := out.Charge(cost); err != nil {
			return err
		}
		if blob, err = m.blob(b.(T), blob[:0]); err != nil {
			return err
		}
		out.SetBytes(i, blob)
		out.Discharge(cost)
	}
	return nil
}

// blobAggregate is an aggregate over one column of sketches.
type blobAggregate[T any] struct {
	mergeAggregate[T]
	add func(into T, blob []byte) error
}

func (a *blobAggregate[T]) Update(rows *duck.Rows, states duck.States) error {
	blobs := rows.Col(0)
	for i := range rows.Len() {
		if !blobs.Valid(i) {
			continue
		}
		t, err := a.of(states.At(i))
		if err != nil {
			return err
		}
		if err := a.add(t, blobs.Bytes(i)); err != nil {
			return err
		}
	}
	return nil
}

// overBlobs describes an aggregate that takes one column of sketches.
func overBlobs(name, group, summary, example string, a duck.Aggregator) duck.Function {
	return duck.Function{
		Name: name, Group: group, Summary: summary, Example: example,
		Overloads: []duck.Overload{{
			Params:    []duck.Param{{Name: "sketch", Type: duck.Blob}},
			Returns:   duck.Blob,
			Aggregate: a,
		}},
	}
}
