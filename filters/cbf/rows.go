package cbf

import "github.com/ccbfsql/ccbfsql/filters/keyed"

// Rows returns the counters in one row, each as the number in its bits. If counters are in halves, it
// returns two numbers for each, the lower half first. It returns the error of keyed.Listable.
func (v *View) Rows() ([][]uint64, error) {
	v.MustBeMade()
	g := &v.kernel
	if err := keyed.Listable(v.words * (64 / g.bits)); err != nil {
		return nil, err
	}
	row := make([]uint64, 0, v.words*(64/g.bits))
	for i := range v.words {
		for at := uint64(0); at < 64; at += g.bits {
			row = append(row, v.at(i)>>at&g.ceiling)
		}
	}
	return [][]uint64{row}, nil
}
