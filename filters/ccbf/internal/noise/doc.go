// Package noise estimates what collisions add to counters, and subtracts it.
//
// A Model derives from the counters how much a key that was never added reads, by how
// much cells with and without points exceed the truth, and what a sum of readings
// is likely to be, with an interval ("Spectral Bloom Filters", section 3.1, for the
// least of k counters and for every way in which the counters came about).
package noise
