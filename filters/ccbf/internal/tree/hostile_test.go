package tree

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// written is a tree as a body.
func written(s *cells.Squares) []byte {
	list := List{}
	if s.Len() > 0 {
		list.Sections = listOf(*s)
	}
	return list.coded().AppendTo(nil)
}

// readTree undoes written, as far as indexes tell.
func readTree(blob []byte) (*Reader, error) {
	r := new(Reader)
	r.Head = &form.Head{Bounds: region, Sums: true}
	return r, r.Reset(blob)
}

// ask reads a tree, however it was made, and asks it everything. It reports whether
// it is valid.
func ask(t testing.TB, blob []byte) bool {
	reader, err := readTree(blob)
	sheets := reader.sheets
	if err != nil {
		if !errors.Is(err, sketch.ErrInvalid) {
			t.Fatalf("an error of another kind: %v", err)
		}
		return false
	}
	keys := []uint64{0, 1, 1 << 41, 3 << 41, 1 << 63, ^uint64(0)}
	for i := range sheets {
		for j, e := range sheets[i].index {
			if j < 20 {
				keys = append(keys, e.first, e.first+1, e.first-1)
			}
		}
	}
	for _, s := range sheets {
		s.decoder.room = 1 << 20
		for range 3 {
			for _, k := range keys {
				count([]Sheet{s}, k)
			}
			s.decoder.sheet = nil
		}
	}
	for _, k := range keys {
		count(sheets, k)
	}
	for _, a := range []box{{x1: 1 << 32, y1: 1 << 32}, {x0: 1 << 20, y0: 1 << 20, x1: 1<<20 + 777, y1: 1<<20 + 333}, {x0: 5, y0: 9, x1: 1 << 31, y1: 1<<31 + 5}} {
		sum := a.sum(sheets)
		if sum.Low > sum.High {
			t.Fatalf("bounds %+v", sum)
		}
		top := form.Top{K: 5, Most: 100}
		kit.NoError(t, readerOf(sheets).Top(a.area().Area, cells.Categories{}, &top))
	}
	list, err := reader.All()
	if err != nil {
		if !errors.Is(err, sketch.ErrInvalid) {
			t.Fatalf("an error of another kind: %v", err)
		}
		return false
	}
	if again := (&List{Sections: list.Sections, Tau: list.Tau, Fit: list.Fit}).coded(); !bytes.Equal(again.AppendTo(nil), blob) {
		t.Fatal("checked, and written otherwise")
	}
	for _, s := range list.Sections {
		for i := range s.Keys {
			if s.Counts[i] == 0 || s.Level(i) > cells.MaxLevel || s.Keys[i]&cells.LowBits(s.Level(i)) != 0 || i > 0 && !before(s.Keys[i-1], s.Level(i-1), s.Keys[i], s.Level(i)) {
				t.Fatalf("checked, and square %d is %#x of level %d", i, s.Keys[i], s.Level(i))
			}
		}
	}
	return true
}

// trees of all kinds, as bytes.
func seeds() [][]byte {
	r := rand.New(rand.NewPCG(51, 0))
	var out [][]byte
	for _, counts := range inOrder(smallShapes(r)) {
		s := squaresOf(counts)
		for _, tau := range []Tau{0, 40} {
			c := cut(s, tau)
			out = append(out, written(&c))
		}
		if m, _ := mixed(r, counts); m.Len() > 0 {
			out = append(out, written(&m))
		}
	}
	return out
}

// Bytes that were changed, cut off or made longer are an error or another tree, and
// take no more memory than the limits say.
func TestHostileBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 0))
	valid, tried := 0, 0
	for i, blob := range seeds() {
		if !ask(t, blob) {
			t.Fatalf("tree %d is not taken", i)
		}
		for _, end := range []int{0, 1, len(blob) / 2, len(blob) - 1} {
			if ask(t, blob[:end]) && end > 0 {
				t.Errorf("tree %d is taken with %d of its %d bytes", i, end, len(blob))
			}
		}
		if ask(t, append(slices.Clone(blob), 0)) {
			t.Errorf("tree %d is taken with a byte more", i)
		}
		for range 60 {
			edited := slices.Clone(blob)
			for range 1 + r.IntN(3) {
				at := r.IntN(len(edited))
				if r.IntN(2) == 0 {
					at = r.IntN(min(len(edited), 80)) // code and index
				}
				edited[at] ^= 1 << r.IntN(8)
			}
			tried++
			if ask(t, edited) {
				valid++
			}
		}
	}
	t.Logf("%d of %d edited trees are valid ones", valid, tried)
}

