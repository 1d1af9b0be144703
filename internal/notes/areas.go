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

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/paulmach/orb"
)

// Areas is a note about the areas of a chunk of rows, or of a statement.
type Areas struct {
	met bool // some sketch has cells in the bounds of its area

	// The first suspicious area with its SRID, or 0, and the reason for the doubt.
	doubt doubt
	area  orb.Bound
	srid  int

	points orb.Bound // box around the points of all sketches with suspicious areas
}

// Check adds the area of a query to a sketch; met says whether the sketch has cells in its bounds.
// what is "box" or "polygon". The error says that the area is certainly a mistake.
func (a *Areas) Check(h *ccbf.Head, what string, area orb.Bound, srid int, met bool) error {
	if met {
		a.met = true
		return nil
	}
	doubt, certain := doubtOf(h, area)
	if doubt == noDoubt {
		return nil
	}
	b := Areas{doubt: doubt, area: area, srid: srid, points: h.Grid.Bound(h.Bounds)}
	a.add(&b) // before the error, as ccbf_bbox_overlaps ignores it
	if certain {
		return b.refusal(what)
	}
	return nil
}

// add adds the note of a chunk.
func (a *Areas) add(b *Areas) {
	a.met = a.met || b.met
	switch {
	case b.doubt == noDoubt:
	case a.doubt == noDoubt:
		a.doubt, a.area, a.srid, a.points = b.doubt, b.area, b.srid, b.points
	default:
		a.points = a.points.Union(b.points)
	}
}

// refusal returns the error for the area.
func (a *Areas) refusal(what string) error {
	if a.doubt == swapped {
		return fmt.Errorf("the %s at %s has y values that are not latitudes, but with x and y swapped it overlaps the points of the sketch, %s: longitude comes first, then latitude", what, place(a.area), place(a.points))
	}
	return fmt.Errorf("the %s at %s%s is not in degrees, but the sketch is, with points at %s: convert the coordinates to longitude and latitude, for example with ST_Transform of DuckDB's spatial extension", what, place(a.area), a.sridText(), place(a.points))
}

// note returns a text for the user if no sketch has points in an area, and the area may be a
// mistake. Otherwise it returns "".
func (a *Areas) note() string {
	if a.met {
		return ""
	}
	switch a.doubt {
	case swapped:
		return fmt.Sprintf("no sketch has points at %s, but one could if x and y were swapped: points are at %s. Longitude comes first, then latitude.", place(a.area), place(a.points))
	case otherUnits:
		return fmt.Sprintf("no sketch has points at %s%s: points are at %s. Are both in the same unit?", place(a.area), a.sridText(), place(a.points))
	}
	return ""
}

// sridText returns the SRID of the area in brackets, or "".
func (a *Areas) sridText() string {
	if a.srid == 0 {
		return ""
	}
	return fmt.Sprintf(" (SRID %d)", a.srid)
}

// place returns a box as text, with coordinates rounded to 0.0001.
func place(b orb.Bound) string {
	return fmt.Sprintf("x %s to %s, y %s to %s", short(b.Min[0]), short(b.Max[0]), short(b.Min[1]), short(b.Max[1]))
}

// short returns the text of a coordinate for a note.
func short(v float64) string {
	if !(math.Abs(v) < 1e15) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	v = math.Round(v*1e4) / 1e4
	return strconv.FormatFloat(v+0, 'f', -1, 64) // v+0 turns -0 into 0
}

// The notes of the process, from all calls so far.
var (
	mu       sync.Mutex
	seen     Areas
	category Category
)

// Record adds the note of a chunk to the note of the process.
func (a *Areas) Record() {
	mu.Lock()
	defer mu.Unlock()
	seen.add(a)
}

// Take returns the texts of the notes of the process, and starts new notes.
func Take() (texts []string) {
	mu.Lock()
	defer mu.Unlock()
	for _, text := range []string{seen.note(), category.note()} {
		if text != "" {
			texts = append(texts, text)
		}
	}
	seen, category = Areas{}, Category{}
	return texts
}
