// Package notes records queries whose result may be a mistake: areas that no sketch has points in,
// and categories that no sketch has. SQL has no warnings, and a sum of 0 does not show that
// coordinates are swapped. A program that runs one statement at a time, such as the shell, prints
// the notes after each statement.
package notes

import (
	"fmt"
	"math"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/paulmach/orb"
)

// areas is a note about areas.
type areas struct {
	// The first suspicious area with its SRID, or 0, and the reason for the doubt.
	doubt doubt
	area  orb.Bound
	srid  int

	points orb.Bound // box around the points of all sketches with suspicious areas
	res    float64   // resolution of the first such sketch
}

// The notes of the process, from all calls since Take.
var (
	met      atomic.Bool // whether some sketch has cells in the bounds of its area, or around its place.
	found    atomic.Bool // whether some sketch has its category.
	unlisted atomic.Bool // whether some sketch was not searched for a list of categories
	mu       sync.Mutex
	seen     areas
	missed   category
)

// set sets one of these, without a write that other threads must wait for if it is set already.
func set(b *atomic.Bool) {
	if !b.Load() {
		b.Store(true)
	}
}

// Area notes the area of a query to a sketch; isMet says whether the sketch has cells in its bounds.
// what is "box", "polygon" or "place". The error says that the area is certainly a mistake.
func Area(h *ccbf.Head, what string, area orb.Bound, srid int, isMet bool) error {
	if isMet {
		set(&met)
		return nil
	}
	doubt, certain := doubtOf(h, area)
	if doubt == noDoubt {
		return nil
	}
	n := areas{doubt: doubt, area: area, srid: srid, points: h.Grid.Bound(h.Bounds), res: h.Grid.Res()}
	if !met.Load() { // otherwise there is no note, and threads need not wait for each other
		n.add()
	}
	if certain {
		return n.refusal(what)
	}
	return nil
}

// Box is Area for a box that is drawn of a sketch. The sketch counts as met if its bounds meet the box.
func Box(h *ccbf.Head, box orb.Bound) error {
	return Area(h, "box", box, 0, !h.Bounds.Empty() && h.Grid.Bound(h.Bounds).Intersects(box))
}

// WantsPlace reports whether Place is wanted: no area and no place met a sketch yet.
func WantsPlace() bool { return !met.Load() }

// Place is Area for a place, which is never an error. A sketch is met if a place is within its bounds.
func Place(h *ccbf.Head, at orb.Point, isMet bool) { _ = Area(h, "place", at.Bound(), 0, isMet) }

// add adds the area to the note of the process.
func (a *areas) add() {
	mu.Lock()
	defer mu.Unlock()
	if seen.doubt == noDoubt {
		seen = *a
	} else {
		seen.points = seen.points.Union(a.points)
	}
}

// refusal returns the error for the area.
func (a *areas) refusal(what string) error {
	if a.doubt == swapped {
		return fmt.Errorf("the %s at %s has y values that are not latitudes, but with x and y swapped it overlaps the points of the sketch, %s: longitude comes first, then latitude", what, place(a.area), place(a.points))
	}
	return fmt.Errorf("the %s at %s%s is not in degrees, but the sketch is, with points at %s: convert the coordinates to longitude and latitude, for example with ST_Transform of DuckDB's spatial extension", what, place(a.area), a.sridText(), place(a.points))
}

// note returns a text for the user if an area may be a mistake. Otherwise it returns "".
func (a *areas) note() string {
	switch a.doubt {
	case swapped:
		return fmt.Sprintf("no sketch has points at %s, but one could if x and y were swapped: points are at %s. Longitude comes first, then latitude.", place(a.area), place(a.points))
	case narrow:
		return fmt.Sprintf("no cell has its centre at %s: the cells are %v wide. ccbf_get counts the cell of a place. For smaller areas, build the sketch with a smaller res.", place(a.area), a.res)
	case otherUnits:
		return fmt.Sprintf("no sketch has points at %s%s: points are at %s. Are both in the same unit?", place(a.area), a.sridText(), place(a.points))
	}
	return ""
}

// sridText returns the SRID of the area in brackets, or "".
func (a *areas) sridText() string {
	if a.srid == 0 {
		return ""
	}
	return fmt.Sprintf(" (SRID %d)", a.srid)
}

// place returns a box or a point as text. It rounds coordinates to 0.0001, or less for a narrow box.
func place(b orb.Bound) string {
	if b.Min == b.Max {
		return fmt.Sprintf("x %s, y %s", rounded(b.Min[0], 1e4), rounded(b.Min[1], 1e4))
	}
	digits := 1e4
	for width := min(b.Max[0]-b.Min[0], b.Max[1]-b.Min[1]); width*digits < 1 && digits < 1e9; {
		digits *= 10
	}
	short := func(v float64) string { return rounded(v, digits) }
	return fmt.Sprintf("x %s to %s, y %s to %s", short(b.Min[0]), short(b.Max[0]), short(b.Min[1]), short(b.Max[1]))
}

// rounded returns the text of a coordinate for a note, rounded to 1/digits.
func rounded(v, digits float64) string {
	if !(math.Abs(v)*digits < 1e19) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	v = math.Round(v*digits) / digits
	return strconv.FormatFloat(v+0, 'f', -1, 64) // v+0 turns -0 into 0
}

// Take returns the texts of the notes of the process, and starts new notes.
func Take() (texts []string) {
	mu.Lock()
	defer mu.Unlock()
	if text := seen.note(); text != "" && !met.Load() {
		texts = append(texts, text)
	}
	if text := missed.note(found.Load()); text != "" {
		texts = append(texts, text)
	}
	seen, missed = areas{}, category{}
	met.Store(false)
	found.Store(false)
	unlisted.Store(false)
	return texts
}
