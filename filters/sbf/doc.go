// Package sbf implements the Spectral Bloom Filter: a Bloom filter whose bits are counters. It is sized
// for a number of different keys. It has the exact number of occurrences of most of them, and too high
// a number for a few. Cohen and Matias 2003, "Spectral Bloom Filters". Sections, claims and figures
// named in this package refer to that paper.
//
// The sketch takes hashed keys (package key). Methods are not safe for
// concurrent use with a writer; any number of readers is.
//
// # Methods
//
// A key has k counters of m. For n different keys gamma is n*k/m. A fraction (1 - exp(-gamma))^k of
// keys, 0.032 at the capacity with k = 5, shares all its counters with others. With MS their counts are
// too high. MI raises only the counters that bound the estimate, which makes most of those errors
// small. RM and TRM give a third of the counters to a second filter, for keys that seem to be wrong.
//
// The table was measured over 5 sketches of 1,000 keys and 100,000 occurrences with a skew of 0.5, in
// 7,143 counters, gamma 0.7. The error is the square root of the mean square, as in section 6.1.
// docs/papers/spectral.md has more of them.
//
//	               wrong   error  below the truth
//	MS             3.5 %   11.5   never
//	MI             2.0 %    1.4   never
//	RM, as it comes 6.3 %   5.9   see below
//	RM, at once    0 of 5,000     never
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
// The table says how many of 1,000 keys are below the truth, the maximum over skews of 0, 0.5, 1, 1.5
// and 2. In the last rows, 5 % of the keys are removed after each fifth of the stream. It was measured
// with 40,000 keys for each skew; gamma counts both filters together (TestBelowTheTruth). Without
// skew, keys are too low by 1 to 6 occurrences on average. With a skew of at least 1, which makes large
// counts, they are too low by some hundreds at most.
//
//	                     gamma   0.5   0.7   0.83    1
//	RM                           0     0     0.3    1.9
//	RM without marker            0     0.6   3.5   10.5
//	TRM                          0.4   2.1   3.1    5.0
//	TRM without marker           0.5   2.1   4.9   12.9
//	RM, removals                 0     0.1   1.1    3.5
//	RM without marker, removals  0.1   1.4   4.9   12.0
//	TRM, removals                0.3   1.7   3.6    6.8
//	TRM without marker, removals 0.4   2.9   6.5   14.5
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
