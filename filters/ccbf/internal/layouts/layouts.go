// Package layouts is what layers the tests of counters go through, here and in the
// packages beside this one.
package layouts

// All has layers of every kind: words and packed widths, two to eight
// layers and one, sizes that are powers of two and others.
var All = []struct {
	Widths []int
	Sizes  []uint64
}{
	{[]int{8, 16, 32}, []uint64{64, 8, 2}},
	{[]int{4, 8, 16, 32}, []uint64{256, 32, 8, 2}},
	{[]int{4, 8}, []uint64{128, 16}},
	{[]int{4, 8, 32}, []uint64{72, 9, 3}},
	{[]int{16, 16}, []uint64{30, 10}},
	{[]int{32, 32}, []uint64{12, 3}},
	{[]int{2, 2}, []uint64{8, 4}},
	{[]int{2, 2, 2, 2, 2, 2, 2, 2}, []uint64{128, 64, 32, 16, 8, 4, 2, 1}},
	{[]int{4, 6, 12}, []uint64{48, 12, 3}},
	{[]int{4, 6, 12, 24}, []uint64{60, 30, 10, 5}},
	{[]int{3, 5, 7, 11, 13}, []uint64{81, 27, 9, 3, 1}},
	{[]int{9, 33}, []uint64{14, 7}},
	{[]int{7, 57}, []uint64{9, 3}},
	{[]int{31, 34}, []uint64{10, 5}},
	{[]int{8}, []uint64{17}},
	{[]int{12}, []uint64{11}},
	{[]int{32}, []uint64{5}},
	{[]int{63}, []uint64{7}},
	{[]int{64}, []uint64{3}},
}
