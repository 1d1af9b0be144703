package sbf

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Limits of a sketch's shape.
const (
	// MaxK is the largest number of counters per key.
	MaxK = 32
	// MaxBody is the largest body in bytes, with counters of 8 bytes each.
	MaxBody = 1 << 30

	maxCounters = MaxBody / 8
)

// Defaults of the shape.
const (
	DefaultCapacity = 100_000
	DefaultK        = 5
)

// load is gamma = n*k/m at the capacity. It is about ln 2, at which the error of a Bloom filter is
// smallest. Section 2.1.
const load = 0.7

// counterBits is the number of bits that Bytes assumes for a counter.
const counterBits = 16

// Method is how keys are counted and estimated.
type Method uint8

// The methods. The numbers are part of the format.
const (
	// MS, minimum selection, adds to all k counters of a key. The smallest is the estimate. Keys can be
	// removed, the union of parts is the sketch of the whole, and order never matters. Section 2.2.
	MS Method = 0
	// MI, minimal increase, raises only the counters that bound the estimate. It is the most accurate,
	// but keys cannot be removed, and the result depends on the order of keys. Section 3.2.
	MI Method = 1
	// RM, recurring minimum, keeps the keys with a single least counter in a second filter, which has
	// few keys. Section 3.3.
	RM Method = 2
	// TRM, trapping recurring minimum, is RM that watches the counter from which a key was moved, to
	// correct the occurrences that were moved with it. Section 3.3.1.
	TRM Method = 3

	methods = 4
)

var methodNames = [methods]string{"ms", "mi", "rm", "trm"}

// String returns the method's name in options.
func (m Method) String() string { return sketch.NameOf(methodNames[:], "method", m) }

// recurring reports whether a method has a second filter.
func (m Method) recurring() bool { return m == RM || m == TRM }

// Marker says whether a sketch of method rm or trm has a marker filter. That is a Bloom filter, of one
// bit per counter, of the keys that were moved to the second filter.
type Marker uint8

// The values of Marker.
const (
	MarkerDefault Marker = iota // Marked for RM and TRM, Unmarked for MS and MI
	Marked
	Unmarked
)

var markerNames = [...]string{MarkerDefault: "none", Marked: "true", Unmarked: "false"}

// String returns the value of the option.
func (m Marker) String() string { return sketch.NameOf(markerNames[:], "marker", m) }

// Encoding is how counters are written in a BLOB. Section 4.
type Encoding = counters.Encoding

// The encodings.
const (
	Plain = counters.Plain // words of 1, 2, 4 or 8 bytes, as the largest needs; lookups straight on the bytes

	Elias = counters.Elias // Elias codes
	Steps = counters.Steps // the steps method
	Index = counters.Index // the string-array index
)

// Range is the range of integer keys for RangeSum, both ends included. The zero Range is none.
type Range struct{ Lo, Hi int64 }

// String returns the range as errors write it.
func (r Range) String() string {
	if r == (Range{}) {
		return "none"
	}
	return fmt.Sprintf("%d to %d", r.Lo, r.Hi)
}

// levels returns the number of nodes of the range tree that count a key. These are the leaf and the
// nodes above it, without the root, whose count is the total. Without a range it is 1.
func (r Range) levels() int { return max(1, bits.Len64(uint64(r.Hi)-uint64(r.Lo))) }

// nodes returns the largest number of different nodes that n keys can have together. Section 5.5, claim 12.
func (r Range) nodes(n uint64) (sum uint64) {
	if r == (Range{}) {
		return n
	}
	for level := range r.levels() {
		// A level has (Hi-Lo)>>level + 1 nodes. n is from 1 to 2^27 here, so
		// that the sum is at most 2^33.
		sum += min(n-1, (uint64(r.Hi)-uint64(r.Lo))>>level) + 1
	}
	return sum
}

// Params are a sketch's shape and method. Zero fields take their defaults.
type Params struct {
	// Capacity is the number of different keys for which the filter is sized: ceil(K * Capacity / 0.7)
	// counters. About 1 key in 30 then has too high a count with MS and K = 5. With a Range it is sized
	// for the keys' nodes.
	Capacity uint64
	// Bytes is the size in memory and BLOB in place of Capacity, if counters take 16 bits on average.
	// Counters below 256 take half of it, large ones up to 4 times.
	Bytes uint64
	// Counters is the number of counters in place of Capacity. It is rounded to whole rows, one for
	// each of K functions, or to whole blocks. RM and TRM have half as many more in their second
	// filter, so that their first one equals that of MS.
	Counters uint64
	// K is the number of counters per key, from 1 to 32.
	K uint64
	// Method is how keys are counted. The default is MS, because only it allows everything: removal,
	// exact unions, the same result in any order. MI is more accurate if nothing is removed.
	Method Method
	// Marker of RM and TRM takes one bit for each counter of the first filter. Other methods cannot be
	// Marked.
	Marker Marker
	// Encoding of the counters in a BLOB.
	Encoding Encoding
	// Blocked keeps all counters of a key in one block of 64. A key then costs one or two cache misses
	// instead of K, and estimates are a little worse.
	Blocked bool
	// Range makes RangeSum possible. The keys have RangeClass: integers, the default, or days
	// (key.Date) or microseconds since 1970 (key.Timestamp, key.TimestampTZ).
	Range      Range
	RangeClass key.Class
	// Seed is the seed of the keys' hashes.
	Seed uint64
}

