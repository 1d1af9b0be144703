package grid

import (
	"encoding/hex"
	"testing"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/ewkb"
)

// SRID finds the coordinate system in every form that names one. ParsePolygon reads them all.
func TestSRID(t *testing.T) {
	square := orb.Polygon{{{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}}}
	extended := ewkb.MustMarshal(square, 27700)
	for _, c := range []struct {
		text string
		want int
	}{
		{"POLYGON((0 0,4 0,4 4,0 4,0 0))", 0},
		{"SRID=4326;POLYGON((0 0,4 0,4 4,0 4,0 0))", 4326},
		{" srid = 27700 ; POLYGON((0 0,4 0,4 4,0 4,0 0))", 27700},
		{`{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,0]]]}`, 0},
		{string(AppendWKB(nil, orb.MultiPolygon{square})), 0},
		{string(extended), 27700},
		{hex.EncodeToString(extended), 27700},
	} {
		if _, err := ParsePolygon([]byte(c.text)); err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
		if got := SRID([]byte(c.text)); got != c.want {
			t.Errorf("%q: %d, want %d", c.text, got, c.want)
		}
	}
	// Inputs that ParsePolygon refuses have no coordinate system.
	for _, text := range []string{"", " ", "0", "01", "0z", "\x01", "\x00\x20\x00\x00\x06", "SRID", "SRID=", "SRID=x;", "SRID=99999999999999999999;", "S", "\x01\x03\x00\x00\x20\x01\x02\x03"} {
		if got := SRID([]byte(text)); got != 0 {
			t.Errorf("%q: %d", text, got)
		}
	}
}
