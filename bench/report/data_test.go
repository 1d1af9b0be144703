package report

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// recorded returns data with two seeds at each of two sizes of two kinds. One kind has an
// additional figure.
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
// figures come from the rows that have them.
func TestData(t *testing.T) {
	d := recorded()
	require.Equal(t, 10.0, d.Mean("error", "kind", "a", "size", 10.0))
	var kinds []string
	for _, of := range d.By("kind", "size") {
		kinds = append(kinds, of.At["kind"].(string)+Num(of.Number("size"))+" "+Num(of.Mean("error")))
		require.Equal(t, 2, of.At["seeds"], "what holds for all rows")
	}
	require.Equal(t, []string{"a10 10", "a20 20", "b10 15", "b20 15"}, kinds)
	require.Equal(t, []float64{10, 20, 15, 15}, d.Means("error"))
	require.Equal(t, []float64{20, 15, 10}, []float64{d.Max("error"), d.Min("error", "kind", "b"), d.Least("error")})
	require.Equal(t, []any{8, 50.0, 7.0, false}, []any{d.Count("error"), d.Sum("error", "size", 10), d.First("other"), d.Has("other", "kind", "a")})
	for _, bad := range []func(){func() { d.Mean("nothing") }, func() { d.Mean("error", "size", 30) }, func() { d.First("other", "kind", "a") }} {
		require.ErrorContains(t, Try(bad), "no row")
	}
}

// TestPairs: two values of a factor are compared at every setting of the others.
func TestPairs(t *testing.T) {
	d := recorded()
	require.Equal(t, []int{1, 2, 1},
		[]int{d.NotWorse("error", "kind", "a", "b"), d.Settings("error", "kind", "a", "b"), d.Closer("error", "kind", "b", "a")})
	require.InDeltaSlice(t, []float64{10. / 15, 20. / 15}, d.Ratios("error", "kind", "a", "b"), 1e-15)
	lines := d.Lines("kind", "size", "error")
	require.Equal(t, Series{Label: "b", Style: 1, X: []float64{10, 20}, Y: []float64{15, 15}}, lines[1])
	// Two seeds at a distance of one from the mean have a standard error of 1.
	within := d.Where("size", 10).Within("mean", "kind", "size", "size", "error")[0]
	require.InDeltaSlice(t, []float64{10, 10, 8.04, 11.96}, []float64{within.X[0], within.Y[0], within.Lo[0], within.Hi[0]}, 1e-12)
}

// TestCompose: a text becomes paragraphs of one line each, tables and figures in their order. Long
// tables become files.
func TestCompose(t *testing.T) {
	s := &Section{Data: *recorded(), name: "x", claims: []string{"what", "ours"}, files: map[string][]byte{}}
	s.compose(`{{$a := .Where "kind" "a"}}
**In short:** it is {{$a.Mean "error" | num}}
of {{.At.seeds}} seeds.

| what | ours |
| :-- | --: |
| error | it is {{$a.Max "error"}} |

| size{{range .By "kind"}} | {{.At.kind}}{{end}} |
{{range .By "size" -}}
| {{.At.size}}{{range .By "kind"}} | {{.Mean "error" | num}}{{end}} |
{{end}}
{{panel "p" "" "x" "y" "" "" (.Lines "kind" "size" "error")}}
![A line.](p)
`, "f/")
	require.Equal(t, `
**In short:** it is 15 of 2 seeds.

| what | ours |
| :-- | --: |
| error | it is 20 |

| size | a | b |
| :-- | --: | --: |
| 10 | 10 | 15 |
| 20 | 20 | 15 |

![A line.](f/x-p.svg)

*A line.*
`, s.text)
	require.Equal(t, 1, s.tables, "tables, claims aside")
	require.Contains(t, string(s.files["x-p.svg"]), "</svg>")
	s.compose("| row | of many |\n"+strings.Repeat("| 1 | a, cell |\n", mostRows+1), "f/")
	require.Contains(t, s.text, "\nThe table has 41 rows, and stands in [x-2.csv](f/x-2.csv).\n")
	require.Contains(t, string(s.files["x-2.csv"]), "row,of many\n1,\"a, cell\"\n")
	for _, bad := range []string{`{{.Mean "nothing"}}`, `{{nothing}}`, "![A line.](q)"} {
		require.Error(t, Try(func() { s.compose(bad, "") }), bad)
	}
}

// zScore returns the distance of hits in n from the probability p, in standard errors.
func zScore(hits, n int, p float64) float64 {
	return (float64(hits) - float64(n)*p) / math.Sqrt(float64(n)*p*(1-p))
}

// TestWilson: the ends of the interval are the p whose z-score is 1.96, by its definition. Without
// hits in n the upper end is z^2/(n+z^2).
func TestWilson(t *testing.T) {
	const z = 1.959963984540054
	for _, c := range []struct{ hits, n int }{{1, 10}, {5, 10}, {81, 263}, {15, 148}, {999, 1000}} {
		lo, hi := Wilson(c.hits, c.n)
		require.InDelta(t, z, zScore(c.hits, c.n, lo), 1e-9, "lower end")
		require.InDelta(t, -z, zScore(c.hits, c.n, hi), 1e-9, "upper end")
	}
	for _, n := range []int{10, 2_590_590} {
		lo, _ := Wilson(0, n)
		require.Zero(t, lo, "lower end of none in %d", n)
	}
	_, hi := Wilson(0, 10)
	require.InDelta(t, z*z/(10+z*z), hi, 1e-15)
	// Newcombe 1998, table I: 81 of 263 has the interval 0.2553 to 0.3662.
	lo, hi := Wilson(81, 263)
	require.InDeltaSlice(t, []float64{0.2553, 0.3662}, []float64{lo, hi}, 5e-5)
}

