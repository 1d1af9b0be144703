package grid

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"testing"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/ewkb"
	"github.com/paulmach/orb/encoding/wkb"
)

func TestAppendPoints(t *testing.T) {
	const one, two = "000000000000f03f", "0000000000000040" // 1 and 2, little-endian
	const nan = "000000000000f87f"
	for _, c := range []struct {
		hex  string
		want []orb.Point
		is   error
	}{
		{"0101000000" + one + two, []orb.Point{{1, 2}}, nil},
		{"00000000013ff00000000000004000000000000000", []orb.Point{{1, 2}}, nil}, // big-endian
		{"01e9030000" + one + two + two, []orb.Point{{1, 2}}, nil},               // ISO Z
		{"0101000080" + one + two + two, []orb.Point{{1, 2}}, nil},               // extended Z
		{"01b90b0000" + one + two + two + two, []orb.Point{{1, 2}}, nil},         // ISO ZM
		{"0101000020e6100000" + one + two, []orb.Point{{1, 2}}, nil},             // SRID
		{"0101000000" + nan + nan, nil, nil},                                     // POINT EMPTY
		{"010400000000000000", nil, nil},                                         // MULTIPOINT EMPTY
		{"010400000002000000" + "0101000000" + one + two + "0101000000" + two + one, []orb.Point{{1, 2}, {2, 1}}, nil},
		{"010400000002000000" + "0101000000" + one + two + "0101000000" + nan + nan, []orb.Point{{1, 2}}, nil},
		{"010200000000000000", nil, ErrGeometryType},                                         // a line
		{"010400000001000000" + "0102000000" + "00000000" + one + two, nil, ErrGeometryType}, // a line in a multipoint
		{"0101000000" + one + two + "00", nil, ErrPolygon},                                   // more
		{"0104000000ffffffff" + "0101000000" + one + two, nil, ErrPolygon},                   // too many
		{"0201000000" + one + two, nil, ErrPolygon},
		{"01ff000000" + one + two, nil, ErrPolygon},
		{"", nil, ErrPolygon},
	} {
		b, err := hex.DecodeString(c.hex[:len(c.hex)&^1])
		if err != nil {
			t.Fatal(err)
		}
		got, err := AppendPoints(nil, b)
		if !errors.Is(err, c.is) || c.is == nil && !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, error %v, want %v, error %v", c.hex, got, err, c.want, c.is)
		}
		for i := range b { // every cut is an error
			if _, err := AppendPoints(nil, b[:i]); err == nil && c.is == nil {
				t.Errorf("%s: the first %d bytes are a geometry", c.hex, i)
			}
		}
	}
}

// The coordinate system is found in every form that names one.
func TestSRID(t *testing.T) {
	two := orb.MultiPolygon{{square}, {tri}}
	extended := ewkb.MustMarshal(orb.Polygon{square}, 27700)
	for _, c := range []struct {
		text string
		want int
	}{
		{"POLYGON((0 0,4 0,4 4,0 4,0 0))", 0},
		{"SRID=4326;POLYGON((0 0,4 0,4 4,0 4,0 0))", 4326},
		{" srid = 27700 ; POLYGON((0 0,4 0,4 4,0 4,0 0))", 27700},
		{`{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,0]]]}`, 0},
		{string(wkb.MustMarshal(orb.Polygon{square})), 0},
		{string(extended), 27700},
		{hex.EncodeToString(extended), 27700},
		{string(form{order: binary.LittleEndian, srid: true}.multi(two)), 4326},
		{string(form{order: binary.BigEndian, members: true}.multi(two)), 0}, // only members name one
	} {
		if _, got, err := ParsePolygonSRID([]byte(c.text)); err != nil || got != c.want {
			t.Errorf("%q: %d, %v, want %d", c.text, got, err, c.want)
		}
	}
}
