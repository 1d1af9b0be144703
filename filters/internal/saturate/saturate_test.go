package saturate

import "testing"

func TestAdd(t *testing.T) {
	const most = ^uint64(0)
	for _, c := range [][3]uint64{{0, 0, 0}, {1, 2, 3}, {most, 0, most}, {most, 1, most}, {most, most, most}, {most - 1, 1, most}, {1 << 63, 1 << 63, most}} {
		if got := Add(c[0], c[1]); got != c[2] {
			t.Errorf("%d + %d is %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

func TestSub(t *testing.T) {
	const most = ^uint64(0)
	for _, c := range [][3]uint64{{0, 0, 0}, {3, 2, 1}, {most, 0, most}, {most, 1, most}, {most, most, most}, {most - 1, 1, most - 2}} {
		if got := Sub(c[0], c[1]); got != c[2] {
			t.Errorf("%d - %d is %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
