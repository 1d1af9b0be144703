// Package cascade is the counters of a sketch: layers of counting Bloom filters,
// each of fewer and wider counters than the one before, in which a counter that
// overflows carries into the layer above (Laass, Walther, Mansour and Werner,
// "CascadeCBF: Probabilistic Counting for Sparse Spatial Point Clouds").
//
// A counter counts to 2^(b-1)-1; the next increment sets its flag, wraps its value
// to 0 and carries 1 into the next layer, at the index modulo that layer's size. It
// reads v0 + v1*2^(b0-1) + v2*2^(b0-1+b1-1) + ... while flags are set. The last
// layer saturates and never wraps.
//
// Keys come as their hashes: what is counted, cells or squares, with a category or
// without, this package does not know.
package cascade
