// Package keyed is the kit of families of sketches of keys. A family describes itself once, in a Spec:
//
//	var Family = keyed.Define(keyed.Spec[Params, *Sketch, View]{
//		ID: id, Name: "cms", Article: "a",
//		Options: options, New: New, View: NewView, Sketch: ..., ...
//	})
//
// The kit derives all that families have in common from it: Decode, Check and UnionBlob, the functions
// in SQL with their documentation, and Beam's combiners. The conformance kit and the tests that damage
// BLOBs use it too. Code that works with any family uses Any and Sketch.
package keyed
