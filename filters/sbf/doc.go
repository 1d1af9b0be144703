// Package sbf is the Spectral Bloom Filter.
package sbf
