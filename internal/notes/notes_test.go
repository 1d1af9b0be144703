package notes

import (
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/paulmach/orb"
)

func box(xmin, ymin, xmax, ymax float64) orb.Bound {
	return orb.Bound{Min: orb.Point{xmin, ymin}, Max: orb.Point{xmax, ymax}}
}

// TestNote: a statement gets a note of doubtful answers, unless one of its areas met a sketch.
func TestNote(t *testing.T) {
	s, err := ccbf.Build(ccbf.Params{Res: 0.5}, []float64{-8, 1.5}, []float64{50, 58})
	if err != nil {
		t.Fatal(err)
	}
	v, err := ccbf.NewView(s.Blob())
	if err != nil {
		t.Fatal(err)
	}
	check := func(a *Areas, b orb.Bound, met bool) {
		t.Helper()
		if err := a.Check(&v.Head, "box", b, 0, met); err != nil {
			t.Fatal(err)
		}
	}
	const points = "points are at x -8 to 2, y 50 to 58.5"
	for _, c := range []struct {
		boxes []orb.Bound
		met   bool
		want  string
	}{
		{nil, false, ""},
		{[]orb.Bound{box(170, -20, 175, -15)}, false, ""}, // Fiji
		{[]orb.Bound{box(170, -20, 175, -15), box(53.3, -1.6, 53.5, -1.3)}, false, "no sketch has points at x 53.3 to 53.5, y -1.6 to -1.3, but one could if x and y were swapped: " + points + ". Longitude comes first, then latitude."},
		{[]orb.Bound{box(53.3, -1.6, 53.5, -1.3)}, true, ""},
		{[]orb.Bound{box(350, 50, 352, 58)}, false, "no sketch has points at x 350 to 352, y 50 to 58: " + points + ". Are both in the same unit?"},
	} {
		var a, b Areas
		for _, area := range c.boxes {
			check(&a, area, false)
		}
		if c.met {
			check(&b, box(-5, 51, 0, 52), true)
		}
		a.Record()
		b.Record()
		if got := strings.Join(Take(), "\n"); got != c.want {
			t.Errorf("%v: %q, want %q", c.boxes, got, c.want)
		}
	}
}

// TestCategoryNote: the note has the first category that is missing, and a name from any sketch.
// There is none if some sketch has the category.
func TestCategoryNote(t *testing.T) {
	burglry := Category{missing: "Burglry"}
	near := Category{missing: "Burglry", near: "Burglary"}
	other := Category{missing: "Drog", near: "Drugs"}
	for _, c := range []struct {
		seen []Category
		want string
	}{
		{nil, ""},
		{[]Category{burglry}, `no sketch in the query has the category "Burglry". ccbf_categories lists them.`},
		{[]Category{burglry, other, near, other}, `no sketch in the query has the category "Burglry"; did you mean "Burglary"? ccbf_categories lists them.`},
		{[]Category{near, {found: true}}, ""},
	} {
		for i := range c.seen {
			c.seen[i].Record()
		}
		if got := strings.Join(Take(), "\n"); got != c.want {
			t.Errorf("%+v: %q, want %q", c.seen, got, c.want)
		}
	}
}
