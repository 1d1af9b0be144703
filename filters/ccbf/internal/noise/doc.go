// Package noise is what collisions add to counters, and how to take it off.
//
// A Model reads from the counters how much a key reads that was never added, by how
// much cells with and without points are above the truth, and what a sum of readings
// is likely to be, with an interval ("Spectral Bloom Filters", section 3.1, for the
// least of k counters and for every way in which the counters came about).
package noise
