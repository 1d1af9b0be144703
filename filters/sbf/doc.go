// Package sbf implements the Spectral Bloom Filter: a Bloom filter whose bits are counters. It is sized
// for a number of different keys. It has the exact number of occurrences of most of them, and too high
// a number for a few. Cohen and Matias 2003, "Spectral Bloom Filters". Sections, claims and figures
// named in this package refer to that paper.
//
// The sketch takes hashed keys (package key). Any number of goroutines may read a Sketch, but none while another
// changes it.
//
// # Methods
//
// A key has k counters of m. For n different keys gamma is n*k/m. A fraction (1 - exp(-gamma))^k of
// keys, 0.032 at the capacity with k = 5, shares all its counters with others. With MS their counts are
// too high. MI raises only the counters that bound the estimate, which makes most of those errors
// small. RM and TRM give a third of the counters to a second filter, for keys that seem to be wrong.
//
// docs/papers/spectral.md has the errors of all methods, over skew, gamma and k.
//
// RM as it comes is the paper's method. In the same memory it has more wrong answers than MS, contrary
// to figure 6, and half the error. Most of its wrong counts are late detections, too high by a few
// occurrences.
//
// NewGathering makes RM and TRM at once, from exact counts that it keeps until then. It knows which
// keys are wrong and moves those, instead of the keys with the sign of an error. SQL's aggregates do
// the same. Absent keys meet the smaller first filter: at gamma 0.7, 11.6 % of them have a count, while
// with MS it is 3.2 %.
//
// # When RM and TRM are below the truth
//
// The paper says that RM has no estimate below the truth. It has some, if the second filter has fewer
// occurrences of a key than there are:
//
//   - Without a marker a key counts as moved when all its counters in the second filter are above 0.
//     If that is only because of other keys, it is never moved. The second filter then has the others'
//     occurrences and those of the key that came later. With a marker the marker filter must be wrong
//     about it too.
//   - The paper's filter without a marker counts a key that was moved in the second filter only while
//     its least counter does not recur. So the second filter misses its other occurrences. That
//     made 3 to 9 % of keys too low (gamma 0.5 to 1, no skew). Here a key that the second filter has is
//     always counted there.
//   - A removal of a key that only seems to be in the second filter takes from others there.
//   - TRM corrects a moved key by the count of the key that stepped on its trap, which can be too high
//     itself.
//   - The union of two second filters would be too low for a key that was moved in one part only. Union
//     therefore drops them, see there.
//
// TestBelowTheTruth bounds how many keys that are. It is more with removals, at a larger gamma, with TRM,
// and without a marker. Without skew, keys are too low by 1 to 6 occurrences on average. With a skew of at
// least 1, which makes large counts, they are too low by some hundreds at most.
//
// # TRM in this package
//
// The paper's text and its figure 2 differ. In the figure a key that is moved is taken out of the first
// filter. So are the occurrences of other keys in the counter that it is moved for, which would make
// these keys too low at once. Here, as in the text, the first filter always counts everything. In the
// figure a trap stays after it was stepped on, so that every further occurrence would be subtracted
// again. Here the trap is removed. A key with a single least counter removes a trap without a
// correction, because its own count cannot be trusted.
//
// # Blocked
//
// With Blocked a key's counters are in one block of 64. Blocks are not equally full, which costs
// accuracy. At the capacity, 4.6 % of absent keys have a count instead of 3.2 % (TestFalsePositives has
// the formula).
package sbf