func TestMoments(t *testing.T) {
	x := []float64{2, 4, 4, 4, 5, 5, 7, 9} // squares of the distances sum to 32
	require.Equal(t, 5.0, Mean(x))
	require.InDelta(t, math.Sqrt(32.0/7), Deviation(x), 1e-15)
	require.InDelta(t, math.Sqrt(32.0/7/8), StandardError(x), 1e-15)
	require.Equal(t, []float64{4.5, 2, 0}, []float64{Median(x), Median([]float64{9, 1, 2}), Deviation(x[:1])})
}

func TestParallel(t *testing.T) {
	for i, v := range Parallel(100, func(i int) int { return i * i }) {
		require.Equal(t, i*i, v)
	}
	bad := errors.New("bad")
	err := Try(func() {
		Parallel(10, func(i int) int {
			Require(i != 7, "of %d: %w", i, bad)
			return i
		})
	})
	require.ErrorIs(t, err, bad)
	require.Regexp(t, "^data_test.go:", err.Error())
}

// TestTry: a failure becomes the error, and other panics are not caught.
func TestTry(t *testing.T) {
	bad := errors.New("bad")
	require.NoError(t, Try(func() { Check(nil) }))
	require.ErrorIs(t, Try(func() { Must(1, bad) }), bad)
	require.PanicsWithValue(t, "other", func() { _ = Try(func() { panic("other") }) })
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", 0.5: "0.5", 1234.5: "1234", 123.4: "123", 12.34: "12.3", 0.012345: "0.0123", 1.2345e-9: "1.23e-09", -0.25: "-0.25",
	} {
		require.Equal(t, want, Num(v))
	}
}

// TestClaims: a part of at most 1 keeps a promise of either direction.
func TestClaims(t *testing.T) {
	r := []float64{1, 2, 4}
	took := &Data{}
	took.Record(nil, Figures{"took": 1, "ratio": 7}, Figures{"took": 2, "ratio": 7}, Figures{"took": 4, "ratio": 7})
	for _, c := range []struct {
		got  claim
		want []float64
	}{
		{atMost("", 2, r), []float64{0.5, 1, 2}},
		{atLeast("", 2, r), []float64{2, 1, 0.5}},
		{within("", 2000, "", took), []float64{0.5, 1, 2}},
		{rate("", "", 100, 50, "", took), []float64{0.5, 1, 2}}, // 100, 50 and 25 a second
	} {
		require.Equal(t, c.want, c.got.part)
	}
	require.Equal(t, "b", worst([]any{atMost("a", 4, r), atMost("b", 1, r), atMost("c", 2, r)}).(claim).what)
	require.Equal(t, "| a, slowest: b | at least 4 | 2 (1 to 4) | short: 2 (1 to 4), as it is |", promise(atLeast("a, slowest: b", 4, r, "it is")))
	require.Equal(t, "| c | at most 2000 ms | 7 (7 to 7) of d | 1 (0.5 to 2) |", promise(within("c", 2000, "d", took, "it is")))
}

// TestSlower: a promised figure is compared with the stored one, in either direction.
func TestSlower(t *testing.T) {
	p := &Program{Claims: []string{"what", Promised, Measured}}
	section := func(claims ...claim) string {
		return "## Title\n\n" + ruled(append([]string{line(p.Claims)}, Column(claims, promise)...)) + "\n"
	}
	stored := section(atMost("a, slowest: b", 1, []float64{1, 2, 3}), atLeast("speed", 1, []float64{1, 2, 3}), atMost("tight", 1, []float64{1, 1, 1}))
	for _, c := range []struct {
		name   string
		now    claim
		slower []string
	}{
		{"the same", atMost("a", 1, []float64{1, 2, 3}), nil},
		{"faster", atMost("a", 1, []float64{0.1, 0.2, 0.3}), nil},
		{"one round slower", atMost("a", 1, []float64{1, 2, 30}), nil},
		{"the median within the stored range", atMost("a", 1, []float64{2.5, 3, 4}), nil},
		{"a range that holds the stored median", atMost("a", 1, []float64{1.5, 4, 5}), nil},
		{"slower by more than both spreads", atMost("a, slowest: c", 1, []float64{2.5, 4, 5}), []string{"a: 4 (2.5 to 5), stored 2 (1 to 3)"}},
		{"more speed", atLeast("speed", 1, []float64{5, 6, 7}), nil},
		{"less speed", atLeast("speed", 1, []float64{0.25, 0.5, 0.8}), []string{"speed: 2 (1.25 to 4), stored 0.5 (0.333 to 1)"}},
		{"between runs of the same", atMost("tight", 1, []float64{1.29, 1.29, 1.29}), nil},
		{"30% above a run like it", atMost("tight", 1, []float64{1.31, 1.31, 1.31}), []string{"tight: 1.31 (1.31 to 1.31), stored 1 (1 to 1)"}},
		{"new", atMost("new", 1, []float64{99}), nil},
	} {
		require.Equal(t, c.slower, p.slower(stored, section(c.now)), c.name)
	}
	require.Empty(t, p.slower("", stored), "nothing is stored yet")
	require.Empty(t, (&Program{Claims: Compared}).slower(stored, stored), "a program without promises")
}
