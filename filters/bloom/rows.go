package bloom

import "github.com/ccbfsql/ccbfsql/filters/keyed"

// Rows returns the bits of the filter, 0 or 1, in one row. It returns the error of keyed.Listable.
func (v *View) Rows() ([][]uint64, error) {
	v.MustBeMade()
	if err := keyed.Listable(v.kept); err != nil {
		return nil, err
	}
	row := make([]uint64, v.kept)
	for p := range row {
		row[p] = uint64(v.bits[p/8] >> (p % 8) & 1)
	}
	return [][]uint64{row}, nil
}
