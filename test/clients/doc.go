// Package clients tests the loadable extension in other people's programs: Node
// with several versions of DuckDB, and a Java virtual machine. It runs the SQL
// tests through them, has hosts read each other's files, and looks at what a Go
// runtime does to its host.
//
// It is a package of its own, beside sql/test, because it is about processes,
// not about SQL, and because its tests need more than Go: the extension
// (make extension), Node with its packages (make clients), a JDK. Where one is
// missing the tests that need it are skipped and say so. Where CCBF_ALL_CLIENTS
// is set, that is a failure, except for the JDK.
//
// DuckDB's JDBC driver is not among the clients: its jar comes from nowhere that
// this repository fetches from. The virtual machine calls the same libduckdb
// through a hundred lines of JNI instead: all of Java's own use of signals,
// stacks and threads is there, only the glue is another.
package clients
