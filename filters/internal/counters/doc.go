// Package counters encodes the counters of Spectral Bloom Filters in BLOBs: many numbers, most of them small,
// that are read in any order. The structures are in Cohen and Matias 2003, section 4.
//
// # Encodings
//
//   - Plain: words of 1, 2, 4 or 8 bytes, whichever the largest counter needs (package words).
//   - Elias: every counter, plus 1, in the Elias delta code, whose length the
//     paper gives as L2(n). The gamma code is shorter by 0.3 bits for keys with
//     counts below 10 on average, and longer from 50 on. If counters are small,
//     Steps is shorter than both.
//   - Steps: the paper's code for small counters, of which it gives only an
//     example. Here it is the one of eight codes that makes the given counters
//     shortest.
//   - Index: every counter in as many bits as it has, or a few more, and a
//     string-array index to find it.
//
// Elias and Steps keep groups of 64 counters, one code after the other, with a
// directory of where groups begin, 32 bits each (section 4.5). A lookup skips
// 32 codes on average.
//
// # The string-array index
//
// docs/FORMAT.md has its bytes: records of 16 bytes, one for each group of 64 counters, and groups of 8 chunks of
// 8 counters.
//
// In a short chunk a counter takes base bits and as many more as its code says. A code is a number of p
// bits, p from 0 to 4 and the same for all chunks. A sum of lengths says where a counter begins: of codes
// times the bits before it. One table for all indexes has the sums of 12 bits of codes.
//
// A long chunk has a counter that no code is long enough for. Its offset vector says where each counter
// begins, and they take exactly their bits. So a lookup is always one record, one word of codes (or
// vector), and one counter: constant time, two places in memory.
//
// In the paper, counters also change in the index: there is slack between them, which a counter that gets
// longer takes. Here sketches in memory have words, which change many times faster. A BLOB does not
// change, so it has no slack. The base and p are chosen for its counters, so the same counters give the same
// bytes.
//
// It differs from the paper in these points:
//
//   - Group and chunk sizes are fixed, 64 and 8. In the paper they are log N and log log N, and N changes.
//     For arrays of interest these are 20 to 25 and 4 to 5.
//   - Groups have no offset vectors of their own. The paper has them for groups above log^3 N bits, 8,000 at
//     a million counters. Here 64 counters of 64 bits and their vectors have 4,680.
//   - The first and second coarse offsets are side by side. So they are in one cache line, and no second
//     array is needed to find the vectors (section 4.7.1).
//   - Length codes and offset vectors precede their counters, instead of being in arrays of their own. The
//     line of memory that has them has the counters as well, and no rank structure is needed to find them.
//   - The lookup table's key is the codes before the counter. In the paper it is all codes and the counter's
//     number. The table takes 4 KiB for each p, where the paper's is exponential in a chunk's length. Length
//     codes have a fixed length. With base and p chosen for the counters they are shorter than Elias codes.
package counters
