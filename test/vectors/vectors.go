// Package vectors holds sketches, questions to them and their answers, as JSON, for readers of
// BLOBs in any language: README.md describes the files. Its tests write them from Go, hold them
// against what Go answers, and let the reader in js/ judge damaged BLOBs.
package vectors
