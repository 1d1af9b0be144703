package agg

import (
	"bytes"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// sketchOf is a sketch of points in some columns of cells.
func sketchOf(t *testing.T, p ccbf.Params, columns ...int64) []byte {
	t.Helper()
	c, err := p.Config()
	if err != nil {
		t.Fatal(err)
	}
	b := ccbf.NewBuilder(c, nil)
	for _, x := range columns {
		for y := range int64(50) {
			if err := b.Add(grid.Cell{X: x, Y: y}, nil, 0, uint64(1+x*y%7)); err != nil {
				t.Fatal(err)
			}
		}
	}
	blob, err := b.AppendBlob(nil)
	if err != nil {
		t.Fatal(err)
	}
	return blob
}

// underLimit gives the process another budget until the test ends.
func underLimit(t *testing.T, bytes int64) {
	t.Helper()
	before := duck.MemoryLimit()
	t.Cleanup(func() {
		if err := duck.SetMemoryLimit(before); err != nil {
			t.Error(err)
		}
	})
	if err := duck.SetMemoryLimit(bytes); err != nil {
		t.Fatal(err)
	}
}

// What is united a second time is kept, as bytes of its own; of several the one whose use is
// longest ago goes first, where there are too many or they take too much of the budget.
func TestUnionsAreKept(t *testing.T) {
	var u keptUnions
	defer u.giveUp()
	before := duck.MemoryKept()
	blob := sketchOf(t, ccbf.Params{Res: 1}, 1, 2)
	each := (&keptUnion{blob: blob}).bytes()
	kept := func(names ...uint64) {
		t.Helper()
		for i := range uint64(100) {
			if is := u.find(unionName{hash: i}) != nil; is != slices.Contains(names, i) {
				t.Errorf("union %d is kept: %v", i, is)
			}
		}
		if n := int64(len(names)) * each; u.bytes != n || duck.MemoryKept()-before != n {
			t.Errorf("%d unions take %d bytes, and %d are counted", len(names), u.bytes, duck.MemoryKept()-before)
		}
	}
	twice := func(name uint64) {
		u.keep(unionName{hash: name}, blob)
		u.keep(unionName{hash: name}, blob)
	}
	underLimit(t, 3*each*unionParts)
	u.keep(unionName{hash: 1}, blob)
	u.keep(unionName{hash: 2}, blob)
	kept()
	u.keep(unionName{hash: 1}, blob)
	kept(1)
	u.keep(unionName{hash: 1}, blob)
	kept(1)
	if k := u.find(unionName{hash: 1}); !bytes.Equal(k.blob, blob) || &k.blob[0] == &blob[0] {
		t.Error("a union is kept as other bytes, or in memory of its maker")
	}
	for _, other := range []unionName{{hash: 1, sketches: 1}, {hash: 1, bytes: 1}} {
		if u.find(other) != nil {
			t.Errorf("%+v is taken for another one", other)
		}
	}
	twice(3)
	twice(2)
	kept(1, 2, 3)
	u.find(unionName{hash: 2})
	u.find(unionName{hash: 1})
	twice(4)
	kept(1, 2, 4)

	if n := u.giveUp(); n != 3*each {
		t.Errorf("%d bytes were given up, and not %d", n, 3*each)
	}
	kept()
	u.keep(unionName{hash: 4}, blob)
	kept(4) // it was made before
	u.giveUp()

	underLimit(t, each*unionParts-1) // too little for one
	twice(5)
	kept()
	underLimit(t, 1<<30)
	for _, p := range []ccbf.Params{{Res: 1, Dense: true}, {Res: 1, Bytes: 400}} { // counters, and a tree
		other := sketchOf(t, p, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89)
		if isExact(other) || nameUnion([][]byte{other, blob}) != (unionName{}) {
			t.Fatal("this one is exact, or its unions could be")
		}
		u.keep(unionName{hash: 6}, other)
		u.keep(unionName{hash: 6}, other)
	}
	kept()
	for name := range uint64(mostUnions + 2) {
		twice(name)
	}
	kept(slices.Collect(func(yield func(uint64) bool) {
		for name := uint64(2); name < mostUnions+2 && yield(name); name++ {
		}
	})...)

	// So many other unions are made in between that it is forgotten.
	u.giveUp()
	for name := range uint64(mostUnions + 1) {
		u.keep(unionName{hash: 1000 + name}, blob)
	}
	u.keep(unionName{hash: 1000}, blob)
	if len(u.kept) != 0 {
		t.Error("a union is kept that was made long ago")
	}
}

// Whether a page is empty, is a kept union or has sketches: what it is merged with, or what is
// added to it, is what one page has to which all sketches were added, and what it was
// merged from is left as it was.
func TestPagesOfKeptUnions(t *testing.T) {
	unions.giveUp()
	p := ccbf.Params{Res: 1}
	left, right := [][]byte{sketchOf(t, p, 1, 2), sketchOf(t, p, 2, 3)}, [][]byte{sketchOf(t, p, 3), sketchOf(t, p, 1, 9)}
	used := duck.MemoryUsed()
	var states []*duck.State
	defer func() {
		for _, s := range states {
			s.Drop()
		}
		if now := duck.MemoryUsed(); now != used {
			t.Errorf("%d bytes are charged when all pages are gone, and not %d", now, used)
		}
	}()
	a := newCCBFUnion()
	none := func() bool { return false }
	page := func(kind string, blobs [][]byte) *unionPage {
		t.Helper()
		s := &duck.State{}
		states = append(states, s)
		u, err := a.of(s)
		if err != nil {
			t.Fatal(err)
		}
		switch kind {
		case "kept":
			blob := slices.Clone(united(t, blobs...))
			err = u.take(&keptUnion{name: nameUnion(blobs), blob: blob})
		case "sketches":
			if err = u.addBlobs(blobs, none); err == nil {
				u.name = nameUnion(blobs)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	is := func(what string, u *unionPage, want []byte) {
		t.Helper()
		got := u.made()
		if got == nil {
			var err error
			if got, err = u.ccbfPage.blob(nil); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: another union", what)
		}
	}
	for _, into := range []string{"empty", "kept", "sketches"} {
		for _, from := range []string{"empty", "kept", "sketches"} {
			var all [][]byte
			if into != "empty" {
				all = append(all, left...)
			}
			if from != "empty" {
				all = append(all, right...)
			}
			what := from + " into " + into
			of, u := page(from, right), page(into, left)
			for range 2 { // windows merge one page into several
				if u = page(into, left); u.merge(of) != nil {
					t.Fatal(what)
				}
			}
			if u.empty() != (len(all) == 0) {
				t.Errorf("%s: empty is %v", what, u.empty())
			}
			if u.empty() {
				continue
			}
			if named := u.name != (unionName{}); named && (into == "empty") == (from == "empty") {
				t.Errorf("%s: it has the name of one of both", what)
			}
			is(what, u, united(t, all...))
			if from != "empty" {
				is("what was merged", of, united(t, right...))
			}
			more := sketchOf(t, p, 77)
			if err := u.addBlob(more); err != nil {
				t.Fatal(err)
			}
			if u.whole != nil || u.name != (unionName{}) {
				t.Errorf("%s: it has the name of what was there before more was added", what)
			}
			is(what+" and one more", u, united(t, append(all, more)...))
		}
	}
}

// united is the union of sketches, by package ccbf.
func united(t *testing.T, blobs ...[]byte) []byte {
	t.Helper()
	var b *ccbf.Builder
	for _, blob := range blobs {
		v, err := ccbf.NewView(blob)
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			b = ccbf.NewBuilder(v.Config, nil)
		}
		if err := b.AddView(&v); err != nil {
			t.Fatal(err)
		}
	}
	out, err := b.AppendBlob(nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
