package vectors

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/internal/data"
	"github.com/paulmach/orb"
)

// vector is a BLOB with questions and their answers.
type vector struct {
	Name      string     `json:"name"`
	Family    string     `json:"family"`
	Form      string     `json:"form,omitempty"` // form of a ccbf sketch
	Blob      []byte     `json:"blob"`
	Questions []question `json:"questions"`
}

// question is a query as README.md describes it. Counts are strings, because JSON has no 64-bit
// numbers.
type question struct {
	Ask      string      `json:"ask"`
	X        *float64    `json:"x,omitempty"`
	Y        *float64    `json:"y,omitempty"`
	Box      *[4]float64 `json:"box,omitempty"`
	Polygon  any         `json:"polygon,omitempty"`
	Width    int         `json:"width,omitempty"`
	Height   int         `json:"height,omitempty"`
	Category []byte      `json:"category,omitzero"`
	Key      []byte      `json:"key,omitzero"`
	Answer   any         `json:"answer"`
}

// blob is a sketch without questions.
type blob struct {
	name string
	b    []byte
}

// golden returns the BLOBs that every version must read.
func golden(t *testing.T) (all []blob) {
	t.Helper()
	files, err := filepath.Glob("../../filters/*/testdata/golden/*.blob")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden BLOBs: %v", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		family := filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(file))))
		all = append(all, blob{family + "/" + strings.TrimSuffix(filepath.Base(file), ".blob"), b})
	}
	return all
}

// place is a row of the COVID-19 cases.
type place struct {
	country string
	x, y    float64
	cases   uint64
}

