package advise

import (
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Limits of Data.
const (
	// MaxOccurrences is also the largest number of distinct keys. The counters of all families hold it
	// by default.
	MaxOccurrences = 1 << 40
	MaxSkew        = 4
	MinBytes       = ccbf.MinBytes
	MaxBytes       = ccbf.MaxBytes
	// MaxExtent is the largest distance between cells.
	MaxExtent = 1 << extentBits

	// keysPerByte is the largest number of keys per byte. With more, no family can distinguish any
	// keys.
	keysPerByte = 8
)

// Data describes the data to count, and the purpose.
type Data struct {
	// Distinct is the number of different keys, with Categories of different pairs of a key and a
	// category. Occurrences is the number of all rows, at least Distinct.
	Distinct, Occurrences uint64
	// Skew is how unequal the counts are, from 0 to MaxSkew. The count of rank r is in proportion to
	// r^-Skew, so 0 means equal counts.
	Skew float64
	// Counts are the counts of a random sample of the keys, in place of Skew. They say more than
	// anything else. Each is from 1 to Occurrences.
	Counts []uint64
	// Bytes is the largest length of the BLOB; for a CascadeCBF, of its body, without the header.
	Bytes uint64
	// Keys says that the keys are any values. Otherwise they are cells of points.
	Keys bool
	// Areas says that queries are about areas, maps and the largest cells, and not about single
	// cells. If the exact list is larger than Bytes, the advice is then a tree.
	Areas bool
	// Extent is the side of a square, in cells, that contains all points; 0 if it is not known. It
	// limits the length of a list of the cells.
	Extent uint64
	// Remove says that occurrences will be removed.
	Remove bool
	// Categories is the number of categories; 0 is none.
	Categories uint64
}

// check returns an error for a value that is out of range.
func (d *Data) check() error {
	switch {
	case d.Distinct < 1 || d.Distinct > MaxOccurrences:
		return fmt.Errorf("distinct is %d, must be from 1 to 2^40", d.Distinct)
	case d.Occurrences < d.Distinct || d.Occurrences > MaxOccurrences:
		return fmt.Errorf("occurrences is %d, must be from \"distinct\" %d to 2^40", d.Occurrences, d.Distinct)
	case !(d.Skew >= 0 && d.Skew <= MaxSkew):
		return fmt.Errorf("skew is %v, must be from 0 to %d", d.Skew, MaxSkew)
	case len(d.Counts) > 0 && (slices.Min(d.Counts) < 1 || slices.Max(d.Counts) > d.Occurrences):
		return sketch.OptionError("counts", "has elements from %d to %d, must be from 1 to \"occurrences\" %d", slices.Min(d.Counts), slices.Max(d.Counts), d.Occurrences)
	case d.Bytes < MinBytes || d.Bytes > MaxBytes:
		return fmt.Errorf("bytes is %d, must be from %d to %d", d.Bytes, MinBytes, MaxBytes)
	case d.Bytes < d.Distinct/keysPerByte:
		return fmt.Errorf("bytes is %d, must be at least %d for %d keys: a bit each", d.Bytes, d.Distinct/keysPerByte, d.Distinct)
	case d.Extent > MaxExtent:
		return sketch.OptionError("extent", "is %d, must be at most 2^%d", d.Extent, extentBits)
	case d.Extent > 0 && d.Extent <= 1<<27 && d.Extent*d.Extent*max(1, d.Categories) < d.Distinct:
		return sketch.OptionError("extent", "is %d, which is the side of %d cells, fewer than \"distinct\" %d", d.Extent, d.Extent*d.Extent, d.Distinct)
	case d.Categories > d.Distinct:
		return sketch.OptionError("categories", "is %d, must be at most \"distinct\" %d", d.Categories, d.Distinct)
	}
	return nil
}
