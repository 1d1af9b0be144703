package grid

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/polygons"
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
	two, none := orb.MultiPolygon{{square, hole}, {tri}}, orb.MultiPolygon{}
	const jsonSquare, jsonHole, jsonTri = `[[0,0],[4,0],[4,4],[0,4],[0,0]]`, `[[1,1],[1,2],[2,2],[1,1]]`, `[[9,9],[10,9],[9.5,1000],[9,9]]`
	const jsonHoled = `{"type":"Polygon","coordinates":[` + jsonSquare + "," + jsonHole + `]}`
	for _, c := range []struct {
		in   string
		want orb.MultiPolygon
	}{
		{"POLYGON((0 0,4 0,4 4,0 4,0 0))", one},
		{"  polygon  ( ( 0 0 , 4 0 , 4 4 , 0 4 , 0 0 ) ) \n", one},
		{"POLYGON ((0 0, 4e0 0.0, +4 4, -0 4, 0 0), (1 1, 1 2, 2 2, 1 1))", holed},
		{"SRID=4326;POLYGON((0 0,4 0,4 4,0 4,0 0))", one},
		{"MULTIPOLYGON(((0 0,4 0,4 4,0 4,0 0),(1 1,1 2,2 2,1 1)),((9 9,10 9,9.5 1000,9 9)))", two},
		{"POLYGON EMPTY", none},
		{"srid = 4326 ; multipolygon\tZM\n EMPTY ", none},
		{"POLYGON\r\n((0  0,\t4\t0 , 4 4,\n0 4,0 0))", one},
		{"GEOMETRYCOLLECTION EMPTY", none},
		// unclosed; points repeated
		{"POLYGON((0 0,4 0,4 4,0 4),(1 1,1 2,2 2))", holed},
		{"POLYGON((0 0,0 0,4 0,4 4,4 4,0 4,0 0))", orb.MultiPolygon{{{{0, 0}, {0, 0}, {4, 0}, {4, 4}, {4, 4}, {0, 4}, {0, 0}}}}},
		// Z and M
		{"POLYGON Z ((0 0 7,4 0 7,4 4 7,0 4 7,0 0 9))", one},
		{"polygonm((0 0 7,4 0 7,4 4 nan,0 4 7,0 0 9))", one},
		{"MULTIPOLYGON ZM(((0 0 7 1,4 0 7 1,4 4 7 1,0 4 7 1)))", one},
		{"POLYGON((0 0 7,4 0 7,4 4 7,0 4 7,0 0 9),(1 1 7,1 2 7,2 2 7,1 1 7))", holed},
		// empty members, collections
		{"MULTIPOLYGON(EMPTY,((0 0,4 0,4 4,0 4,0 0),(1 1,1 2,2 2,1 1)), empty,((9 9,10 9,9.5 1000,9 9)))", two},
		{"GEOMETRYCOLLECTION(POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,1 2,2 2,1 1)), POLYGON EMPTY, GEOMETRYCOLLECTION(MULTIPOLYGON(((9 9,10 9,9.5 1000,9 9)))))", two},
		{"GeometryCollection Z (Polygon Z ((0 0 1,4 0 1,4 4 1,0 4 1),(1 1 1,1 2 1,2 2 1)),POLYGON((9 9 1,10 9 1,9.5 1000 1)))", two},
		{"GEOMETRYCOLLECTION(POLYGON ZM((0 0 1 1,4 0 1 1,4 4 1 1,0 4 1 1),(1 1 1 1,1 2 1 1,2 2 1 1)),POLYGON((9 9,10 9,9.5 1000)))", two},

		{`{"type":"Polygon","coordinates":[` + jsonSquare + `]}`, one},
		{` {"coordinates": [ [ [0, 0, 7], [4, 0], [4e0, 4, 7, 8], [-0, 4.0] ], ` + jsonHole + `], "crs": {"a": [{"type": "[\"}"}]}, "type": "Polygon", "Type": 1, "bbox": [0,0,4,4]}`, holed},
		{`{"type":"MultiPolygon","coordinates":[[` + jsonSquare + "," + jsonHole + `],[` + jsonTri + `],[]]}`, two},
		{`{"type":"Feature","id":"\\","properties":{"type":"x","coordinates":null},"geometry":` + jsonHoled + `}`, holed},
		{`{"type":"FeatureCollection","features":[{"type":"Feature","geometry":` + jsonHoled + `},
			{"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":[[` + jsonTri + `]]}}]}`, two},
		{`{"type":"GeometryCollection","geometries":[` + jsonHoled + `,{"type":"GeometryCollection","geometries":[{"type":"Polygon","coordinates":[` + jsonTri + `]}]}]}`, two},
		{`{"type":"Feature","geometry":{"type":"GeometryCollection","geometries":[` + jsonHoled + `]}}`, holed},
		{`{"\u0074ype":"Poly\u0067on","coordinates":[` + jsonSquare + `]}`, one},
		{`{"type":"FeatureCollection","features":[]}`, none},
		{`{"type":"Feature","geometry":null}`, none},
		{`{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":null},{"type":"Feature","geometry":` + jsonHoled + `}]}`, holed},
		{"\xef\xbb\xbf{\"type\":\"Polygon\",\"coordinates\":[" + jsonSquare + "]}", one},
		{"\xef\xbb\xbf POLYGON((0 0,4 0,4 4,0 4))", one},
		{`\x` + hex.EncodeToString(wkb.MustMarshal(two[0])), holed},
		{"0x" + hex.EncodeToString(wkb.MustMarshal(two)), two},
		{" 0X" + hex.EncodeToString(ewkb.MustMarshal(two, 4326)) + "\n", two},
		{`{"type":"GeometryCollection","geometries":[]}`, none},
		{`{"type":"Polygon","coordinates":[]}`, none},

		{string(wkb.MustMarshal(two[0])), holed},
		{string(wkb.MustMarshal(two, binary.BigEndian)), two},
		{string(ewkb.MustMarshal(two, 4326)), two},
		{string(wkb.MustMarshal(orb.Polygon{})), none},
		{string(wkb.MustMarshal(orb.MultiPolygon{{}, {square}})), one},
		{string(wkb.MustMarshal(orb.Collection{orb.Polygon{square, hole}, orb.Collection{orb.MultiPolygon{{tri}}}})), two},
		{string(wkb.MustMarshal(orb.Polygon{square[:4], hole[:3]})), holed},
		{" " + strings.ToUpper(hex.EncodeToString(ewkb.MustMarshal(two, 4326))) + "\n", two},
	} {
		got, err := ParsePolygon([]byte(c.in))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q:\n got %v %v\nwant %v", c.in, got, err, c.want)
		}
	}
}