func places(t *testing.T) (all []place) {
	t.Helper()
	b, err := os.ReadFile(data.Path("jhu_covid19_confirmed_global.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		y, errY := strconv.ParseFloat(row[2], 64)
		x, errX := strconv.ParseFloat(row[3], 64)
		n, err := strconv.ParseUint(row[5], 10, 64)
		if errX == nil && errY == nil && err == nil && n > 0 {
			all = append(all, place{row[1], x, y, n})
		}
	}
	return all
}

// sketches returns sketches of the data in each form.
func sketches(t *testing.T) (all []blob) {
	t.Helper()
	for _, c := range []struct {
		name string
		p    ccbf.Params
	}{
		{"exact", ccbf.Params{Res: 0.01}},
		{"exact-categories", ccbf.Params{Res: 0.5, Categories: true, Totals: true}},
		{"exact-coarse", ccbf.Params{Res: 3}},
		{"tree", ccbf.Params{Res: 0.01, Bytes: 500}},
		{"tree-categories", ccbf.Params{Res: 0.1, Bytes: 1500, Categories: true, Totals: true}},
		{"counters", ccbf.Params{Res: 0.5, Bytes: 1000, Overflow: ccbf.ToCounters, Dense: true}},
		{"counters-levels", ccbf.Params{Res: 0.25, Bytes: 2000, Overflow: ccbf.ToCounters, Levels: 6, Dense: true}},
		{"counters-standard", ccbf.Params{Res: 1, Bytes: 1500, Overflow: ccbf.ToCounters, Mode: ccbf.Standard, Dense: true, Seed: 7}},
	} {
		s, err := ccbf.New(c.p)
		if err != nil {
			t.Fatal(err)
		}
		if c.p.Categories {
			s.Class = key.Text
		}
		for _, p := range places(t) {
			var category []byte
			if c.p.Categories {
				category = []byte(p.country)
			}
			add(t, s, p, category)
		}
		all = append(all, blob{"covid/" + c.name, s.Blob()})
	}
	return append(all, united(t), hidden(t))
}

// hidden returns a tree of squares with at least 100,000 cases, by country.
func hidden(t *testing.T) blob {
	t.Helper()
	s, err := ccbf.New(ccbf.Params{Res: 0.1, Categories: true, Totals: true})
	check(t, err)
	s.Class = key.Text
	for _, p := range places(t) {
		add(t, s, p, []byte(p.country))
	}
	check(t, s.Suppress(100_000))
	return blob{"covid/tree-suppressed", s.Blob()}
}

// united returns the union of a tree of every second place and a tree of the others, so that leaves
// contain leaves.
func united(t *testing.T) blob {
	t.Helper()
	all := ccbf.NewBuilder(config(t, ccbf.Params{Res: 0.01, Bytes: 500}), nil)
	for i := range 2 {
		s, err := ccbf.New(ccbf.Params{Res: 0.01, Bytes: 400})
		check(t, err)
		for j, p := range places(t) {
			if j%2 == i {
				add(t, s, p, nil)
			}
		}
		v, err := ccbf.NewView(s.Blob())
		check(t, err)
		check(t, all.AddView(&v))
	}
	b, err := bridge.AppendBlob(all, nil)
	check(t, err)
	return blob{"covid/tree-united", b}
}

func config(t *testing.T, p ccbf.Params) ccbf.Config {
	t.Helper()
	c, err := p.Config()
	check(t, err)
	return c
}

// add adds a place to a sketch.
func add(t *testing.T, s *ccbf.Sketch, p place, category []byte) {
	t.Helper()
	cell, err := s.Grid.Cell(p.x, p.y)
	check(t, err)
	check(t, s.Add(cell, category, p.cases))
}

// polygons are a triangle, a star that crosses itself, a polygon with a hole, and a multipolygon.
func polygons(x, y, w, h float64) []any {
	at := func(points ...float64) (ring [][]float64) {
		for i := 0; i < len(points); i += 2 {
			ring = append(ring, []float64{x + points[i]*w, y + points[i+1]*h})
		}
		return append(ring, ring[0])
	}
	polygon := func(rings ...[][]float64) any { return map[string]any{"type": "Polygon", "coordinates": rings} }
	return []any{
		polygon(at(0.1, 0.1, 0.9, 0.2, 0.4, 0.95)),
		polygon(at(0.5, 1.1, 0.2, -0.1, 1.1, 0.7, -0.1, 0.7, 0.8, -0.1)),
		polygon(at(-0.1, -0.1, 1.1, -0.1, 1.1, 1.1, -0.1, 1.1), at(0.3, 0.3, 0.6, 0.35, 0.5, 0.7)),
		map[string]any{"type": "MultiPolygon", "coordinates": []any{
			[]any{at(0, 0, 0.6, 0, 0.6, 0.6)}, []any{at(0.2, 0.1, 1, 0.3, 0.9, 0.8, 0.3, 0.9)},
		}},
	}
}

func geojson(t *testing.T, p any) *ccbf.Polygon {
	t.Helper()
	mp, err := grid.ParsePolygon(encode(t, p))
	if err != nil {
		t.Fatal(err)
	}
	return ccbf.NewPolygon(mp)
}

func count(n uint64) string { return strconv.FormatUint(n, 10) }

// ask returns questions to a BLOB with their answers.
func ask(t *testing.T, b blob) vector {
	t.Helper()
	family, _, _ := strings.Cut(b.name, "/")
	if family == "covid" {
		family = "ccbf"
	}
	v := vector{Name: b.name, Family: family, Blob: b.b}
	if family == "ccbf" {
		askGrid(t, &v)
	} else {
		askKeys(t, &v)
	}
	return v
}

// askGrid returns questions about cells and areas, with and without categories.
func askGrid(t *testing.T, out *vector) {
	v, err := ccbf.NewView(out.Blob)
	if err != nil {
		t.Fatal(err)
	}
	out.Form = v.Form().String()
	var categories [][]byte
	if !v.Categories || v.Totals || v.Form() != ccbf.Dense {
		categories = append(categories, nil)
	}
	if v.Categories {
		listed := [][]byte{[]byte("shop"), []byte("Italy")}
		if v.Form() != ccbf.Dense {
			all, err := v.ListCategories()
			if err != nil {
				t.Fatal(err)
			}
			answer := [][2]any{}
			for _, c := range all {
				answer = append(answer, [2]any{c.Key, count(c.Total)})
				if len(listed) < 6 {
					listed = append(listed, c.Key)
				}
			}
			out.Questions = append(out.Questions, question{Ask: "categories", Answer: answer})
		}
		categories = append(categories, listed...)
	}
	for _, category := range categories {
		askCells(t, out, &v, category)
		askAreas(t, out, &v, category)
	}
}

// askCells returns questions about some cells with points and others beside them.
func askCells(t *testing.T, out *vector, v *ccbf.View, category []byte) {
	bounds := v.Bounds
	if bounds.Empty() {
		bounds = grid.Rect{MinX: -2, MinY: -2, MaxX: 2, MaxY: 2}
	}
	var cells []grid.Cell
	w, h := (bounds.MaxX-bounds.MinX)/6+1, (bounds.MaxY-bounds.MinY)/6+1
	for y := bounds.MinY; y <= bounds.MaxY; y += h {
		for x := bounds.MinX; x <= bounds.MaxX; x += w {
			cells = append(cells, grid.Cell{X: x, Y: y})
		}
	}
	if v.Form() != ccbf.Dense {
		spots, err := v.Hotspots(ccbf.Box(grid.MaxRect()), 1, ccbf.Of(category))
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range spots {
			if i < 20 {
				cells = append(cells, s.Cell, grid.Cell{X: s.Cell.X + 1, Y: s.Cell.Y})
			}
		}
	}
	for _, c := range cells {
		x, y := v.Grid.Center(c)
		if got, err := v.Grid.Cell(x, y); err != nil || got != c { // at the end of the grid
			continue
		}
		out.Questions = append(out.Questions, question{Ask: "count", X: &x, Y: &y, Category: category, Answer: count(v.Count(c, category))})
	}
}

// Areas of counters have at most 9 * side * side cells, because each cell is looked up.
const side = 50

func askAreas(t *testing.T, out *vector, v *ccbf.View, category []byte) {
	b := v.Grid.Bound(v.Bounds)
	if v.Bounds.Empty() {
		b.Max = [2]float64{1, 1}
	}
	x, y, w, h := b.Min[0], b.Min[1], b.Max[0]-b.Min[0], b.Max[1]-b.Min[1]
	if v.Form() == ccbf.Dense {
		w, h = min(w, side*v.Grid.Res()), min(h, side*v.Grid.Res())
	}
	boxes := [][4]float64{
		{x, y, x + w, y + h},
		{x - w, y - h, x + 2*w, y + 2*h},
		{x + 0.21*w, y + 0.33*h, x + 0.74*w, y + 0.81*h},
		{x + 0.5*w, y + 0.5*h, x + 0.51*w, y + 0.52*h},
	}
	for _, box := range boxes {
		r, err := v.Grid.Box(box[0], box[1], box[2], box[3])
		if err != nil {
			t.Fatal(err)
		}
		e, err := v.Estimate(ccbf.Box(r), ccbf.Of(category))
		if err != nil {
			t.Fatal(err)
		}
		sum, err := v.Sum(ccbf.Box(r), ccbf.Of(category))
		if err != nil {
			t.Fatal(err)
		}
		out.Questions = append(out.Questions, question{Ask: "boxSum", Box: &box, Category: category, Answer: count(sum)})
		if v.Form() != ccbf.Dense {
			out.Questions = append(out.Questions,
				question{Ask: "estimate", Box: &box, Category: category, Answer: bounded(e)},
				question{Ask: "cells", Box: &box, Category: category, Answer: squares(t, v, r, category)})
		}
		if v.Form() != ccbf.Dense || v.Levels == 0 {
			askRaster(t, out, v, box, category)
		}
	}
	for _, p := range polygons(x, y, w, h) {
		sum, err := v.Sum(geojson(t, p).Area(), ccbf.Of(category))
		check(t, err)
		out.Questions = append(out.Questions, question{Ask: "polygonSum", Polygon: p, Category: category, Answer: count(sum)})
		var many *ccbf.ErrTooManyCells // an estimate also counts the cells of all rows
		e, err := v.Estimate(geojson(t, p).Area(), ccbf.Of(category))
		if v.Form() == ccbf.Dense || errors.As(err, &many) {
			continue
		}
		check(t, err)
		out.Questions = append(out.Questions, question{Ask: "estimate", Polygon: p, Category: category, Answer: bounded(e)})
	}
}

func bounded(e ccbf.Estimate) any {
	return map[string]any{"estimate": e.Value, "low": count(e.Low), "high": count(e.High)}
}

// squares returns the cells of a rectangle, ordered by y, x and side.
func squares(t *testing.T, v *ccbf.View, r grid.Rect, category []byte) any {
	all, err := v.Cells(ccbf.Box(r), ccbf.Of(category))
	if err != nil {
		t.Fatal(err)
	}
	out := [][4]any{}
	for s := range all {
		x, y, side := s.Square(v.Grid)
		out = append(out, [4]any{x, y, side, count(s.Count)})
	}
	slices.SortFunc(out, func(a, b [4]any) int {
		for _, i := range [...]int{1, 0, 2} {
			if d := a[i].(float64) - b[i].(float64); d != 0 {
				return int(math.Copysign(1, d))
			}
		}
		return 0
	})
	return out
}

func askRaster(t *testing.T, out *vector, v *ccbf.View, box [4]float64, category []byte) {
	const width, height = 5, 3
	dst := make([]uint64, width*height)
	err := v.Raster(dst, bound(box), width, height, ccbf.Of(category))
	if err != nil {
		t.Fatal(err)
	}
	answer := make([]string, len(dst))
	for i, n := range dst {
		answer[i] = count(n)
	}
	out.Questions = append(out.Questions, question{Ask: "raster", Box: &box, Width: width, Height: height, Category: category, Answer: answer})
}

// askKeys adds queries for keys of two classes, among them the keys of the golden sketches.
func askKeys(t *testing.T, out *vector) {
	var keys [][]byte
	for _, k := range []any{"oak", "elm", "ash", "", "a longer key than sixteen bytes", true, 2.5, []byte{0}} {
		b, _, err := key.Append([]byte{}, k)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, b)
	}
	for i := range 30 {
		b, _, err := key.Append([]byte{}, int64(i))
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, b)
	}
	ask := func(what string, k []byte, answer any) {
		out.Questions = append(out.Questions, question{Ask: what, Key: k, Answer: answer})
	}
	i := slices.IndexFunc(filters.Keyed(), func(f keyed.Any) bool { return f.About().Name == out.Family })
	if i < 0 {
		t.Fatalf("%s: family %q", out.Name, out.Family)
	}
	f := filters.Keyed()[i]
	r := f.Reader()
	check(t, r.Open(out.Blob))
	for _, k := range keys {
		h1, h2 := key.Hash(keyed.BaseOf(r).Seed(), k)
		for _, q := range f.Questions() {
			if q.Kind == keyed.HowOften {
				n := []uint64{0}
				r.CountHashes(n, []uint64{h1}, []uint64{h2})
				ask("count", k, count(n[0]))
			} else {
				is := []bool{false}
				r.ContainsHashes(is, []uint64{h1}, []uint64{h2})
				ask("contains", k, is[0])
			}
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func bound(box [4]float64) orb.Bound {
	return orb.Bound{Min: orb.Point{box[0], box[1]}, Max: orb.Point{box[2], box[3]}}
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	check(t, err)
	return b
}
