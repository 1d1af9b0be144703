package grid

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/ewkb"
	"github.com/paulmach/orb/encoding/wkb"
	"github.com/paulmach/orb/encoding/wkt"
)

var (
	square = orb.Ring{{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}}
	hole   = orb.Ring{{1, 1}, {1, 2}, {2, 2}, {1, 1}}
	tri    = orb.Ring{{9, 9}, {10, 9}, {9.5, 1e3}, {9, 9}}
)

func TestParseAccepts(t *testing.T) {
	one, holed := orb.MultiPolygon{{square}}, orb.MultiPolygon{{square, hole}}
	two := orb.MultiPolygon{{square, hole}, {tri}}
	for _, c := range []struct {
		in   string
		want orb.MultiPolygon
	}{
		{"POLYGON((0 0,4 0,4 4,0 4,0 0))", one},
		{"  polygon  ( ( 0 0 , 4 0 , 4 4 , 0 4 , 0 0 ) ) \n", one},
		{"POLYGON ((0 0, 4e0 0.0, +4 4, -0 4, 0 0), (1 1, 1 2, 2 2, 1 1))", holed},
		{"POLYGON Z ((0 0 9, 4 0 9, 4 4 9, 0 4 9, 0 0 9))", one},
		{"POLYGONZM((0 0 9 8, 4 0 9 8, 4 4 9 8, 0 4 9 8, 0 0 9 8))", one},
		{"POLYGON((0 0 1, 4 0 1, 4 4 1, 0 4 1, 0 0 1))", one},
		{"SRID=4326;POLYGON((0 0,4 0,4 4,0 4,0 0))", one},
		{"MULTIPOLYGON(((0 0,4 0,4 4,0 4,0 0),(1 1,1 2,2 2,1 1)),((9 9,10 9,9.5 1000,9 9)))", two},
		{"MULTIPOLYGON(EMPTY, ((0 0,4 0,4 4,0 4,0 0)), EMPTY)", one},
		{"POLYGON EMPTY", orb.MultiPolygon{}},
		{"MULTIPOLYGON ZM EMPTY", orb.MultiPolygon{}},
		{`{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]]]}`, one},
		{` {"coordinates": [ [ [0, 0, 7], [4, 0], [4e0, 4], [-0, 4.0], [0, 0] ], [[1,1],[1,2],[2,2],[1,1]] ], "crs": {"a": [{}]}, "type": "Polygon"}`, holed},
		{`{"type":"MultiPolygon","coordinates":[[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[1,2],[2,2],[1,1]]],[[[9,9],[10,9],[9.5,1000],[9,9]]]]}`, two},
		{`{"type":"Feature","properties":{"type":"x","coordinates":null},"geometry":{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]]]}}`, one},
		{`{"type":"FeatureCollection","features":[
			{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[1,2],[2,2],[1,1]]]}},
			{"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":[[[[9,9],[10,9],[9.5,1000],[9,9]]]]}}]}`, two},
		{`{"type":"FeatureCollection","features":[]}`, orb.MultiPolygon{}},
		{`{"type":"Polygon","coordinates":[]}`, orb.MultiPolygon{}},
		{string(wkb.MustMarshal(two[0])), holed},
		{string(wkb.MustMarshal(two, binary.BigEndian)), two},
		{string(ewkb.MustMarshal(two, 4326)), two},
		{string(wkb.MustMarshal(orb.Polygon{})), orb.MultiPolygon{}},
		{string(wkb.MustMarshal(orb.MultiPolygon{{}, {square}})), one},
	} {
		got, err := ParsePolygon([]byte(c.in))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q:\n got %v %v\nwant %v", c.in, got, err, c.want)
		}
	}
}

// WKB with Z and M in both conventions: orb does not write these.
func TestParseWKBDimensions(t *testing.T) {
	for _, c := range []struct {
		typ   uint32
		extra int
	}{{1003, 1}, {2003, 1}, {3003, 2}, {3 | ewkbZ, 1}, {3 | ewkbM, 1}, {3 | ewkbZ | ewkbM, 2}} {
		b := []byte{1}
		b = binary.LittleEndian.AppendUint32(b, c.typ)
		b = binary.LittleEndian.AppendUint32(b, 1)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(square)))
		for _, p := range square {
			for _, v := range append(p[:], make([]float64, c.extra)...) {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
			}
		}
		got, err := ParseWKB(b)
		if err != nil || !reflect.DeepEqual(got, orb.MultiPolygon{{square}}) {
			t.Errorf("type %x: %v %v", c.typ, got, err)
		}
	}
}