// shape is the resolved Params, or what a BLOB says. It must agree between sketches that are used
// together, except for the encoding.
type shape struct {
	k        int
	method   Method
	encoding Encoding
	marker   bool
	blocked  bool
	product  bool
	span     Range
	m        uint64 // counters of the first filter, which all methods have
	secondM  uint64 // counters of the second filter of RM and TRM; 0 for MS and MI
}

// shape resolves the parameters. Errors wrap sketch.ErrOption.
func (p Params) shape() (shape, error) {
	if p.Marker > Unmarked {
		return shape{}, sketch.OptionError("marker", "is %d, must be from 0 to %d", p.Marker, Unmarked)
	}
	defaults(&p)
	total, err := p.counters()
	if err != nil {
		return shape{}, err
	}
	m := total
	if p.Method.recurring() && p.Bytes != 0 {
		m = total - total/3
	}
	m = whole(max(m, p.K), p.K, p.Blocked)
	return newShape(m, p.K, p.Method, p.Encoding, p.Marker == Marked, p.Blocked, p.Range)
}

// empty returns the memory of the counters of an empty sketch, and the seed. It returns 0 if the sketch needs keys
// and not their hashes.
func (p Params) empty() (bytes, seed uint64, err error) {
	s, err := p.shape()
	if p.Range != (Range{}) {
		return 0, 0, err
	}
	return s.m + s.secondM, p.Seed, err
}

// counters returns the number of counters for the parameters, at most maxCounters. They have their
// defaults.
func (p Params) counters() (uint64, error) {
	asked := []struct {
		name  string
		value uint64
	}{{"capacity", p.Capacity}, {"bytes", p.Bytes}, {"counters", p.Counters}}
	for i, a := range asked {
		for _, b := range asked[i+1:] {
			if a.value != 0 && b.value != 0 {
				return 0, sketch.OptionError(a.name, "is %d and %q is %d: give one of them", a.value, b.name, b.value)
			}
		}
	}
	if err := options.Check(p); err != nil {
		return 0, err
	}
	if p.Range != (Range{}) && p.Range.Lo >= p.Range.Hi {
		return 0, sketch.OptionError("range", "is %v, must begin below its end", p.Range)
	}
	most := uint64(maxCounters)
	if p.Method.recurring() {
		most = maxCounters / 3 * 2 // the second filter has half as many counters more
	}
	switch {
	case p.Counters != 0:
		if p.Counters < p.K || p.Counters > most {
			return 0, sketch.OptionError("counters", "is %d, must be from \"k\" %d to %d", p.Counters, p.K, most)
		}
		return p.Counters, nil
	case p.Bytes != 0:
		total := p.Bytes * 8 / counterBits
		if p.Method.recurring() && p.Marker == Marked {
			// The marker has a bit for each counter of the first filter, which has two thirds of them all.
			total = p.Bytes * 8 * 3 / (3*counterBits + 2)
		}
		if total > maxCounters {
			return 0, sketch.OptionError("bytes", "is %d, at most %d counters are allowed", p.Bytes, maxCounters)
		}
		return total, nil
	}
	total := math.Ceil(float64(p.K) * float64(p.Range.nodes(p.Capacity)) / load)
	if total > float64(most) {
		return 0, sketch.OptionError("capacity", "is %d, which needs %.3g counters, at most %d are allowed", p.Capacity, total, most)
	}
	return uint64(total), nil
}

// newShape returns the shape of a sketch with m counters in the first filter and k per key. The error wraps sketch.ErrOption.
func newShape(m, k uint64, method Method, encoding Encoding, marker, blocked bool, span Range) (shape, error) {
	switch {
	case k < 1 || k > MaxK:
		return shape{}, sketch.OptionError("k", "is %d, must be from 1 to %d", k, MaxK)
	case method >= methods:
		return shape{}, sketch.OptionError("method", "is %d, must be from 0 to %d", method, methods-1)
	case encoding > Index:
		return shape{}, sketch.OptionError("encoding", "is %d, must be from 0 to %d", encoding, Index)
	case marker && !method.recurring():
		return shape{}, sketch.OptionError("marker", "is true in a sketch of method %v", method)
	case m < k || m > maxCounters:
		return shape{}, sketch.OptionError("counters", "is %d, must be from \"k\" %d to %d", m, k, maxCounters)
	case blocked && m%blockLen != 0:
		return shape{}, sketch.OptionError("counters", "is %d, must be blocks of %d", m, blockLen)
	case !blocked && m%k != 0:
		return shape{}, sketch.OptionError("counters", "is %d, must be a multiple of \"k\" %d", m, k)
	}
	s := shape{k: int(k), method: method, encoding: encoding, marker: marker, blocked: blocked, span: span, m: m}
	if method.recurring() {
		s.secondM = whole(max(m/2, k), k, blocked)
	}
	return s, nil
}

// whole rounds a number of counters up to whole blocks or to whole rows. It rounds down if that would
// exceed maxCounters.
func whole(m, k uint64, blocked bool) uint64 {
	unit := k
	if blocked {
		unit = blockLen
	}
	if m > maxCounters-unit {
		return m / unit * unit
	}
	return (m + unit - 1) / unit * unit
}

// width returns the number of counters of a row in the first filter, if it is not blocked.
func (s *shape) width() uint64 { return s.m / uint64(s.k) }

// markBytes returns the size of the marker filter.
func (s *shape) markBytes() int {
	if !s.marker {
		return 0
	}
	return int(s.m+7) / 8
}
