//go:build !cgo

package needscgo

// Short, as the compiler repeats longer ones.
var _ int = "ccbfsql has DuckDB inside: set CGO_ENABLED=1, install gcc and g++"
