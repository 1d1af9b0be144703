package grid

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/wkb"
	"github.com/paulmach/orb/encoding/wkt"
)

// In the inputs @ marks the byte that the error must name.
func TestParseErrors(t *testing.T) {
	const inside = " has no inside; only Polygon, MultiPolygon and collections of them have"
	const good = `{"type":"Feature","geometry":{"type":"Polygon","coordinates":[]}}`
	for _, c := range []struct {
		in, want string
		is       error
	}{
		{"", "polygon: the text is empty", ErrPolygon},
		{" \n", "polygon: the text is empty", ErrPolygon},
		{"GP\x00\x01\xe6\x10\x00\x00\x01", "polygon: this is a geometry of a GeoPackage, which has a header of its own before the WKB: read the file with ST_Read, or pass its WKB", ErrPolygon},
		{"42", `polygon: "42" is neither WKT, GeoJSON nor WKB`, ErrPolygon},

		{"@POINT(1 2)", "polygon: WKT (byte @): a Point" + inside, ErrGeometryType},
		{" @LINESTRING Z (1 2 3, 4 5 6)", "polygon: WKT (byte @): a LineString" + inside, ErrGeometryType},
		{"GEOMETRYCOLLECTION(POLYGON EMPTY,@pointz(1 2 3))", "polygon: WKT (geometry 2, byte @): a Point" + inside, ErrGeometryType},
		{"GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(POLYGON EMPTY,POLYGON EMPTY, @LINESTRING EMPTY))", "polygon: WKT (geometry 1, geometry 3, byte @): a LineString" + inside, ErrGeometryType},
		{"@SQUARE(1)", `polygon: WKT (byte @): "SQUARE(1)" does not begin with a geometry type`, ErrPolygon},
		{"SRID@;POLYGON EMPTY", "polygon: WKT (byte @): SRID is not followed by = and a number and a semicolon", ErrPolygon},
		{"SRID@=x;POLYGON EMPTY", "polygon: WKT (byte @): SRID is not followed by = and a number and a semicolon", ErrPolygon},
		{"MULTIPOLYGON(((0 0,4 0,4 4,0 0)),(@(0 0,4 0,0 0)))", "polygon: WKT (member 2, ring 1, byte @): points 1 to 3 are at two places, (0 0) and (4 0); a ring needs three", ErrPolygon},
		{"POLYGON((0 0,4 0,4 4,0 0),@(5 5,5 5))", "polygon: WKT (ring 2, byte @): points 1 to 2 are all (5 5); a ring needs three places", ErrPolygon},
		{"POLYGON(@EMPTY)", "polygon: WKT (ring 1, byte @): the ring has no points", ErrPolygon},
		{"POLYGON((0 0,@NaN 0,4 4,0 0))", "polygon: WKT (ring 1, point 2, byte @): (NaN 0) is not finite", ErrNotFinite},
		{"POLYGON((0 0,4 0,@4 -Inf,0 0))", "polygon: WKT (ring 1, point 3, byte @): (4 -Inf) is not finite", ErrNotFinite},
		{"POLYGON((0 0,@1e999 0,4 4,0 0))", `polygon: WKT (ring 1, point 2, byte @): the number "1e999" does not fit a double`, ErrPolygon},
		{"POLYGON((0 0,4 @1_0,4 4,0 0))", `polygon: WKT (ring 1, point 2, byte @): "1_0" is not a number`, ErrPolygon},
		{"POLYGON((0 0,4 @0x1p2,4 4,0 0))", `polygon: WKT (ring 1, point 2, byte @): "0x1p2" is not a number`, ErrPolygon},
		{"POLYGON((0 0,4 @zero,4 4,0 0))", `polygon: WKT (ring 1, point 2, byte @): "zero" is not a number`, ErrPolygon},
		{"POLYGON((0 0,@,4 0,4 4,0 0))", `polygon: WKT (ring 1, point 2, byte @): ",4 0,4 4,0 0))" where a number should be`, ErrPolygon},
		{"POLYGON((0 0, @", "polygon: WKT (ring 1, point 2, byte @): the text ends where a number should be", ErrPolygon},
		{"POLYGON((0 0,@4", `polygon: WKT (ring 1, point 2, byte @): the point "4" must have 2 to 4 numbers`, ErrPolygon},
		{"POLYGON((@0 0 0 0 0,4 0))", `polygon: WKT (ring 1, point 1, byte @): the point "0 0 0 0 0" must have 2 to 4 numbers`, ErrPolygon},
		{"POLYGON((0 0,4 0,4 4),(1 1,@1 2 3))", `polygon: WKT (ring 2, point 2, byte @): the point "1 2 3" must have 2 numbers as the others`, ErrPolygon},
		{"MULTIPOLYGON Z(((@0 0,4 0,4 4,0 0)))", `polygon: WKT (member 1, ring 1, point 1, byte @): the point "0 0" must have 3 numbers as the others`, ErrPolygon},
		{"POLYGON((0 0,4 0@", "polygon: WKT (ring 1, point 3, byte @): the text ends where , or ) should be", ErrPolygon},
		{"POLYGON(@0 0,4 0,4 4,0 0)", `polygon: WKT (ring 1, point 1, byte @): "0 0,4 0,4 4,0 0)" where ( should be`, ErrPolygon},
		{"POLYGON((@((0 0))))", `polygon: WKT (ring 1, point 1, byte @): "((0 0))))" where a number should be`, ErrPolygon},
		{"POLYGON@", "polygon: WKT (byte @): the text ends where ( should be", ErrPolygon},
		{"POLYGON((0 0,4 0,4 4,0 0)@|,|(1 1,1 2,2 2,1 1))", `polygon: WKT (byte @): "|,|(1 1,1 2,2 2,1 1))" where , or ) should be`, ErrPolygon},
		{"POLYGON((0 0,4 0,4 4,0 0)) @x", `polygon: WKT (byte @): "x" follows the geometry`, ErrPolygon},
		{"POLYGON((0 0,4 0,4 4,0 0))@\x00", `polygon: WKT (byte @): "\x00" follows the geometry`, ErrPolygon},

		{`@{"type":"Point","coordinates":[1,2]}`, "polygon: GeoJSON (byte @): a Point" + inside, ErrGeometryType},
		{`{"type":"GeometryCollection","geometries":[{"type":"Polygon","coordinates":[]}, @{"type":"MultiLineString"}]}`, "polygon: GeoJSON (geometry 2, byte @): a MultiLineString" + inside, ErrGeometryType},
		{`{"type":"FeatureCollection","features":[` + good + `,{"type":"Feature","geometry":@{"type":"Point"}}]}`, "polygon: GeoJSON (feature 2, byte @): a Point" + inside, ErrGeometryType},
		{`@{"type":"Polygon"}`, "polygon: GeoJSON (byte @): the Polygon has no coordinates", ErrPolygon},
		{`@{"type":"MultiPolygon","coordinates":null}`, "polygon: GeoJSON (byte @): the MultiPolygon has no coordinates", ErrPolygon},
		{`@{"type":"polygon","coordinates":[]}`, `polygon: GeoJSON (byte @): type "polygon" is not known: it is "Polygon" in GeoJSON`, ErrPolygon},
		{`@{"type":"\u0050oly\ngon"}`, `polygon: GeoJSON (byte @): type "Poly\ngon" is not known`, ErrPolygon},
		{`@{"type":"Poly\/gon"}`, `polygon: GeoJSON (byte @): type "Poly/gon" is not known`, ErrPolygon},
		{`@{}`, "polygon: GeoJSON (byte @): the object has no type", ErrPolygon},
		{`@{"type":1}`, "polygon: GeoJSON (byte @): the object has no type", ErrPolygon},
		{`{"type":"Polygon","coordinates":[[[0,0],@[4],[4,4],[0,0]]]}`, `polygon: GeoJSON (ring 1, point 2, byte @): the point "[4]" has less than two numbers`, ErrPolygon},
		{`{"type":"Polygon","coordinates":[[[0,0],[4,@null],[4,4],[0,0]]]}`, `polygon: GeoJSON (ring 1, point 2, byte @): "null" is not a number`, ErrPolygon},
		{`{"type":"Polygon","coordinates":[[[0,0],[4,0,@"]"],[4,4],[0,0]]]}`, `polygon: GeoJSON (ring 1, point 2, byte @): "\"]\"" is not a number`, ErrPolygon},
		{`{"type":"Polygon","coordinates":[[[@[0,0],[4,0]]]]}`, `polygon: GeoJSON (ring 1, point 1, byte @): "[0,0]" is not a number`, ErrPolygon},
		{`{"type":"Polygon","coordinates":[[@0,0],[4,0]]}`, `polygon: GeoJSON (ring 1, point 1, byte @): "0,0],[4,0]]}" where an array should be`, ErrPolygon},
		{`{"type":"MultiPolygon","coordinates":[[],[[[0,0],[@-1e999,0],[4,4],[0,0]]]]}`, `polygon: GeoJSON (member 2, ring 1, point 2, byte @): the number "-1e999" does not fit a double`, ErrPolygon},
		{`{"type":"Polygon","coordinates":@{}}`, `polygon: GeoJSON (byte @): "{}}" where an array should be`, ErrPolygon},
		{`{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1]],@[]]}`, "polygon: GeoJSON (ring 2, byte @): the ring has no points", ErrPolygon},
		{`{"type":"FeatureCollection","features":[` + good + `,{"type":"Feature","geometry":{"type":"Polygon","coordinates":[@[[0,0],[0,0]]]}}]}`,
			"polygon: GeoJSON (feature 2, ring 1, byte @): points 1 to 2 are all (0 0); a ring needs three places", ErrPolygon},
		{`@{"type":"Feature","properties":null}`, "polygon: GeoJSON (byte @): the Feature has no geometry", ErrPolygon},
		{`{"type":"Feature","geometry":@[1]}`, `polygon: GeoJSON (byte @): "[1]}" where an object should be`, ErrPolygon},
		{`{"type":"Feature","geometry":@{"type":"Feature"}}`, "polygon: GeoJSON (byte @): a Feature where a geometry should be", ErrPolygon},
		{`@{"type":"FeatureCollection"}`, "polygon: GeoJSON (byte @): the FeatureCollection has no features", ErrPolygon},
		{`@{"type":"GeometryCollection","geometries":null}`, "polygon: GeoJSON (byte @): the GeometryCollection has no geometries", ErrPolygon},
		{`{"type":"FeatureCollection","features":[@{"type":"FeatureCollection"}]}`, `polygon: GeoJSON (feature 1, byte @): a FeatureCollection holds "FeatureCollection", not a Feature`, ErrPolygon},
		{`{"type":"Polygon",@`, "polygon: GeoJSON (byte @): unexpected end of JSON input", ErrPolygon},

		{`{"type":@x}`, "polygon: GeoJSON (byte @): invalid character 'x' looking for beginning of value", ErrPolygon},
		{`{"type":"Polygon"@]`, "polygon: GeoJSON (byte @): invalid character ']' after object key:value pair", ErrPolygon},

		{"\x00@", "polygon: WKB (byte @): the bytes end in the middle of the geometry", ErrPolygon},
		{"01030000000@", "polygon: \"01030000000\" is not WKB in hexadecimal digits: encoding/hex: odd length hex string", ErrPolygon},
	} {
		in, want := marked(c.in, c.want)
		_, err := ParsePolygon([]byte(in))
		if err == nil || err.Error() != want || !errors.Is(err, c.is) {
			t.Errorf("%q:\n got %v\nwant %s", in, err, want)
		}
	}
	const after = 20_000_000
	in := append(bytes.Repeat([]byte(" "), after), "{x"...)
	want := "polygon: GeoJSON (byte 20000001): invalid character 'x' looking for beginning of object key string"
	if _, err := ParsePolygon(in); err == nil || err.Error() != want {
		t.Errorf("after %d spaces: %v", after, err)
	}
}

