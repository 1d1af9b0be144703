package report

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestRows: a figure of rows has every name once, every kind in its legend, and
// a mark further to the right for a larger quotient.
func TestRows(t *testing.T) {
	svg := drawRows("time / reference", []row{
		{Name: "first", Kind: "ours", At: 0.01, Lo: 0.005, Hi: 0.02},
		{Name: "first", Kind: "theirs", At: 3, Lo: 2, Hi: 4},
		{Name: "second", Kind: "ours", At: 40, Lo: 30, Hi: 50},
	})
	if err := checkFigure("rows.svg", svg); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"first", "second", "ours", "theirs", "time / reference"} {
		if n := strings.Count(string(svg), ">"+text+"</text>"); n != 1 {
			t.Errorf("%q is there %d times", text, n)
		}
	}
	// Filled circles are one path each: those of "ours", and its legend's.
	var xs []float64
	for _, m := range regexp.MustCompile(`<path d="M([0-9.]+),[0-9.]+A`).FindAllStringSubmatch(string(svg), -1) {
		x, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		xs = append(xs, x)
	}
	if len(xs) < 3 || !slices.IsSorted(xs[:2]) || xs[0] == xs[1] {
		t.Errorf("marks are at %v", xs)
	}
	for _, bad := range []row{{Name: "none", At: 1, Lo: 0, Hi: 1}, {Name: "none", At: 1, Lo: -1, Hi: 1}} {
		if err := Try(func() { drawRows("x", []row{bad}) }); err == nil || !strings.Contains(err.Error(), bad.Name) {
			t.Errorf("error of %v is %v", bad, err)
		}
	}
}

func TestAnchor(t *testing.T) {
	if got, want := Anchor("Building: ccbf_agg, a Test-1"), "building-ccbf_agg-a-test-1"; got != want {
		t.Errorf("anchor is %q, want %q", got, want)
	}
}
