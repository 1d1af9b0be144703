package report

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// recorded are two seeds at each of two sizes of two kinds, and a figure that one has.
func recorded() *Data {
	d := &Data{}
	d.Set("seeds", 2)
	for _, kind := range []string{"a", "b"} {
		for _, size := range []int{10, 20} {
			of := float64(size)
			if kind == "b" {
				of = 15
			}
			d.Record(At{"kind": kind, "size": size}, Figures{"error": of - 1}, Figures{"error": of + 1})
		}
	}
	d.Record(At{"kind": "b", "size": 20}, Figures{"other": 7})
	return d
}

// TestData: rows are found by values that print alike, grouped in their order, and their
// figures are of those rows that have them.
func TestData(t *testing.T) {
	d := recorded()
	if got := d.Mean("error", "kind", "a", "size", 10.0); got != 10 {
		t.Errorf("mean is %v, want 10", got)
	}
	var kinds []string
	for _, of := range d.By("kind", "size") {
		kinds = append(kinds, of.At["kind"].(string)+Num(number(of.At["size"]))+" "+Num(of.Mean("error")))
		if of.At["seeds"] != 2 {
			t.Errorf("what holds for all rows is lost in %v", of.At)
		}
	}
	if want := []string{"a10 10", "a20 20", "b10 15", "b20 15"}; !slices.Equal(kinds, want) {
		t.Errorf("settings are %v, want %v", kinds, want)
	}
	if got := d.Means("error"); !slices.Equal(got, []float64{10, 20, 15, 15}) || d.Max("error") != 20 || d.Min("error", "kind", "b") != 15 {
		t.Errorf("means are %v", got)
	}
	if d.Count("error") != 8 || d.Sum("error", "size", 10) != 50 || d.First("other") != 7 || d.Has("other", "kind", "a") {
		t.Error("counts, sums, or who has a figure")
	}
	if got := d.Top("error").At; got["kind"] != "a" || got["size"] != 20 {
		t.Errorf("the largest is at %v", got)
	}
	for _, bad := range []func(){func() { d.Mean("nothing") }, func() { d.Mean("error", "size", 30) }, func() { d.First("other", "kind", "a") }} {
		if err := Try(bad); err == nil || !strings.Contains(err.Error(), "no row") {
			t.Errorf("error of what is not there is %v", err)
		}
	}
}

// TestPairs: two values of a factor are compared at every setting of the others.
func TestPairs(t *testing.T) {
	d := recorded()
	if n, of := d.NotWorse("error", "kind", "a", "b"), d.Settings("error", "kind", "a", "b"); n != 1 || of != 2 {
		t.Errorf("not worse at %d of %d", n, of)
	}
	if n := d.Closer("error", "kind", "b", "a"); n != 1 {
		t.Errorf("closer at %d", n)
	}
	if got := d.Ratios("error", "kind", "a", "b"); len(got) != 2 || math.Abs(got[0]-10./15) > 1e-15 || math.Abs(got[1]-20./15) > 1e-15 {
		t.Errorf("ratios are %v", got)
	}
	lines := d.Lines("kind", "size", "error")
	if len(lines) != 2 || lines[1].Label != "b" || !slices.Equal(lines[0].X, []float64{10, 20}) || !slices.Equal(lines[0].Y, []float64{10, 20}) {
		t.Errorf("lines are %v", lines)
	}
	// Two seeds one apart from the mean have a standard error of 1.
	within := d.Where("size", 10).Within("mean", "kind", "size", "size", "error")[0]
	if within.Y[0] != 10 || math.Abs(within.Lo[0]-8.04) > 1e-12 || math.Abs(within.Hi[0]-11.96) > 1e-12 {
		t.Errorf("the line with its intervals is %v", within)
	}
}

// TestCompose: a text becomes the finding, claims, paragraphs, tables and figures of a
// section, in their order.
func TestCompose(t *testing.T) {
	s := &Section{Data: *recorded(), name: "x", page: &Page{Claims: []string{"what", "ours"}}, plots: map[string][]byte{}}
	s.compose(`{{$a := .Where "kind" "a"}}
**In short:** it is {{$a.Mean "error" | num}}
of {{.At.seeds}} seeds.

| what | ours |
| :-- | --: |
| error | {{worse (gt ($a.Max "error") 15.0) "it is more"}} |

| size{{range .By "kind"}} | {{.At.kind}}{{end}} |
{{range .By "size" -}}
| {{.At.size}}{{range .By "kind"}} | {{.Mean "error" | num}}{{end}} |
{{end}}
{{panel "p" "" "x" "y" "" "" (.Lines "kind" "size" "error")}}
![A line.](p)
`)
	if s.finding != "it is 15 of 2 seeds." {
		t.Errorf("the finding is %q", s.finding)
	}
	if len(s.claims) != 1 || !slices.Equal(s.claims[0], []string{"error", "worse: it is more"}) {
		t.Errorf("claims are %v", s.claims)
	}
	if len(s.blocks) != 2 {
		t.Fatalf("%d blocks", len(s.blocks))
	}
	if got, want := s.blocks[0].markdown(""), "| size | a | b |\n| :-- | --: | --: |\n| 10 | 10 | 15 |\n| 20 | 20 | 15 |\n"; got != want {
		t.Errorf("the table is %q, want %q", got, want)
	}
	if f := s.blocks[1]; f.kind != figureLine || !slices.Equal(f.cells[0], []string{"x-p.svg", "A line."}) || checkFigure("x-p.svg", s.plots["x-p.svg"]) != nil {
		t.Errorf("the figure is %v", f)
	}
	for _, bad := range []string{`{{.Mean "nothing"}}`, `{{nothing}}`, "![A line.](q)"} {
		if err := Try(func() { s.compose(bad) }); err == nil {
			t.Errorf("no error of %s", bad)
		}
	}
}
