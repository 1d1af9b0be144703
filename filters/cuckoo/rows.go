package cuckoo

import "github.com/ccbfsql/ccbfsql/filters/keyed"

// Rows returns the fingerprints of each bucket, as the number in their known bits. It returns the error of
// keyed.Listable.
func (v *View) Rows() ([][]uint64, error) {
	v.MustBeMade()
	if err := keyed.Listable(v.buckets * uint64(v.b)); err != nil {
		return nil, err
	}
	rows := make([][]uint64, v.buckets)
	for i := range rows {
		p := v.read(uint64(i))
		rows[i] = make([]uint64, 0, p.n)
		for _, f := range p.slice() {
			rows[i] = append(rows[i], f.v)
		}
	}
	return rows, nil
}
