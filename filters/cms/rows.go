package cms

import "github.com/ccbfsql/ccbfsql/filters/keyed"

// Rows returns the counters, a row for each hash function. It returns the error of keyed.Listable.
func (v *View) Rows() ([][]uint64, error) {
	v.MustBeMade()
	if err := keyed.Listable(v.Width() * v.Depth()); err != nil {
		return nil, err
	}
	rows := make([][]uint64, v.Depth())
	for i := range rows {
		rows[i] = make([]uint64, v.Width())
		v.c.Row(i).Unpack(0, rows[i])
	}
	return rows, nil
}
