package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// Place names appear at suitable zooms. The search finds them by what people type, without requests
// to other servers. Antarctica is whole, and at other widths nothing overlaps.
func TestNamesInBrowser(t *testing.T) {
	type place struct {
		Lng, Lat, Zoom float64
		Hash, Field    string
		Pins           int
		List           bool
	}
	type names struct{ Places, Countries []string }
	var read struct {
		Far, Near                names
		Water, WaterNear         struct{ Lakes, Rivers int }
		Accents, Country, Same   []string
		Active, None             string
		Taken, Reloaded, Cleared place
		South                    struct{ Land, Lines []int }
		Widths                   []struct {
			Width float64
			Boxes map[string][4]float64 // left, top, right, bottom
		}
		Problems []string
	}
	file := database(t, `CREATE TABLE crimes AS SELECT date '2018-10-01' + to_months(month::INTEGER) AS month, ccbf_agg(-1.47 + i / 1000, 53.38 + i % 7 / 1000, 0.001) AS sketch
		FROM range(400) t(i), range(3) m(month) GROUP BY ALL`)
	out := browsed(t, "names.mjs", started(t, file))
	if err := json.Unmarshal(out, &read); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	has := func(what string, list []string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !slices.Contains(list, w) {
				t.Errorf("%s: no %s in %q", what, w, list)
			}
		}
	}
	has("from afar", read.Far.Places, "Paris", "Berlin", "Rome")
	has("from afar", read.Far.Countries, "France", "Germany")
	if slices.Contains(read.Far.Places, "Chesterfield") || len(read.Far.Places) > 100 {
		t.Errorf("from afar: %q", read.Far.Places)
	}
	if read.Water.Lakes < 5 || read.Water.Rivers < 1 || read.WaterNear.Lakes+read.WaterNear.Rivers > 0 {
		t.Errorf("water at the Great Lakes %+v, in Sheffield %+v", read.Water, read.WaterNear)
	}
	has("from nearby", read.Near.Places, "Sheffield")
	if n := len(read.Near.Places); n < 10 || n > 200 || len(read.Near.Countries) > 0 {
		t.Errorf("from nearby: %+v", read.Near)
	}
	first := func(list []string, want string) {
		t.Helper()
		if len(list) == 0 || len(list) > 8 || !strings.HasPrefix(list[0], want) {
			t.Errorf("found are %q, want %s first", list, want)
		}
	}
	first(read.Accents, "São PauloBrazil")
	first(read.Country, "LondonCanada")
	first(read.Same, "SheffieldUnited Kingdom")
	if read.Active != read.Same[0] {
		t.Errorf("the keys chose %q", read.Active)
	}
	// Sheffield Town Hall is at 53.38 N, 1.47 W.
	there := func(what string, p place) {
		t.Helper()
		if math.Abs(p.Lat-53.38) > 0.3 || math.Abs(p.Lng+1.47) > 1 || p.Zoom < 8 || p.Pins != 1 || p.List || p.Field != "Sheffield, United Kingdom" || !strings.Contains(p.Hash, "place=") {
			t.Errorf("%s: %+v", what, p)
		}
	}
	there("taken", read.Taken)
	there("reloaded", read.Reloaded)
	if !strings.Contains(read.None, "No place") {
		t.Errorf("of no place it says %q", read.None)
	}
	if c := read.Cleared; c.Pins != 0 || c.Field != "" || strings.Contains(c.Hash, "place=") {
		t.Errorf("cleared: %+v", c)
	}
	if len(read.South.Land) < 10 || slices.Contains(read.South.Land, 0) || slices.Max(read.South.Lines) > 0 {
		t.Errorf("in the south there are %d of land and %d lines across", read.South.Land, read.South.Lines)
	}
	for _, w := range read.Widths {
		var list []string
		for name, b := range w.Boxes {
			list = append(list, name)
			if b[0] < 0 || b[2] > w.Width || b[2] <= b[0] {
				t.Errorf("at %v pixels %s is at %v", w.Width, name, b)
			}
		}
		slices.Sort(list)
		for i, one := range list {
			for _, two := range list[i+1:] {
				a, b := w.Boxes[one], w.Boxes[two]
				if a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3] {
					t.Errorf("at %v pixels %s lies over %s: %s", w.Width, one, two, fmt.Sprint(a, b))
				}
			}
		}
	}
	if len(read.Widths) != 8 || len(read.Problems) > 0 {
		t.Errorf("%d widths; the browser complains: %q", len(read.Widths), read.Problems)
	}
}