// WKB in hexadecimal digits, in which @ marks the byte that the error must name.
func TestParseWKBErrors(t *testing.T) {
	square := hex.EncodeToString(wkb.MustMarshal(orb.Polygon{square}))
	const nan, one = "000000000000f87f", "000000000000f03f"
	for _, c := range []struct {
		in, place, want string
		is              error
	}{
		{"@0101000000", "", "a Point has no inside; only Polygon, MultiPolygon and collections of them have", ErrGeometryType},
		{"@010a000000", "", "a CurvePolygon is not supported; only Polygon, MultiPolygon and collections of them are", ErrGeometryType},
		{"@0110000000", "", "a TIN is not supported; only Polygon, MultiPolygon and collections of them are", ErrGeometryType},
		{"@0111000000", "", "a Triangle is not supported; only Polygon, MultiPolygon and collections of them are", ErrGeometryType},
		{"@01ff000000", "", "geometry type 255 is not known", ErrPolygon},
		{"@01a30f0000", "", "geometry type 4003 is not known", ErrPolygon},
		{"@0703000000", "", "byte order 7 is neither 0 nor 1", ErrPolygon},
		{"0103000000@ffffffff", "", "4294967295 rings of at least 4 bytes each, but 0 bytes are left", ErrPolygon},
		{"010300000001000000@ffffff7f", "ring 1, point 1, ", "2147483647 points of at least 16 bytes each, but 0 bytes are left", ErrPolygon},
		{"01bb0b000001000000@01000000" + one + one + one, "ring 1, point 1, ", "1 points of at least 32 bytes each, but 24 bytes are left", ErrPolygon},
		{"0106000000@ffffffff", "", "4294967295 geometries of at least 9 bytes each, but 0 bytes are left", ErrPolygon},
		{"0106000000" + "01000000" + "@010100000000000000", "member 1, ", "a MultiPolygon holds a Point, not a Polygon", ErrPolygon},
		{"0106000000" + "01000000" + "@010600000000000000", "member 1, ", "a MultiPolygon holds a MultiPolygon, not a Polygon", ErrPolygon},
		{"0107000000" + "02000000" + square + "@010200000000000000", "geometry 2, ", "a LineString has no inside; only Polygon, MultiPolygon and collections of them have", ErrGeometryType},
		{"01030000200000@", "", "the bytes end in the middle of the geometry", ErrPolygon},
		{"0106000000" + "01000000" + "@070300000000000000", "member 1, ", "byte order 7 is neither 0 nor 1", ErrPolygon},
		{"0103000000" + "01000000" + "02000000" + one + one + "@" + nan + one, "ring 1, point 2, ", "(NaN 1) is not finite", ErrNotFinite},
		{"0103000000" + "01000000" + "@01000000" + one + one, "ring 1, ", "points 1 to 1 are all (1 1); a ring needs three places", ErrPolygon},
		{square + "@00", "", "1 bytes follow the geometry", ErrPolygon},
	} {
		at := strings.Index(c.in, "@") / 2
		want := "polygon: WKB (" + c.place + "byte " + strconv.Itoa(at) + "): " + c.want
		if _, err := ParsePolygon([]byte(strings.Replace(c.in, "@", "", 1))); err == nil || err.Error() != want || !errors.Is(err, c.is) {
			t.Errorf("%s:\n got %v\nwant %s", c.in, err, want)
		}
	}
}