func TestParseRejects(t *testing.T) {
	unhex := func(s string) string {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, c := range []struct {
		in, want string
		is       error
	}{
		{"", "polygon: the text is empty", ErrPolygon},
		{" \n", "polygon: the text is empty", ErrPolygon},
		{"42", `polygon: "42" is neither WKT, GeoJSON nor WKB`, ErrPolygon},
		{"POINT(1 2)", "polygon: the geometry is a POINT; only POLYGON and MULTIPOLYGON have an inside", ErrGeometryType},
		{"LINESTRING Z (1 2 3, 4 5 6)", "polygon: the geometry is a LINESTRING; only POLYGON and MULTIPOLYGON have an inside", ErrGeometryType},
		{"SQUARE(1)", `polygon: WKT "SQUARE(1)" does not begin with a geometry type`, ErrPolygon},
		{"POLYGON((0 0,4 0,4 4,0 4))", "polygon: ring 1 is not closed: first point (0 0), last point (0 4)", ErrPolygon},
		{"MULTIPOLYGON(((0 0,4 0,4 4,0 0)),((0 0,4 0,0 0)))", "polygon: member 2, ring 1 has 3 points; a ring needs at least 4, the last equal to the first", ErrPolygon},
		{"POLYGON((0 0,NaN 0,4 4,0 0))", "polygon: ring 1, point 2 is (NaN 0), not finite", ErrNotFinite},
		{"POLYGON((0 0,4 0,4 -Inf,0 0))", "polygon: ring 1, point 3 is (4 -Inf), not finite", ErrNotFinite},
		{"POLYGON((0 0,1e999 0,4 4,0 0))", `polygon: WKT, byte 13, at "1e999 0,4 4,0 0))": the number does not fit a double`, ErrPolygon},
		{"POLYGON((0 0,x 0,4 4,0 0))", `polygon: WKT, byte 13, at "x 0,4 4,0 0))": "x" is not a number`, ErrPolygon},
		{"POLYGON((0 0,4", "polygon: WKT ends after 14 bytes: a point of 1 numbers; it needs x and y", ErrPolygon},
		{"POLYGON((0 0,4 0", "polygon: WKT ends after 16 bytes: ',' or ')' was expected", ErrPolygon},
		{"POLYGON(0 0,4 0,4 4,0 0)", `polygon: WKT, byte 8, at "0 0,4 0,4 4,0 0)": '(' was expected`, ErrPolygon},
		{"POLYGON((((0 0))))", `polygon: WKT, byte 9, at "((0 0))))": "" is not a number`, ErrPolygon},
		{"POLYGON Z ((0 0,4 0,4 4,0 0))", `polygon: WKT, byte 15, at ",4 0,4 4,0 0))": a point of 2 numbers where 3 were declared`, ErrPolygon},
		{"POLYGON((0 0,4 0,4 4,0 0)) x", `polygon: WKT, byte 27, at "x": nothing more was expected`, ErrPolygon},
		{`{"type":"Point","coordinates":[1,2]}`, "polygon: the geometry is a Point; only Polygon and MultiPolygon have an inside", ErrGeometryType},
		{`{"type":"Polygon"}`, "polygon: GeoJSON Polygon has no coordinates", ErrPolygon},
		{`{"type":"polygon","coordinates":[]}`, `polygon: GeoJSON type "polygon" is not known`, ErrPolygon},
		{`{}`, "polygon: GeoJSON object without a type", ErrPolygon},
		{`{"type":"Polygon","coordinates":[[[0,0],[4],[4,4],[0,0]]]}`, `polygon: GeoJSON coordinates, byte 11, at ",[4,4],[0,0]]]": a point of at least two numbers before this was expected`, ErrPolygon},
		{`{"type":"Polygon","coordinates":[[[0,0],[4,null],[4,4],[0,0]]]}`, `polygon: GeoJSON coordinates, byte 11, at "null],[4,4],[0,0]]]": a number was expected`, ErrPolygon},
		{`{"type":"Polygon","coordinates":[[0,0],[4,0]]}`, `polygon: GeoJSON coordinates, byte 2, at "0,0],[4,0]]": a point [x, y] was expected`, ErrPolygon},
		{`{"type":"Polygon","coordinates":[[[0,0],[1e999,0],[4,4],[0,0]]]}`, `polygon: GeoJSON coordinates, byte 9, at "1e999,0],[4,4],[0,0]]]": a number that fits a double was expected`, ErrPolygon},
		{`{"type":"Polygon","coordinates":{}}`, `polygon: GeoJSON coordinates, byte 0, at "{}": an array of rings was expected`, ErrPolygon},
		{`{"type":"Feature","geometry":null}`, "polygon: GeoJSON Feature has no geometry", ErrPolygon},
		{`{"type":"FeatureCollection"}`, "polygon: GeoJSON FeatureCollection has no features array", ErrPolygon},
		{`{"type":"FeatureCollection","features":[{"type":"FeatureCollection"}]}`, `polygon: GeoJSON FeatureCollection holds "FeatureCollection", not a Feature (feature 1)`, ErrPolygon},
		{`{"type":"Polygon",`, "polygon: GeoJSON, byte 18: unexpected end of JSON input", ErrPolygon},
		{"\x00", "polygon: WKB ends after 1 bytes, in the middle of the geometry", ErrPolygon},
		{unhex("0101000000"), "polygon: the geometry is a Point; only Polygon and MultiPolygon have an inside", ErrGeometryType},
		{unhex("01ff000000"), "polygon: WKB: geometry type 255 is not known", ErrPolygon},
		{unhex("0103000000ffffffff"), "polygon: WKB, byte 5: 4294967295 rings of at least 4 bytes each, but 0 bytes are left", ErrPolygon},
		{unhex("010300000001000000ffffff7f"), "polygon: WKB, byte 9: 2147483647 points of at least 16 bytes each, but 0 bytes are left", ErrPolygon},
		{unhex("0106000000ffffffff"), "polygon: WKB, byte 5: 4294967295 polygons of at least 9 bytes each, but 0 bytes are left", ErrPolygon},
		{unhex("010600000001000000010100000000000000"), "polygon: WKB: a MultiPolygon holds a geometry of type 1 (Point)", ErrPolygon},
		{unhex("01060000000100000007030000000000000000"), "polygon: WKB, byte 9: byte order 7 is neither 0 nor 1", ErrPolygon},
		{string(wkb.MustMarshal(orb.Polygon{square})) + "x", "polygon: WKB: 1 bytes follow the geometry", ErrPolygon},
	} {
		_, err := ParsePolygon([]byte(c.in))
		if err == nil || err.Error() != c.want || !errors.Is(err, c.is) {
			t.Errorf("%q:\n got %v\nwant %s", c.in, err, c.want)
		}
	}
}

// Hostile nesting and truncation: an error, quickly, and no panic.
func TestParseHostile(t *testing.T) {
	deep := strings.Repeat("[", 1_000_000)
	for _, s := range []string{
		`{"type":"Polygon","coordinates":` + deep,
		`{"type":"Polygon","coordinates":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
		"POLYGON" + strings.Repeat("(", 1_000_000),
		"POLYGON" + strings.Repeat("Z", 1_000_000),
	} {
		if mp, err := ParsePolygon([]byte(s)); err == nil {
			t.Errorf("%.40s: %v", s, mp)
		}
	}
	for _, s := range []string{
		string(wkb.MustMarshal(orb.MultiPolygon{{square, hole}, {tri}})),
		wkt.MarshalString(orb.MultiPolygon{{square, hole}, {tri}}),
	} {
		for i := range s {
			if _, err := ParsePolygon([]byte(s[:i])); err == nil {
				t.Errorf("%d of %d bytes are taken for the whole: %q", i, len(s), s[:i])
			}
		}
	}
	b := builder{points: MaxVertices - 1}
	if err := b.point(); err != nil {
		t.Error(err)
	}
	if err := b.point(); !errors.Is(err, ErrTooLarge) || err.Error() != "polygon: more than 10000000 points" {
		t.Error(err)
	}
}

// What orb writes and reads is read here to the same polygon.
func TestParseAgainstOrb(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		mp := randomPolygon(rng, math.Exp(20*rng.Float64()-10))
		for _, s := range []string{
			wkt.MarshalString(mp),
			string(wkb.MustMarshal(mp)),
			string(ewkb.MustMarshal(mp, 3857, binary.BigEndian)),
		} {
			if got, err := ParsePolygon([]byte(s)); err != nil || !reflect.DeepEqual(got, mp) {
				t.Fatalf("%v\n got %v\nwant %v", err, got, mp)
			}
		}
	}
}
