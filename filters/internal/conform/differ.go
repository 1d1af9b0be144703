package conform

import (
	"errors"
	"maps"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Made returns a sketch with parameters p. If they are not valid, the test fails.
func Made[P comparable, S keyed.Mergeable[S], V any](t testing.TB, f *keyed.Family[P, S, V], p P) S {
	t.Helper()
	s, err := f.New(p)
	must(t, err)
	return s
}

// Differing checks that sketches of base do not unite with sketches of other parameters. The error must
// name the difference and both values: "width 100 vs 101". Keys of another class do not unite either.
// more are operations of the family that must refuse them as well. Nothing changes.
func Differing[P comparable, S keyed.Mergeable[S], V any](
	t *testing.T, f *keyed.Family[P, S, V], base P, others map[string]func(p *P), more ...func(a, b S) error,
) {
	t.Helper()
	others = maps.Clone(others)
	others["class of keys BIGINT vs VARCHAR"] = func(*P) {}
	for want, change := range others {
		p := base
		change(&p)
		a, b := Made(t, f, base), Made(t, f, p)
		must(t, keyed.BaseOf(a).SetKeyClass(key.Int))
		if p == base {
			must(t, keyed.BaseOf(b).SetKeyClass(key.Text))
		}
		must(t, f.AddKey(a, key.AppendInt64(nil, 1), 1))
		before := a.Blob()
		errs := []error{a.Union(b), f.UnionBlob(a, b.Blob())}
		for _, op := range more {
			errs = append(errs, op(a, b))
		}
		for _, err := range errs {
			d, is := errors.AsType[*sketch.DifferError](err)
			if !is || d.Parameter+" "+d.Values != want || err.Error() != "sketches differ: "+want+"; build both with the same "+d.Parameter {
				t.Errorf("got %v, want sketches differ: %s; build both with the same parameter", err, want)
			}
		}
		same(t, want+": an error changes nothing", before, a.Blob())
	}
}
