package keyed

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// This file is the answers of sketches of a known family to its most important
// question, for one key or for all of them.

// New makes an empty sketch.
func (f *Family[P, S, V]) New(p P) (S, error) { return f.spec.New(p) }

// Gather makes an empty sketch that is built at once.
func (f *Family[P, S, V]) Gather(p P) (S, error) { return f.gather(p) }

// Counts reports whether the first question is about keys, and not about all.
func (f *Family[P, S, V]) Counts() bool { return f.spec.Answers[0].Kind != OneOfAll }

// Count is the number of occurrences of a key, given by its bytes (package
// key), by the first question; 1 or 0 if that asks whether it is there. Only where Counts: otherwise 0.
func (f *Family[P, S, V]) Count(s S, b []byte) uint64 {
	h1, h2 := key.Hash(s.self().seed, b)
	switch a := &f.spec.Answers[0]; a.Kind {
	case HowOften:
		n := []uint64{0}
		a.counts(s, n, []uint64{h1}, []uint64{h2})
		return n[0]
	case Whether:
		is := []bool{false}
		a.finds(s, is, []uint64{h1}, []uint64{h2})
		return number(is[0])
	}
	return 0
}

// canCount is an error that wraps sketch.ErrUnsupported where the first question is not about keys.
func (f *Family[P, S, V]) canCount() error {
	if !f.Counts() {
		return fmt.Errorf("count a key in %s %s sketch: %w", f.Article, f.Name, sketch.ErrUnsupported)
	}
	return nil
}

// CountBlob is Count from a BLOB's memory. The error wraps sketch.ErrUnsupported where Counts is false.
func (f *Family[P, S, V]) CountBlob(blob, b []byte) (uint64, error) {
	if err := f.canCount(); err != nil {
		return 0, err
	}
	v, err := f.spec.View(blob)
	if err != nil {
		return 0, err
	}
	h1, h2 := key.Hash(any(&v).(baseHolder).self().seed, b)
	switch a := &f.spec.Answers[0]; a.Kind {
	case HowOften:
		n := []uint64{0}
		a.countsOfView(&v, n, []uint64{h1}, []uint64{h2})
		return n[0], nil
	case Whether:
		is := []bool{false}
		a.findsOfView(&v, is, []uint64{h1}, []uint64{h2})
		return number(is[0]), nil
	}
	return 0, nil
}

func number(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// Estimate is the first question's answer for all keys; NaN where Counts, as that is about one key.
func (f *Family[P, S, V]) Estimate(s S) float64 {
	if f.Counts() {
		return math.NaN()
	}
	return f.spec.Answers[0].number(s)
}

// EstimateBlob is Estimate from a BLOB's memory. The error wraps sketch.ErrUnsupported where Counts.
func (f *Family[P, S, V]) EstimateBlob(blob []byte) (float64, error) {
	if f.Counts() {
		return 0, fmt.Errorf("one number of all keys of %s %s sketch: %w", f.Article, f.Name, sketch.ErrUnsupported)
	}
	v, err := f.spec.View(blob)
	if err != nil {
		return 0, err
	}
	return f.spec.Answers[0].numberOfView(&v), nil
}

// LawsOf are what sketches of these parameters promise.
func (f *Family[P, S, V]) LawsOf(p P) sketch.Laws { return f.spec.Laws(p) }

// Later is a sketch that takes very many keys faster together than as they come. After
// Later, of a sketch without keys, it may keep them and be larger for that: then it may
// only be added to, united with others like it, copied, and finished. An error of Finish,
// that keys do not fit, may leave some of them in the sketch.
type Later interface {
	Later()
	// Finish is Blob.
	Finish() ([]byte, error)
}

// AppendBlob appends what Finish returns.
func AppendBlob(dst []byte, s Sketch) ([]byte, error) {
	if a, ok := s.(interface{ AppendBlob(dst []byte) []byte }); ok {
		return a.AppendBlob(dst), nil
	}
	blob, err := Finish(s)
	return append(dst, blob...), err
}

// Finish is the BLOB of a sketch, be it one that keeps keys or not.
func Finish(s Sketch) ([]byte, error) {
	if l, ok := s.(Later); ok {
		return l.Finish()
	}
	return s.Blob(), nil
}
