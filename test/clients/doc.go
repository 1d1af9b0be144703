// Package clients tests the loadable extension in other people's programs: Node, Python and Java
// (by JDBC) with several versions of DuckDB. It runs the SQL tests through them, has hosts read
// each other's files, and tests the effects of a Go runtime on its host.
//
// It is a package of its own, beside sql/test, because it is about processes, not about SQL, and
// because its tests need more than Go. They need the extension (make extension), the packages of
// make clients, and a JDK. Where one is missing the tests that need it are skipped and say so.
// Where CCBF_ALL_CLIENTS is set, that is a failure, except for the JDK.
package clients
