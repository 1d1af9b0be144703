// Package counters keeps the counters of Spectral Bloom Filters: many numbers,
// most of them small, that are read and raised in any order. Cohen and Matias
// 2003, section 4.
package counters
