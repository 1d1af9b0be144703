package sbf

import "github.com/ccbfsql/ccbfsql/filters/keyed"

// Rows returns the counters of the filter and, with RM and TRM, those of the second one. The error is
// that of keyed.Listable.
func (v *View) Rows() ([][]uint64, error) {
	v.MustBeMade()
	if err := keyed.Listable(v.m + v.secondM); err != nil {
		return nil, err
	}
	rows := [][]uint64{v.first.unpacked()}
	if v.method.recurring() {
		rows = append(rows, v.second.unpacked())
	}
	return rows, nil
}