// form is a way to write WKB: which ordinates and SRIDs, and how the type says so.
type form struct {
	order   binary.AppendByteOrder
	z, m    bool
	iso     bool
	srid    bool // of the outermost geometry
	members bool // SRIDs of the members too
}

func (f form) header(b []byte, typ uint32, srid bool) []byte {
	b = append(b, 0)
	if f.order == binary.LittleEndian {
		b[len(b)-1] = 1
	}
	for _, o := range []struct {
		has       bool
		iso, flag uint32
	}{{f.z, 1000, 1 << 31}, {f.m, 2000, 1 << 30}} {
		switch {
		case o.has && f.iso:
			typ += o.iso
		case o.has:
			typ |= o.flag
		}
	}
	if srid {
		return f.order.AppendUint32(f.order.AppendUint32(b, typ|1<<29), 4326)
	}
	return f.order.AppendUint32(b, typ)
}

func (f form) polygon(b []byte, p orb.Polygon, srid bool) []byte {
	b = f.order.AppendUint32(f.header(b, 3, srid), uint32(len(p)))
	for _, r := range p {
		b = f.order.AppendUint32(b, uint32(len(r)))
		for i, p := range r {
			ordinates := []float64{p[0], p[1], float64(i), math.NaN()}
			if !f.z {
				ordinates = append(ordinates[:2], ordinates[3:]...)
			}
			if !f.m {
				ordinates = ordinates[:len(ordinates)-1]
			}
			for _, o := range ordinates {
				b = f.order.AppendUint64(b, math.Float64bits(o))
			}
		}
	}
	return b
}

func (f form) multi(mp orb.MultiPolygon) []byte {
	b := f.order.AppendUint32(f.header(nil, 6, f.srid), uint32(len(mp)))
	for _, p := range mp {
		b = f.polygon(b, p, f.members)
	}
	return b
}

// Z, M and SRIDs are dropped in all their forms, of the whole and of members,
// and a cut anywhere is noticed.
func TestParseWKBForms(t *testing.T) {
	want := orb.MultiPolygon{{square, hole}, {tri}}
	for bits := range 64 {
		f := form{binary.LittleEndian, bits&1 != 0, bits&2 != 0, bits&4 != 0, bits&8 != 0, bits&16 != 0}
		if bits&32 != 0 {
			f.order = binary.BigEndian
		}
		b := f.multi(want)
		if got, err := ParsePolygon(b); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: %v %v", f, got, err)
		}
		collection := f.order.AppendUint32(f.header(nil, 7, f.srid), 2)
		collection = append(f.polygon(collection, want[0], f.members), f.multi(want[1:])...)
		if got, err := ParsePolygon(collection); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, a collection: %v %v", f, got, err)
		}
		for i := range b {
			if _, err := ParsePolygon(b[:i]); err == nil {
				t.Errorf("%+v: %d of %d bytes are taken for the whole", f, i, len(b))
			}
		}
	}
}

// ParsePolygon reads polygons as orb writes them.
func TestParseAgainstOrb(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range 300 {
		size := math.Exp(20*rng.Float64() - 10)
		mp := polygons.Random(rng, polygons.Kinds[i%len(polygons.Kinds)], orb.Bound{Min: orb.Point{-size, -size}, Max: orb.Point{size, size}})
		for _, s := range []string{
			wkt.MarshalString(mp),
			string(wkb.MustMarshal(mp)),
			string(ewkb.MustMarshal(mp, 3857, binary.BigEndian)),
			asGeoJSON(t, mp),
		} {
			if got, err := ParsePolygon([]byte(s)); err != nil || !reflect.DeepEqual(got, mp) {
				t.Fatalf("%v\n got %v\nwant %v", err, got, mp)
			}
		}
	}
}

func asGeoJSON(t testing.TB, mp orb.MultiPolygon) string {
	t.Helper()
	b, err := json.Marshal(map[string]any{"type": "MultiPolygon", "coordinates": mp})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
