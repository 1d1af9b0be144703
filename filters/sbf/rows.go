package sbf

import "github.com/ccbfsql/ccbfsql/filters/keyed"

// Rows returns the counters of the filter and, with RM and TRM, those of the second one. The error is
// that of keyed.Listable.
func (v *View) Rows() ([][]uint64, error) {
	v.MustBeMade()
	if err := keyed.Listable(uint64(v.first.n) + uint64(v.second.n)); err != nil {
		return nil, err
	}
	filters := []*cells{&v.first}
	if v.method.recurring() {
		filters = append(filters, &v.second)
	}
	var rows [][]uint64
	for _, c := range filters {
		row := make([]uint64, c.n)
		c.source().Unpack(0, row)
		rows = append(rows, row)
	}
	return rows, nil
}
