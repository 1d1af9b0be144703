package noise

import "github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"

// Model is what noise the counters of a sketch have. It reads them when it is first
// asked, and remembers.
type Model struct {
	counters *cascade.Counters
	sums     bool // counters are sums of occurrences
	origin   cascade.Origin
	total    uint64 // occurrences
	known    bool   // total is
	several  bool   // keys of several kinds are counted, whose counts cannot be told apart

	classes [cascade.MaxLayers]*distribution // surpluses of each class asked for
	larger  [cascade.MaxLayers]*distribution // those of the classes from 1 on for the larger of two
	told    *told                            // what occupied says
}

// New is the model of counters. O(1).
func New(d *cascade.Counters, sums bool, origin cascade.Origin) *Model {
	return &Model{counters: d, sums: sums, origin: origin}
}

// SetTotal says how many occurrences were counted, where that is known, and whether
// keys of several kinds were counted for them: squares, or plain cells beside those
// with a category.
func (m *Model) SetTotal(total uint64, several bool) {
	m.total, m.known, m.several = total, true, several
}

// overcount is by how much readings are above the truth: the probability that they
// are, and the mean.
type overcount struct{ Probability, Excess float64 }

// Empty is the overcount of a cell without points.
func (m *Model) Empty() overcount {
	g := m.surplusOf(0, true)
	excess, _ := g.moments()
	return overcount{g.tail(1), excess}
}

// Unbiased reports whether estimates are right on average over the seeds of the
// hash.
func (m *Model) Unbiased() bool {
	return m.sums || m.known && m.origin.Number == 0 && m.surplusOf(0, true).tail(1) <= surest
}
