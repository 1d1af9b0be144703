//go:build !cgo

package needscgo

// The compiler reports this text as the error of a build without cgo. The text is short, because the
// compiler repeats longer ones.
var _ int = "ccbfsql has DuckDB inside: set CGO_ENABLED=1, install gcc and g++"
