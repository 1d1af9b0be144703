package top

import "github.com/ccbfsql/ccbfsql/filters/keyed"

// Rows returns the bounds of each key's count, low and high, in the order of Keys. It returns the error of
// keyed.Listable.
func (v *View) Rows() ([][]uint64, error) {
	v.MustBeMade()
	if err := keyed.Listable(2 * v.n); err != nil {
		return nil, err
	}
	rows := make([][]uint64, 0, v.n)
	for _, k := range v.Keys() {
		rows = append(rows, []uint64{k.Low, k.High})
	}
	return rows, nil
}
