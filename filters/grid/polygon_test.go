package grid

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
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
		{"SRID=4326;POLYGON((0 0,4 0,4 4,0 4,0 0))", one},
		{"MULTIPOLYGON(((0 0,4 0,4 4,0 4,0 0),(1 1,1 2,2 2,1 1)),((9 9,10 9,9.5 1000,9 9)))", two},
		{"POLYGON EMPTY", orb.MultiPolygon{}},
		{"SRID=4326; multipolygon\tZM\n EMPTY ", orb.MultiPolygon{}},
		{"POLYGON\r\n((0  0,\t4\t0 , 4 4,\n0 4,0 0))", one},
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

// WKB with Z and M in both conventions: orb would read some of these as if
// they had none.
func TestParseWKBDimensions(t *testing.T) {
	b := wkb.MustMarshal(orb.Polygon{square})
	for typ, name := range map[uint32]string{
		1003: "Polygon", 2003: "Polygon", 3006: "MultiPolygon",
		3 | ewkbZ: "Polygon", 6 | ewkbM: "MultiPolygon", 3 | ewkbZ | ewkbM | ewkbSRID: "Polygon",
	} {
		binary.LittleEndian.PutUint32(b[1:], typ)
		want := fmt.Sprintf("polygon: the geometry is a %s with Z or M (type %d); only x and y can be read", name, typ)
		if _, err := ParseWKB(b); !errors.Is(err, ErrGeometryType) || err.Error() != want {
			t.Errorf("type %x: %v", typ, err)
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
		{"POLYGON((0 0,1e999 0,4 4,0 0))", `polygon: WKT: the number "1e999" does not fit a double`, ErrPolygon},
		{"POLYGON((0 0,x 0,4 4,0 0))", `polygon: WKT: "x" is not a number`, ErrPolygon},
		{"POLYGON((0 0,4", `polygon: WKT: the point "4" has 1 numbers, not x and y`, ErrPolygon},
		{"POLYGON((0 0,4 0", `polygon: WKT "POLYGON((0 0,4 0": a bracket or comma is missing or out of place`, ErrPolygon},
		{"POLYGON(0 0,4 0,4 4,0 0)", `polygon: WKT "POLYGON(0 0,4 0,4 4,0 0)": a bracket or comma is missing or out of place`, ErrPolygon},
		{"POLYGON((((0 0))))", `polygon: WKT "POLYGON((((0 0))))": a bracket or comma is missing or out of place`, ErrPolygon},
		{"POLYGON Z ((0 0 9,4 0 9,4 4 9,0 0 9))", "polygon: the geometry is a POLYGON Z; only x and y can be read, not Z and M", ErrGeometryType},
		{"multipolygonzm(((0 0 9 8)))", "polygon: the geometry is a MULTIPOLYGON ZM; only x and y can be read, not Z and M", ErrGeometryType},
		{"POLYGON((0 0 1,4 0 1,4 4 1,0 0 1))", `polygon: WKT: the point "0 0 1" has 3 numbers, not x and y`, ErrPolygon},
		{"MULTIPOLYGON(EMPTY,((0 0,4 0,4 4,0 0)))", "polygon: WKT: a member that is EMPTY cannot be read; leave it out", ErrPolygon},
		{"POLYGON", "polygon: WKT \"POLYGON\" does not begin with a geometry type and '(' or EMPTY", ErrPolygon},
		{"POLYGON((0 0,,4 0,4 4,0 0))", `polygon: WKT "POLYGON((0 0,,4 0,4 4,0 "...: a bracket or comma is missing or out of place`, ErrPolygon},
		{"POLYGON((0 0,4 0,4 4,0 0)|,|(1 1,1 2,2 2,1 1))", `polygon: WKT: "|" is not a number`, ErrPolygon},
		{"POLYGON((0 0,4 0,4 4,0 0)) x", `polygon: WKT: "x" is not a number`, ErrPolygon},
		{`{"type":"Point","coordinates":[1,2]}`, "polygon: the geometry is a Point; only Polygon and MultiPolygon have an inside", ErrGeometryType},
		{`{"type":"Polygon"}`, "polygon: GeoJSON Polygon has no coordinates", ErrPolygon},
		{`{"type":"polygon","coordinates":[]}`, `polygon: GeoJSON type "polygon" is not known`, ErrPolygon},
		{`{}`, "polygon: GeoJSON object without a type", ErrPolygon},
		{`{"type":"Polygon","coordinates":[[[0,0],[4],[4,4],[0,0]]]}`, `polygon: GeoJSON coordinates, byte 8: the point "[4]" has less than two numbers`, ErrPolygon},
		{`{"type":"Polygon","coordinates":[[[0,0],[4,null],[4,4],[0,0]]]}`, `polygon: GeoJSON coordinates, byte 11, at "null],[4,4],[0,0]]]": neither a number nor an array`, ErrPolygon},
		{`{"type":"Polygon","coordinates":[[[0,0],[4,0,"]"],[4,4],[0,0]]]}`, `polygon: GeoJSON coordinates, byte 13, at "\"]\"],[4,4],[0,0]]]": neither a number nor an array`, ErrPolygon},
		{`{"type":"Polygon","coordinates":[[[[0,0],[4,0]]]]}`, "polygon: GeoJSON coordinates, byte 4: array where a number was expected", ErrPolygon},
		{`{"type":"Polygon","coordinates":[[0,0],[4,0]]}`, "polygon: GeoJSON coordinates, byte 3: number where an array was expected", ErrPolygon},
		{`{"type":"Polygon","coordinates":[[[0,0],[1e999,0],[4,4],[0,0]]]}`, "polygon: GeoJSON coordinates, byte 14: number 1e999 does not fit a double", ErrPolygon},
		{`{"type":"Polygon","coordinates":{}}`, `polygon: GeoJSON coordinates, byte 0, at "{}": neither a number nor an array`, ErrPolygon},
		{`{"type":"Feature","geometry":null}`, "polygon: GeoJSON Feature has no geometry", ErrPolygon},
		{`{"type":"Feature","geometry":{}}`, "polygon: GeoJSON object without a type", ErrPolygon},
		{`{"type":1}`, "polygon: GeoJSON: json: cannot unmarshal number into Go struct field object.type of type string", ErrPolygon},
		{`{"type":"FeatureCollection"}`, "polygon: GeoJSON FeatureCollection has no features array", ErrPolygon},
		{`{"type":"FeatureCollection","features":[{"type":"FeatureCollection"}]}`, `polygon: GeoJSON FeatureCollection holds "FeatureCollection", not a Feature (feature 1)`, ErrPolygon},
		{`{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Polygon","coordinates":[]}},{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0,0],[0,0]]]}}]}`,
			"polygon: ring 1 has 2 points; a ring needs at least 4, the last equal to the first (feature 2)", ErrPolygon},
		{`{"type":"Polygon",`, "polygon: GeoJSON, byte 18: unexpected end of JSON input", ErrPolygon},
		{"\x00", "polygon: WKB ends after 1 bytes, in the middle of the geometry", ErrPolygon},
		{unhex("0101000000"), "polygon: the geometry is a Point; only Polygon and MultiPolygon have an inside", ErrGeometryType},
		{unhex("01ff000000"), "polygon: WKB: geometry type 255 is not known", ErrPolygon},
		{unhex("0103000000ffffffff"), "polygon: WKB, byte 5: 4294967295 rings of at least 4 bytes each, but 0 bytes are left", ErrPolygon},
		{unhex("010300000001000000ffffff7f"), "polygon: WKB, byte 9: 2147483647 points of at least 16 bytes each, but 0 bytes are left", ErrPolygon},
		{unhex("0106000000ffffffff"), "polygon: WKB, byte 5: 4294967295 polygons of at least 9 bytes each, but 0 bytes are left", ErrPolygon},
		{unhex("010600000001000000010100000000000000"), "polygon: WKB, byte 9: a MultiPolygon holds a geometry of type 1, not a Polygon (3)", ErrPolygon},
		{unhex("010600000001000000010300002000000000"), "polygon: WKB, byte 9: a MultiPolygon holds a geometry of type 536870915, not a Polygon (3)", ErrPolygon},
		{unhex("01030000200000"), "polygon: WKB ends after 7 bytes, in the middle of the geometry", ErrPolygon},
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
	big := make([]byte, maxInput+1) // zeros: big-endian WKB
	const text = "polygon: 1000000001 bytes of WKB; at most 1000000000 are read"
	if _, err := ParsePolygon(big); !errors.Is(err, ErrTooLarge) || err.Error() != text {
		t.Error(err)
	}
	mp := orb.MultiPolygon{{make(orb.Ring, MaxVertices), square}}
	if _, err := check(mp); !errors.Is(err, ErrTooLarge) || err.Error() != "polygon: more than 10000000 points" {
		t.Error(err)
	}
	if _, err := ParseWKT("POLYGON((" + strings.Repeat(",", MaxVertices)); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
}

// Multipolygons within multipolygons, each claiming many: orb alone would hold
// 2400 bytes for 9 and overflow the stack.
func TestParseWKBNested(t *testing.T) {
	b := bytes.Repeat([]byte{1, 6, 0, 0, 0, 100, 0, 0, 0}, 1_000_000)
	mp, err := ParseWKB(b)
	if err == nil || err.Error() != "polygon: WKB, byte 9: a MultiPolygon holds a geometry of type 6, not a Polygon (3)" {
		t.Error(mp, err)
	}
}

// A panic of the library comes back as an error.
func TestParsePanic(t *testing.T) {
	mp, err := parse("WKT", 1, func() (orb.MultiPolygon, error) { panic("index out of range") })
	if mp != nil || !errors.Is(err, ErrPolygon) || err.Error() != "polygon: WKT: internal error: index out of range" {
		t.Error(mp, err)
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
