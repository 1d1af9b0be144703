// Package keyed is the kit of families of sketches of keys. A family says
// everything of itself once, in a Spec:
//
//	var Family = keyed.Define(keyed.Spec[Params, *Sketch, View]{
//		ID: id, Name: "cms", Article: "a",
//		Options: options, New: New, Add: ..., View: NewView, ...
//	})
//
// What is the same in every family follows from that: Decode, Check and
// UnionBlob; the functions in SQL and their documentation (packages agg and udf),
// Beam's combiners, the conformance kit, and the tests that damage BLOBs. Code that
// knows no family works with Any and Sketch.
package keyed
