package grid

import (
	"encoding/hex"
	"errors"
	"slices"
	"testing"

	"github.com/paulmach/orb"
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
