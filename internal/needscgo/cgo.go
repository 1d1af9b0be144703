// Package needscgo is imported by packages that contain DuckDB, and does not compile without cgo.
// Its error says what is missing, in place of Go's list of build constraints. Packages that import
// the driver do so in files with the constraint cgo.
package needscgo
