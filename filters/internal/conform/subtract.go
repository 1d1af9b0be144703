package conform

import (
	"errors"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// subtract compares the sketch of a and b, less that of b, with a. No count is below the truth of a. If
// removals restore the state before, it is the sketch of a, to the byte. Subtracting a sketch that is
// not part is an error and changes nothing.
func subtract(t testing.TB, f Family) {
	if _, ok := f.New().(Subtracter); !ok {
		t.Skip("nothing to subtract")
	}
	take := func(s Subject, part []byte) error {
		t.Helper()
		keep := append([]byte(nil), part...)
		err := s.(Subtracter).SubtractBlob(part)
		same(t, "what is subtracted", keep, part)
		return err
	}
	refused := func(what string, s Subject, part []byte, why ...error) {
		t.Helper()
		before := s.Blob()
		if err := take(s, part); !slices.ContainsFunc(why, func(why error) bool { return errors.Is(err, why) }) {
			t.Fatalf("subtracting %s: the error %v does not wrap %v", what, err, why)
		}
		same(t, "refusing "+what, before, s.Blob())
	}
	src := f.source(6, f.keys())
	for _, size := range []int{0, 3, 300, f.fewer(3000)} {
		a, b := src.ops(size), src.ops(size/2)
		whole := f.add(t, f.add(t, f.New(), a), b)
		part := f.add(t, f.New(), b).Blob()
		if !f.Laws.Deletable {
			refused("from a family without deletion", whole, part, f.notDeletable())
			continue
		}
		// The keys of b may also be added between those of a.
		if f.Laws.OrderFree {
			whole = f.add(t, f.add(t, f.add(t, f.New(), a[:size/2]), b), a[size/2:])
		}
		must(t, take(whole, part))
		must(t, f.Check(whole.Blob()))
		if f.Laws.Restores && !f.BlobsApart {
			same(t, "a and b less b, and a", f.add(t, f.New(), a).Blob(), whole.Blob())
		}
		f.checkCounts(t, "after subtracting", whole, counted(a))
		// The results are ordinary sketches: later keys count, and the rest can be subtracted too.
		f.add(t, whole, b)
		f.checkCounts(t, "after subtracting and adding", whole, counted(a, b))
		blob := whole.Blob()
		must(t, take(whole, blob))
		must(t, f.Check(whole.Blob()))

		more := f.add(t, f.New(), append(b, op{1 << 50, 1})).Blob()
		refused("one more than there is", f.add(t, f.New(), b), more, sketch.ErrTooMany)
		other := f.add(t, f.New(), []op{{1 << 51, 1}}).Blob()
		refused("another key than there is", f.add(t, f.New(), []op{{1 << 50, 1}}), other, sketch.ErrTooMany)
	}
}