// A tree has one spelling: not with another root level, another table, or leaves on
// another sheet.
func TestOneSpelling(t *testing.T) {
	s := cells.Squares{Keys: []uint64{0, 0, 64, 300}, Levels: []uint8{4, 2, 0, 1}, Counts: []uint64{7, 2, 1, 9}}
	lists := s.Sheets()
	c := CodeFor(listOf(s))
	write := func(c *Code, lists ...cells.Squares) []byte {
		blob := c.AppendCode([]byte{0, 0, 1, 0, 0, byte(len(lists))})
		for i := range lists {
			blob = NewEncoder(c).AppendSheet(blob, &lists[i])
		}
		return blob
	}
	if !ask(t, write(c, lists...)) {
		t.Fatal("the tree itself is not taken")
	}
	apart := cells.Squares{Keys: []uint64{0, 64}, Levels: []uint8{2, 0}, Counts: []uint64{2, 1}}
	rest := cells.Squares{Keys: []uint64{300}, Levels: []uint8{1}, Counts: []uint64{9}}
	other := CodeFor(listOf(apart, lists[1], rest))
	for name, blob := range map[string][]byte{
		"sheets the other way round": write(c, lists[1], lists[0]),
		"a sheet in two":             write(other, apart, lists[1], rest),
		"a code for other leaves":    write(CodeFor(listOf(lists[0], lists[1], squaresOf(map[uint64]uint64{1 << 40: 1 << 50}))), lists...),
		"a sheet without leaves":     write(c, append(slices.Clone(lists), cells.Squares{})...),
	} {
		if ask(t, blob) {
			t.Errorf("%s: taken for a spelling of the tree", name)
		}
	}
}

// A part without points has no sheets, and a tree may have none at all.
func TestNothing(t *testing.T) {
	some := squaresOf(map[uint64]uint64{3: 4, 900: 1})
	for _, parts := range [][]cells.Squares{{{}}, {{}, some}, {some, {}}, {}} {
		p, ok := Fit(listOf(parts...), 1000)
		if !ok {
			t.Fatalf("%d parts do not fit", len(parts))
		}
		for i := range parts {
			sheets := encoded(t, p.code, p.Sections[i].Sheets())
			if got, want := len(sheets), min(parts[i].Len(), 1); got != want {
				t.Errorf("part %d has %d sheets, expected %d", i, got, want)
			}
		}
	}
	var none cells.Squares
	a := box{x1: 1 << 32, y1: 1 << 32}
	if !ask(t, written(&none)) || a.sum(nil) != (form.Estimate{}) || none.Most() != 0 {
		t.Error("nothing is not nothing")
	}
}

// go test -fuzz FuzzTree ./filters/ccbf/internal/tree
func FuzzTree(f *testing.F) {
	for _, blob := range seeds() {
		if len(blob) < 1000 {
			f.Add(blob)
		}
	}
	f.Fuzz(func(t *testing.T, blob []byte) { ask(t, blob) })
}

// TestManySheets: a body that states more sheets than it has bytes for is refused before memory for them is
// allocated.
func TestManySheets(t *testing.T) {
	body := written(&cells.Squares{Keys: []uint64{1}, Levels: []uint8{0}, Counts: []uint64{1}})
	refused := false
	for i := range body {
		damaged := bytes.Clone(body)
		damaged[i] = cells.MaxLevel + 1
		_, err := readTree(damaged)
		refused = refused || err != nil && strings.Contains(err.Error(), "sheets in")
	}
	if !refused {
		t.Error("nothing refuses many sheets")
	}
}
