package sbf

import (
	"github.com/ccbfsql/ccbfsql/filters/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

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

// IndexParts is the number of bits of a string-array index by purpose.
type IndexParts = counters.Parts

// IndexParts returns the parts of the string-array index of the first filter. It returns false if the
// encoding is another. Figures 13 and 14.
func (v *View) IndexParts() (parts IndexParts, is bool) {
	if v.encoding != Index {
		return parts, false
	}
	return v.first.coded.Parts(), true
}
