// Package needscgo is imported by what contains DuckDB, and does not compile without
// cgo: its error says what is missing, where otherwise a list of build constraints
// would. Packages that import the driver do so in files with the constraint cgo.
package needscgo
