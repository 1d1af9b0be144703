package grid

import (
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/ewkb"
	"github.com/paulmach/orb/encoding/wkb"
)

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
