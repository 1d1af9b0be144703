package ccbf

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Adding parts up in any order comes to the same, and an empty one changes nothing.
func TestPartsInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(270, 0))
	type some struct {
		p     cascade.Origin
		total uint64
	}
	add := func(a, b some) some { return some{a.p.With(a.total, b.p, b.total), a.total + b.total} }
	for range 2000 {
		all := make([]some, 3)
		for i := range all {
			all[i].total = r.Uint64() >> (2 + r.UintN(62)) * r.Uint64N(4) / 3
			if r.IntN(2) == 0 {
				all[i].p = cascade.OnePart(all[i].total)
			}
			if all[i].total > 0 && r.IntN(4) == 0 {
				all[i].p = cascade.Origin{Number: uint8(1 + r.UintN(cascade.MostParts)), Halved: 0, Largest: cascade.Scaled(all[i].total)}
			}
		}
		a, b, c := all[0], all[1], all[2]
		if x, y := add(add(a, b), c), add(a, add(c, b)); x != y {
			t.Fatalf("%v: %v and %v", all, x, y)
		}
		if x := add(some{}, a); x != a {
			t.Fatalf("%v with nothing: %v", a, x)
		}
	}
}

// TestPartsInBlobs: a BLOB with impossible parts is refused. These are parts in an exact sketch or
// in mode standard, parts of no size, and halvings without a part.
func TestPartsInBlobs(t *testing.T) {
	p := cities()
	v := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Res: 0.01, Dense: true, Bytes: 512}), p)))
	if v.parts != cascade.OnePart(6) {
		t.Errorf("streamed: %+v", v.parts)
	}
	for _, c := range []struct {
		params          Params
		number, largest byte
		valid           bool
	}{
		{Params{}, 0, 0, true},
		{Params{}, 1, 9, false},
		{Params{Dense: true, Mode: Standard}, 0, 0, true},
		{Params{Dense: true, Mode: Standard}, 1, 9, false},
		{Params{Dense: true}, 0, 0, true},
		{Params{Dense: true}, 63 | 3<<6, 255, true},
		{Params{Dense: true}, 1, 0, false},
		{Params{Dense: true}, 0, 9, false},
		{Params{Dense: true}, 1 << 6, 9, false},
		{Params{Dense: true}, 1 << 6, 0, false},
	} {
		c.params.Bytes = 512
		blob := blobOf(t, builderOf(t, config(t, c.params), p))
		if c.number != 0 || c.largest != 0 {
			blob = edited(t, blob, func(p *params) { p.parts = cascade.OnePart(1) })
			end := len(blob) - len(must(sketch.Parse(blob)).Body)
			blob[end-2], blob[end-1] = c.number, c.largest
		}
		var v View
		if err := v.Reset(blob); (err == nil) != c.valid || err != nil && !errors.Is(err, sketch.ErrInvalid) {
			t.Errorf("%+v, %#x %#x: %v", c.params, c.number, c.largest, err)
		}
		if c.valid {
			v.Error() // whatever it says
		}
	}
}
