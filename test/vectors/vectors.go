// Package vectors has sketches with questions and answers as JSON, for readers of BLOBs in any
// language. README.md describes the files. Its tests write them with Go, compare them with Go's
// results, and compare the reader in js/ with Go on damaged BLOBs.
package vectors
