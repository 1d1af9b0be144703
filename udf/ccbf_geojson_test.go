package udf

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// features is the JSON that appendGeoJSON writes.
type features struct {
	Type     string
	Features []struct {
		Type     string
		Geometry struct {
			Type        string
			Coordinates [][][2]float64
		}
		Properties struct{ Count uint64 }
	}
}

// listedOf returns all cells of a sketch of 3,000 points, a few of which have most of the points.
func listedOf(t *testing.T, p ccbf.Params, threshold uint64) (*ccbf.View, listing) {
	t.Helper()
	r := rand.New(rand.NewPCG(95, 0))
	zipf := rand.NewZipf(r, 1.2, 2, 899)
	var xs, ys []float64
	for range 3000 {
		i := zipf.Uint64()
		xs, ys = append(xs, (float64(i%211)-99.5)*p.Res), append(ys, (float64(i/211)-49.5)*p.Res)
	}
	s, err := ccbf.Build(p, xs, ys)
	if err != nil {
		t.Fatal(err)
	}
	v, err := ccbf.NewView(s.Blob())
	if err != nil {
		t.Fatal(err)
	}
	return &v, listing{ccbf.Box(v.Bounds), threshold, ccbf.Categories{}}
}

// anyRoom refuses no buffer.
func anyRoom(int64) error { return nil }

func TestGeoJSON(t *testing.T) {
	for _, res := range []float64{1, 0.001, 0.3, 1.0 / 3, 250, 1e-300, 1e300, math.Pi, 1 << 20, 1e-12} {
		for _, bytes := range []uint64{1 << 20, 1 << 9} {
			for _, threshold := range []uint64{1, 3} {
				v, l := listedOf(t, ccbf.Params{Res: res, Bytes: bytes}, threshold)
				text, err := l.appendGeoJSON([]byte("x"), v, anyRoom)
				spots, listErr := v.Cells(l.area, l.of)
				var f features
				if err != nil || listErr != nil || text[0] != 'x' || json.Unmarshal(text[1:], &f) != nil || f.Type != "FeatureCollection" {
					t.Fatalf("resolution %v: %v, %.300s", res, err, text)
				}
				i := 0
				for s := range spots {
					if s.Count < threshold {
						continue
					}
					got := f.Features[i]
					i++
					x, y, side := s.Square(v.Grid)
					ring := got.Geometry.Coordinates[0]
					if len(ring) != 5 || ring[0] != ring[4] || got.Type != "Feature" || got.Geometry.Type != "Polygon" || got.Properties.Count != s.Count {
						t.Fatalf("%+v of %v", got, s)
					}
					for j, corner := range [][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} { // counterclockwise
						for axis, centre := range [2]float64{x, y} {
							want := centre + corner[axis]*(side/2)
							if off := math.Abs(ring[j][axis] - want); off > res*1e-6 {
								t.Fatalf("resolution %v: corner %d of %v is %v, not %v", res, j, s, ring[j], want)
							}
						}
					}
				}
				if i != len(f.Features) {
					t.Fatalf("%d features, want %d", len(f.Features), i)
				}
			}
		}
	}
}

// Coordinates have no digit that is not needed.
func TestGeoJSONDigits(t *testing.T) {
	for _, c := range []struct {
		res  float64
		cell int64
		want string
	}{
		{0.1, 3, "0.3"}, {0.001, -127, "-0.127"}, {0.001, 51507, "51.507"}, {0.001, 2000, "2"}, {0.0001, 0, "0"},
		{0.25, 5, "1.25"}, {1, -7, "-7"}, {500, 3, "1500"}, {10, 100, "1000"}, {1.0 / 3, 1, "0.3333333333333333"}, {0.003, 1001, "3.003"}, {0.0001, 404001, "40.4001"}, {1.0 / 1024, 3, "0.0029296875"},
		{1e-20, 2, "2e-20"}, {1e200, -2, "-2e+200"}, {1e300, 1 << 50, "1.7976931348623157e+308"},
	} {
		g, err := grid.New(c.res)
		if err != nil {
			t.Fatal(err)
		}
		got := string(appendFeature(nil, g, &ccbf.Spot{Cell: grid.Cell{X: c.cell}}))
		if !strings.Contains(got, "[[["+c.want+",") {
			t.Errorf("cell %d at %v is %s, must begin at %s", c.cell, c.res, got, c.want)
		}
	}
}

// TestGeoJSONLimits: the text is limited by room.
func TestGeoJSONLimits(t *testing.T) {
	v, l := listedOf(t, ccbf.Params{Res: 1}, 1)
	full := errors.New("full")
	most := int64(0)
	if _, err := l.appendGeoJSON(nil, v, func(n int64) error {
		if most = n; n > 20000 {
			return full
		}
		return nil
	}); !errors.Is(err, full) || most > 80000 {
		t.Errorf("%v at %d bytes", err, most)
	}
	l.area = ccbf.Box(grid.Rect{MinX: 1})
	if text, err := l.appendGeoJSON(nil, v, anyRoom); err != nil || string(text) != `{"type":"FeatureCollection","features":[]}` {
		t.Errorf("an empty box: %s, %v", text, err)
	}
	v, l = listedOf(t, ccbf.Params{Res: 1, Dense: true}, 1)
	if _, err := l.appendGeoJSON(nil, v, anyRoom); !errors.Is(err, ccbf.ErrNotListed) {
		t.Errorf("counters: %v", err)
	}
}
