package keyed

import (
	"errors"
	"math"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func TestTotal(t *testing.T) {
	b := New(7, sketch.Additive)
	Grow(&b, 5)
	if !Shrink(&b, 2) || b.total != 3 || Shrink(&b, 4) || b.total != 3 {
		t.Errorf("total %d after +5 -2 and a -4 that must be refused", b.total)
	}
	Grow(&b, math.MaxUint64-3)
	if n, known := b.Total(); n != math.MaxUint64 || !known {
		t.Errorf("the largest total is %d, known %v", n, known)
	}
	Grow(&b, 1)
	if n, known := b.Total(); n != 0 || known {
		t.Errorf("past the largest total: %d, known %v", n, known)
	}
	Grow(&b, 1)
	if n, _ := b.Total(); n != 0 || !Shrink(&b, 9) {
		t.Errorf("an unknown total became %d", n)
	}
}

func TestHeaderRoundTrip(t *testing.T) {
	b := New(7, sketch.Additive)
	if err := b.SetKeyClass(key.Text); err != nil {
		t.Fatal(err)
	}
	Grow(&b, 9)
	SetSaturated(&b)
	h := Header(b, 248)
	if again, err := Read(h, sketch.Additive|sketch.Saturated); err != nil || again != b {
		t.Errorf("read %+v, error %v, wrote %+v", again, err, b)
	}
	ClearSaturated(&b)
	if b.Saturated() || !b.Additive() {
		t.Errorf("flags %#x after saturation was cleared", b.flags)
	}
	for name, bad := range map[string]func(h *sketch.Header){
		"a flag":  func(h *sketch.Header) { h.Flags |= sketch.Categorised },
		"levels":  func(h *sketch.Header) { h.Levels = 1 },
		"a class": func(h *sketch.Header) { h.KeyClass = 200 },
	} {
		h := h
		bad(&h)
		if _, err := Read(h, sketch.Additive|sketch.Saturated); !errors.Is(err, sketch.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAgreeAndUnite(t *testing.T) {
	a, b, other := New(7, 0), New(7, 0), New(8, 0)
	if err := Agree(a, other); !errors.Is(err, sketch.ErrDiffer) {
		t.Errorf("other seeds: %v", err)
	}
	_ = b.SetKeyClass(key.Text)
	Grow(&b, 4)
	SetSaturated(&b)
	if err := Agree(a, b); err != nil {
		t.Errorf("no keys and text: %v", err)
	}
	Unite(&a, b)
	if n, known := a.Total(); n != 4 || !known || !a.Saturated() || a.KeyClass() != key.Text {
		t.Errorf("united with nothing: %+v", a)
	}
	_ = other.SetKeyClass(key.Int)
	if err := a.SetKeyClass(key.Int); !errors.Is(err, key.ErrClass) {
		t.Errorf("another class: %v", err)
	}
	c := New(7, 0)
	_ = c.SetKeyClass(key.Int)
	if err := Agree(a, c); !errors.Is(err, sketch.ErrDiffer) {
		t.Errorf("text and integers: %v", err)
	}
	Forget(&c)
	Unite(&a, c)
	if _, known := a.Total(); known {
		t.Error("known and unknown make a known total")
	}
}
