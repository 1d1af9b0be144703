package ccbf

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// TestEncodings: encoding, JSON and database/sql return the same sketch. Other input is an error
// that changes nothing.
func TestEncodings(t *testing.T) {
	for _, sample := range must(samples()) {
		name, blob := sample.Name, sample.Blob
		s := must(Decode(blob))
		if appended, err := s.AppendBinary([]byte("before")); err != nil || !bytes.Equal(appended, append([]byte("before"), blob...)) {
			t.Errorf("%s: AppendBinary: %v", name, err)
		}
		value, err := driver.DefaultParameterConverter.ConvertValue(s)
		if is, _ := value.([]byte); err != nil || !bytes.Equal(is, blob) {
			t.Errorf("%s: Value: %v", name, err)
		}
		text := must(json.Marshal(struct{ S Sketch }{*s}))
		var fromBinary, scanned Sketch
		var fromJSON struct{ S Sketch }
		noError(t, errors.Join(fromBinary.UnmarshalBinary(blob), json.Unmarshal(text, &fromJSON), scanned.Scan(blob)))
		for _, read := range []*Sketch{&fromBinary, &fromJSON.S, &scanned} {
			sameBytes(t, name, read.Blob(), blob)
		}
		for _, src := range []any{nil, 7, "text", blob[:len(blob)-1]} {
			if err := scanned.Scan(src); !errors.Is(err, sketch.ErrInvalid) {
				t.Errorf("%s: Scan of %T: %v", name, src, err)
			}
		}
		sameBytes(t, name, scanned.Blob(), blob)
		if words, _ := sketch.Describe([]sketch.Family{Family}, blob); s.String() != words || words == "" {
			t.Errorf("%s: String: %q", name, s)
		}
	}
	if _, err := json.Marshal(Sketch{}); err == nil {
		t.Error("JSON of a zero value")
	}
	var none *Sketch
	if v, err := none.Value(); v != nil || err != nil {
		t.Errorf("Value of nil: %v, %v", v, err)
	}
}

// The union of two parts is the sketch of the whole, and counts at places as it does.
func TestUnion(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 0))
	c := config(t, Params{Res: 0.5})
	whole, a, b := NewBuilder(c, nil), NewBuilder(c, nil), NewBuilder(c, nil)
	for i := range 500 {
		cell := must(c.Grid.Cell(r.Float64()*9, r.Float64()*9))
		part := a
		if i%3 == 0 {
			part = b
		}
		noError(t, errors.Join(part.Add(cell, nil, key.None, 1), whole.Add(cell, nil, key.None, 1)))
	}
	s, other := must(a.Sketch()), must(b.Sketch())
	before := other.Blob()
	noError(t, s.Union(other))
	want := must(whole.Sketch()).Blob()
	sameBytes(t, "union", s.Blob(), want)
	sameBytes(t, "the other part", other.Blob(), before)
	v := viewOf(t, want)
	for range 50 {
		x, y := r.Float64()*9, r.Float64()*9
		direct := v.Count(must(c.Grid.Cell(x, y)), nil)
		if n, m := must(s.CountAt(x, y, nil)), must(v.CountAt(x, y, nil)); n != direct || m != direct {
			t.Errorf("(%v, %v) counts %d, %d and %d", x, y, direct, n, m)
		}
	}
	if _, err := v.CountAt(1, 1, []byte("a")); !errors.Is(err, ErrNoCategory) {
		t.Error(err)
	}
	if err := s.Union(sketchOf(t, config(t, Params{Res: 1}), nil)); !errors.Is(err, sketch.ErrDiffer) {
		t.Error(err)
	}
	sameBytes(t, "after an error", s.Blob(), want)
}
