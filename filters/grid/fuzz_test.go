package grid

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/ewkb"
	"github.com/paulmach/orb/encoding/wkb"
	"github.com/paulmach/orb/encoding/wkt"
)

// FuzzParsePolygon: no input makes a parser panic. Scan takes every polygon that is read, and orb's
// writers keep it.
func FuzzParsePolygon(f *testing.F) {
	two := orb.MultiPolygon{{square, hole}, {tri}}
	for _, s := range []string{
		wkt.MarshalString(two), string(wkb.MustMarshal(two)), string(wkb.MustMarshal(two[0])),
		"SRID=4326;MULTIPOLYGON ZM (EMPTY, ((0 0 1 1,4 0 1 1,4 4 1 1,0 0 1 1)))", "POLYGON EMPTY",
		"SRID=4326; polygon ( (0 0 , 4  0,4 4,\t0 0),(1 1,1 2,2 2,1 1))", string(ewkb.MustMarshal(two, 4326)),
		strings.Repeat("\x01\x06\x00\x00\x00\x01\x00\x00\x00", 3),
		`{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0,0],[4,0,1],[4,4],[0,0]]]}}`,
		`{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[4e300,0],[4,4],[0,0]]]]}}]}`,
		"GEOMETRYCOLLECTION Z(POLYGON((0 0 7,4 0 7,4 4 7)), MULTIPOLYGON EMPTY,GEOMETRYCOLLECTION(POLYGON M((0 0 nan,4 0 1,4 4 1))))",
		`{"type":"GeometryCollection","geometries":[{"coordinates":[[[0,0],[4,0],[4,4]]],"type":"Polygon","b\u0062ox":"\""},{"type":"GeometryCollection","geometries":[]}]}`,
		string(form{order: binary.BigEndian, z: true, srid: true, members: true}.multi(two)),
		string(wkb.MustMarshal(orb.Collection{two, orb.Collection{orb.Polygon{tri}}})), hex.EncodeToString(wkb.MustMarshal(two)),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		mp, err := ParsePolygon(b)
		if err != nil {
			if mp != nil || err.Error() == "" {
				t.Fatalf("%v and the error %v", mp, err)
			}
			return
		}
		if _, err := mustGrid(t, 1).Scan(mp, MaxRect()); err != nil {
			t.Fatalf("parsed, but: %v", err)
		}
		for form, b := range map[string][]byte{"WKB": wkb.MustMarshal(mp), "WKT": wkt.Marshal(mp), "GeoJSON": []byte(asGeoJSON(t, mp))} {
			again, err := ParsePolygon(b)
			if err != nil || !again.Equal(mp) {
				t.Fatalf("through %s: %v %v, want %v", form, again, err, mp)
			}
		}
	})
}

// fuzzPolygon has two members, of which the first has a hole.
func fuzzPolygon(shape []byte, scale float64) orb.MultiPolygon {
	ring := func(b []byte) (r orb.Ring) {
		for ; len(b) > 1; b = b[2:] {
			r = append(r, orb.Point{scale * (float64(b[0]) - 99.3), scale * (float64(b[1]) - 99.3)})
		}
		if len(r) > 0 {
			r = append(r, r[0])
		}
		return r
	}
	third := len(shape) / 3
	return orb.MultiPolygon{{ring(shape[:third]), ring(shape[third : 2*third])}, {ring(shape[2*third:])}}
}

// FuzzScan: a scan of any polygon on any grid does not panic or hang. Rows are in order and within bounds,
// and rectangles that a Descent cuts up at random agree with them.
func FuzzScan(f *testing.F) {
	f.Add(1.0, []byte("\x00\x00\x40\x00\x40\x40\x00\x40"), 1.0, int64(0))
	f.Add(0.01, []byte("some ring that crosses itself"), 1e300, int64(5))
	f.Add(1e-300, []byte("a\x00b\xffc\x80"), 1e-10, int64(-7))
	f.Add(9.0, []byte("a\x00b\xffc\x80, and three more"), 1.0, int64(-7))
	f.Fuzz(func(t *testing.T, res float64, shape []byte, scale float64, from int64) {
		g, err := New(res)
		if err != nil {
			return
		}
		mp := fuzzPolygon(shape, scale)
		s, err := g.Scan(mp, MaxRect())
		if err != nil || s.Bounds().Empty() {
			return
		}
		b := s.Bounds()
		for y := max(b.MinY, min(from, b.MaxY)); y <= b.MaxY && y-from < 300; y++ {
			row := s.Row(y)
			for i, iv := range row {
				if iv.X0 > iv.X1 || iv.X0 < b.MinX || iv.X1 > b.MaxX || i > 0 && iv.X0 <= row[i-1].X1+1 {
					t.Fatalf("row %d: %v in bounds %v", y, row, b)
				}
			}
		}
		rng := rand.New(rand.NewPCG(uint64(from), 1))
		x, y := b.MinX+rng.Int64N(b.MaxX-b.MinX+1), b.MinY+rng.Int64N(b.MaxY-b.MinY+1)
		area := Rect{x - 12, y - 12, x + 12, y + 12}
		newDescentJudge(t, rng, g, mp, area).enter(area)
	})
}

// FuzzGlobe: any ring is refused, or becomes rings within the map that are read again.
func FuzzGlobe(f *testing.F) {
	f.Add([]byte("\x00\x00\x40\x00\x40\x40\x00\x40"), 3.0, 0.7)
	f.Add([]byte("\x80\x00\xff\x00\xff\xff"), 4.2, 0.8)
	f.Add([]byte("round the pole \x00\xff"), 540.0/128, 90.0/128)
	f.Fuzz(func(t *testing.T, shape []byte, width, height float64) {
		var r orb.Ring
		for ; len(shape) > 1; shape = shape[2:] {
			r = append(r, orb.Point{width * float64(int8(shape[0])), height * float64(int8(shape[1]))})
		}
		if len(r) == 0 {
			return
		}
		r = append(r, r[0])
		mp := orb.MultiPolygon{{r, square}, {square, r}}
		if _, err := ParsePolygon(wkb.MustMarshal(mp)); err != nil {
			return
		}
		got, err := Globe(mp)
		if err != nil {
			return
		}
		for _, poly := range got {
			for _, r := range poly {
				b := r.Bound()
				if b.Left() < -180 || b.Right() > 180 || b.Bottom() < -90 || b.Top() > 90 {
					t.Fatalf("%v reaches out of the map", r)
				}
			}
		}
		if again, err := ParsePolygon(wkb.MustMarshal(got)); err != nil || !again.Equal(got) {
			t.Fatalf("%v, read again: %v %v", got, again, err)
		}
	})
}
