package keyed

import (
	"math"
	"testing"

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

func TestSaturated(t *testing.T) {
	a, full := New(7, sketch.Additive), New(7, 0)
	SetSaturated(&full, true)
	if Unite(&a, full); !a.Saturated() {
		t.Error("united with a saturated sketch, it is not saturated")
	}
	if SetSaturated(&a, false); a.Saturated() || !a.Additive() {
		t.Errorf("flags %#x after saturation was cleared", a.flags)
	}
}
