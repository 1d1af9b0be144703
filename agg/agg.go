// Package agg has the aggregate functions: their parameters, and how the state of a group is
// updated, combined and encoded as a BLOB. docs/ARCHITECTURE.md follows a point through it.
// docs/MEMORY.md describes who owns the memory of a group.
package agg

import "github.com/ccbfsql/ccbfsql/internal/duck"

// functions is a list of SQL functions, which package ccbfsql registers and documents.
type functions = []duck.Function

// aggregate is the common part of all aggregates, whose groups have pages of type T. It combines and
// finalizes states (waiting.go).
type aggregate[T groupPage] struct {
	fresh func() T                               // makes an empty T.
	merge func(into, from T) error               // adds the sketch of from to that of into, which may have none.
	blob  func(t T, room []byte) ([]byte, error) // returns the BLOB of t, in the memory of room if it fits.
	cost  func(t T) int64                        // bytes that blob allocates; nil if blob charges them itself.

	// The other functions say what words mean that wait. An aggregate over sketches needs none of them.
	// Configurations are given by their numbers.

	// most returns how many words a state can have in its slot.
	most func(config uint32) int
	// sums reports whether the order of words does not matter, and a union is the sketch of all words.
	sums func(config uint32) bool
	// take adds words to the sketch of t. It makes the sketch if there is none.
	take func(t T, config uint32, words []uint64) error
	// unite unites the sketch of into with that of a state with words, and with a page unless from is
	// nil. unite is needed where sums returns false.
	unite func(into T, config uint32, words []uint64, from T) error
	// encoder returns a wordsEncoder for the results of a chunk.
	encoder func(out *duck.Result) wordsEncoder
}

// wordsEncoder encodes the sketch of words, in the memory of room if it fits.
type wordsEncoder = func(config uint32, words []uint64, room []byte) ([]byte, error)

// page returns the page of a state, which it makes if there is none.
func (a *aggregate[T]) page(s *duck.State) (t T, err error) {
	b, err := s.Page()
	if err != nil || b != nil {
		t, _ = b.(T)
		return t, err
	}
	t = a.fresh()
	return t, s.NewPage(&t.base().lease, t, pageBytes)
}

// blobAggregate is an aggregate over a column of sketches.
type blobAggregate[T groupPage] struct {
	aggregate[T]
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
