package notes

import (
	"math"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
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
	check := func(b orb.Bound, met bool) {
		t.Helper()
		if err := Area(&v.Head, "box", b, 0, met); err != nil {
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
		{[]orb.Bound{box(1.6, 57.3, 1.7, 57.7)}, false, "no cell has its centre at x 1.6 to 1.7, y 57.3 to 57.7: the cells are 0.5 wide. ccbf_get counts the cell of a place. For smaller areas, build the sketch with a smaller res."},
		{[]orb.Bound{box(1.6, 57.3, 1.8, 57.8)}, false, ""}, // around a centre
		{[]orb.Bound{box(350, 50, 352, 58)}, false, "no sketch has points at x 350 to 352, y 50 to 58: " + points + ". Are both in the same unit?"},
	} {
		for _, area := range c.boxes {
			check(area, false)
		}
		if c.met {
			check(box(-5, 51, 0, 52), true)
		}
		if got := strings.Join(Take(), "\n"); got != c.want {
			t.Errorf("%v: %q, want %q", c.boxes, got, c.want)
		}
	}
}

// TestCategoryNote: the note has the first category that is missing, and a name from any sketch.
// There is none if some sketch has the category.
func TestCategoryNote(t *testing.T) {
	burglry := category{missing: "Burglry"}
	near := category{missing: "Burglry", near: "Burglary"}
	other := category{missing: "Drog", near: "Drugs"}
	for _, c := range []struct {
		seen  []category
		found bool
		want  string
	}{
		{nil, false, ""},
		{[]category{burglry}, false, `no sketch in the query has Burglry. ccbf_categories lists them.`},
		{[]category{burglry, other, near, other}, false, `no sketch in the query has Burglry; did you mean "Burglary"? ccbf_categories lists them.`},
		{[]category{near}, true, ""},
	} {
		for i := range c.seen {
			missed.add(c.seen[i].missing, c.seen[i].missing, []string{c.seen[i].near})
		}
		found.Store(c.found)
		if got := strings.Join(Take(), "\n"); got != c.want {
			t.Errorf("%+v: %q, want %q", c.seen, got, c.want)
		}
	}
}

// Boxes that sketches have nothing in: those that somebody may mean, and the others.
func TestDoubt(t *testing.T) {
	type place struct {
		res    float64
		bounds [4]float64
	}
	var (
		uk     = place{0.001, [4]float64{-8.2, 49.9, 1.8, 55.8}}
		usa    = place{0.01, [4]float64{-124.7, 24.5, -66.9, 49.4}}
		all    = place{0.1, [4]float64{-180, -90, 180, 90}}
		utm    = place{10, [4]float64{400_000, 5_000_000, 500_000, 5_300_000}}
		island = place{0.5, [4]float64{0, 0, 0.5, 0.5}}        // of metres: what has no coordinates
		hall   = place{0.25, [4]float64{0, 0, 150, 80}}        // metres from a corner
		coarse = place{1, [4]float64{-120, 25, -70, 49}}       // a tile of pixels as well as degrees
		beyond = place{0.001, [4]float64{-8.2, 49.9, 190, 56}} // no degrees alone
	)
	inf := math.Inf(1)
	for _, c := range []struct {
		name    string
		of      place
		area    [4]float64
		want    doubt
		certain bool
	}{
		{"somewhere else", uk, [4]float64{177, -20, 178, -15}, noDoubt, false},
		{"latitude first, where there is a country", uk, [4]float64{53.3, -1.6, 53.5, -1.3}, swapped, false},
		{"inside the bounds, between points", uk, [4]float64{-1, 50, -0.9, 50.1}, noDoubt, false},
		{"latitude first, beyond all latitudes", usa, [4]float64{39, -105.2, 40, -104.5}, swapped, true},
		{"the same of the whole world", all, [4]float64{39, -105.2, 40, -104.5}, swapped, true},
		{"no latitude, and no points there if swapped", usa, [4]float64{-39, -105.2, -38, -104.5}, otherUnits, false},
		{"latitude first, in cells that may be metres", coarse, [4]float64{39, -105.2, 40, -104.5}, swapped, false},
		{"metres", uk, [4]float64{530_000, 180_000, 531_000, 181_000}, otherUnits, true},
		{"Web Mercator", usa, [4]float64{-8.24e6, 4.96e6, -8.22e6, 4.98e6}, otherUnits, true},
		{"metres of the south", usa, [4]float64{0, -2e6, 10, -1e6}, otherUnits, true},
		{"half of a plane", uk, [4]float64{2000, -inf, inf, inf}, otherUnits, true},
		{"metres, in cells that may be metres", coarse, [4]float64{5000, 100, 6000, 200}, otherUnits, false},
		{"longitudes from 0 to 360", uk, [4]float64{354, 50, 358, 55}, otherUnits, false},
		{"degrees of metres", utm, [4]float64{9, 45, 10, 46}, otherUnits, false},
		{"metres of metres", utm, [4]float64{900_000, 5_000_000, 910_000, 5_010_000}, noDoubt, false},
		{"metres the wrong way round", utm, [4]float64{5_000_000, 400_000, 5_100_000, 410_000}, swapped, false},
		{"metres, beside what has no coordinates", island, [4]float64{530_000, 180_000, 531_000, 181_000}, otherUnits, false},
		{"beside a hall", hall, [4]float64{50, 100, 60, 110}, swapped, false},
		{"far from a hall", hall, [4]float64{2000, 100, 2010, 110}, otherUnits, false},
		{"more than degrees", beyond, [4]float64{530_000, 180_000, 531_000, 181_000}, noDoubt, false},
		{"a line", uk, [4]float64{3, 50, 3, 51}, noDoubt, false},
	} {
		var h ccbf.Head
		var err error
		if h.Grid, err = grid.New(c.of.res); err != nil {
			t.Fatal(err)
		}
		b := c.of.bounds
		if h.Bounds, err = h.Grid.Box(b[0], b[1], b[2], b[3]); err != nil {
			t.Fatal(err)
		}
		area := orb.Bound{Min: orb.Point{c.area[0], c.area[1]}, Max: orb.Point{c.area[2], c.area[3]}}
		if got, certain := doubtOf(&h, area); got != c.want || certain != c.certain {
			t.Errorf("%s: %v, certain %v", c.name, got, certain)
		}
		if got, _ := doubtOf(&h, orb.MultiPolygon{}.Bound()); got != noDoubt {
			t.Errorf("%s: no area: %v", c.name, got)
		}
		h.Bounds = grid.EmptyRect()
		if got, _ := doubtOf(&h, area); got != noDoubt {
			t.Errorf("%s: no points: %v", c.name, got)
		}
	}
}
