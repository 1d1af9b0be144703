// Package agg has the aggregate functions: their parameters, and how the state of a group is
// updated, combined and encoded as a BLOB. docs/ARCHITECTURE.md follows a point through it.
// docs/MEMORY.md describes who owns the memory of a group.
package agg

import (
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// functions is a list of SQL functions, which package ccbfsql registers and documents.
type functions = []duck.Function

// mergeAggregate is the common part of aggregates whose groups have a page of type T. It combines
// pages and encodes them. The result of a group without rows is NULL.
type mergeAggregate[T any] struct {
	size  int64                                 // bytes of an empty T.
	fresh func(*duck.Lease) T                   // makes an empty T.
	merge func(into, from T) error              // adds from to into.
	blob  func(t T, dst []byte) ([]byte, error) // appends the BLOB of t to dst.
	cost  func(t T) int64                       // bytes that blob allocates; nil if blob charges them itself.
}

// page returns the page of a state, which it makes if there is none.
func (m *mergeAggregate[T]) page(s *duck.State) (T, error) {
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
		t, err := m.page(into.At(i))
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

// blobAggregate is an aggregate over a column of sketches.
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
		t, err := a.page(states.At(i))
		if err != nil {
			return err
		}
		if err := a.add(t, blobs.Bytes(i)); err != nil {
			return err
		}
	}
	return nil
}

// overBlobs returns the description of an aggregate over a column of sketches.
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
