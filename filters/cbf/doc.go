// Package cbf implements the counting Bloom filter: a set from which keys can be removed, in a fixed
// number of small counters. There are three variants, each also with a variable length of the
// information about a key.
//
//   - Plain: each of the k counters of a key counts its occurrences. A counter at 0 rules a key out. Fan
//     et al. 2000, "Summary Cache".
//   - Increment: an occurrence adds a number v from L to 2L-1, which the key's hash chooses. Other keys
//     added nothing or at least L, so a counter C can hold the key only if C = v or C >= v+L.
//     Rottenstreich, Kanizo and Keslassy 2014, "The Variable-Increment Counting Bloom Filter".
//   - Tandem: counters are in pairs. While a pair holds a single occurrence, it keeps more bits of its
//     hash. Reviriego and Rottenstreich 2019, "The Tandem Counting Bloom Filter".
//
// With VariableLength the counters are split into two halves while there is room. The lower halves
// count the k hash functions, the upper halves k more. When the filter has had more than Alpha*Capacity
// occurrences at one time, it drops the upper halves. The lower ones then take the whole width,
// permanently. "Variable-length Encoding Framework", section IV.
//
// A key that was added is found until it was removed as often as it was added. A key that was not added
// is found with a probability that Info predicts. A counter that reaches its ceiling is stuck: nothing
// changes it any more, so it never falls below its count. Stuck counters cost accuracy after removals,
// never a false negative.
//
// # Pairs of tandem counters
//
// No sum of increments is in 1..L-1. A counter with such a value is called a note: its partner then
// holds a single occurrence. The partner is not v but v, v+L or v+2L. The hash of the occurrence
// chooses one of L-1 notes and one of the three: 3(L-1) signatures beside the L increments. In the
// table, A is the counter of the occurrence and B its partner:
//
//	A        B        meaning                   is the key there?       add at A         add at B
//	0        0        empty                     no                      one, signed      one, signed
//	>= L     note     one at A, signed          where both are equal    A's v + v        A's v; B = v
//	note     >= L     one at B, signed          no                      B's v; A = v     B's v + v
//	>= L     0        A's, unsigned             C = v or C >= v+L       A + v            B = v
//	0        >= L     B's, unsigned             no                      A = v            B + v
//	>= L     >= L     both, unsigned            C = v or C >= v+L       A + v            B + v
//	ceiling  0, >= L  A is stuck                yes                     A as it is       B + v
//	note     note     not possible; nor is a note beside 0
//
// Several occurrences at once are never signed. A removal from a signed counter removes the occurrence
// of its signature, and leaves the pair empty. A removal from an unsigned counter subtracts v. The rest
// stays unsigned, even if it is one occurrence, until the pair is empty again. A pair with a stuck
// counter never is empty. The union of a pair with an empty one is that pair. The union of two others
// is unsigned, the sum of each counter.
//
// Any number of goroutines may read a Sketch, but none while another changes it.
package cbf
