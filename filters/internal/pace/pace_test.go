package pace

import "testing"

// What takes twice as long is found, what takes as long is not.
func TestMeasure(t *testing.T) {
	skip(t)
	sum := uint64(0)
	loop := func() {
		for i := range uint64(20_000) {
			sum = sum*31 + i
		}
	}
	same := Case{Op: loop, Reference: loop, Ratio: 1}
	if ratio := same.measure(); ratio > slack {
		t.Errorf("a loop takes %.2f times as long as itself", ratio)
	}
	twice := Case{Op: func() { loop(); loop() }, Reference: loop, Ratio: 1}
	if ratio := twice.measure(); ratio <= slack {
		t.Errorf("a loop run twice takes %.2f times as long", ratio)
	}
}