// marked takes the @ out of in and writes where it was into want.
func marked(in, want string) (string, string) {
	at := strings.Index(in, "@")
	return strings.Replace(in, "@", "", 1), strings.Replace(want, "@", strconv.Itoa(at), 1)
}

// Hostile nesting and truncation: an error, quickly, and no panic.
func TestParseHostile(t *testing.T) {
	for _, s := range []string{
		`{"type":"Polygon","coordinates":` + strings.Repeat("[", 1_000_000),
		`{"type":"Polygon","coordinates":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
		"POLYGON" + strings.Repeat("(", 1_000_000),
		"POLYGON" + strings.Repeat("Z", 1_000_000),
		strings.Repeat("\x01\x06\x00\x00\x00\x01\x00\x00\x00", 1_000_000),
	} {
		if mp, err := ParsePolygon([]byte(s)); err == nil {
			t.Errorf("%.40s: %v", s, mp)
		}
	}
	for _, s := range []string{
		wkt.MarshalString(orb.MultiPolygon{{square, hole}, {tri}}),
		`{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,0]]]}}`,
	} {
		for i := range s {
			if _, err := ParsePolygon([]byte(s[:i])); err == nil {
				t.Errorf("%d of %d bytes are taken for the whole: %q", i, len(s), s[:i])
			}
		}
	}
	big := make([]byte, maxInput+1) // zeros: big-endian WKB
	if _, err := ParsePolygon(big); !errors.Is(err, ErrTooLarge) || err.Error() != "polygon: 1000000001 bytes; at most 1000000000 are read" {
		t.Error(err)
	}
}

// Collections may be nested as deep as maxNesting and no deeper.
func TestParseNesting(t *testing.T) {
	for _, f := range []struct{ open, inner, close string }{
		{"GEOMETRYCOLLECTION(", "POLYGON((0 0,4 0,4 4,0 4,0 0))", ")"},
		{`{"type":"GeometryCollection","geometries":[`, `{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]]]}`, "]}"},
		{"\x01\x07\x00\x00\x00\x01\x00\x00\x00", string(wkb.MustMarshal(orb.Polygon{square})), ""},
	} {
		for _, n := range []int{maxNesting, maxNesting + 1, 1000} {
			mp, err := ParsePolygon([]byte(strings.Repeat(f.open, n) + f.inner + strings.Repeat(f.close, n)))
			switch {
			case n <= maxNesting && (err != nil || !mp.Equal(orb.MultiPolygon{{square}})):
				t.Errorf("%d times %q: %v %v", n, f.open, mp, err)
			case n > maxNesting && (!errors.Is(err, ErrPolygon) || !strings.HasSuffix(err.Error(), "collections are nested more than 16 deep")):
				t.Errorf("%d times %q: %v %v", n, f.open, mp, err)
			}
		}
	}
}

// Points count over everything that is read, the closing ones too.
func TestParseTooManyPoints(t *testing.T) {
	for _, c := range []struct {
		text string
		fits bool
	}{
		{"POLYGON((0 0,1 0,1 1,0 1,0 0),(2 2,3 2,3 3))", true},
		{"GEOMETRYCOLLECTION(POLYGON((0 0,1 0,1 1,0 1)),POLYGON((2 2,3 2,3 3)))", true},
		{"POLYGON((0 0,1 0,1 1,0 1),(2 2,3 2,3 3,2 3))", false},
		{"MULTIPOLYGON(((0 0,1 0,1 1,0 1)),((2 2,3 2,3 3,2 3,2 2)))", false},
		{"POLYGON((0 0,1 0,1 1,0 1),(2 2,3 2,3 3),(5 5))", false},
	} {
		r := wktReader{textReader: textReader{assembler: assembler{points: MaxVertices - 9}, b: []byte(c.text)}}
		err := r.geometry(0, 0)
		if c.fits && err != nil || !c.fits && (!errors.Is(err, ErrTooLarge) || err.Error() != "polygon: more than 10000000 points") {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}
