package cms

import "github.com/ccbfsql/ccbfsql/filters/keyed"

// Rows are the counters, a row for each hash function. The error is that of keyed.Listable.
func (v *View) Rows() ([][]uint64, error) {
	v.MustBeMade()
	if err := keyed.Listable(v.c.width * v.c.depth); err != nil {
		return nil, err
	}
	rows := make([][]uint64, v.c.depth)
	for i := range rows {
		rows[i] = make([]uint64, v.c.width)
		v.c.Unpack(i*int(v.c.width), rows[i])
	}
	return rows, nil
}
