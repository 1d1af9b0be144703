// Package clients tests the loadable extension in other programs: Node, Python and Java (JDBC) with
// several versions of DuckDB. It runs the SQL tests through them, lets hosts read each other's
// files, and tests the effects of a Go runtime on its host.
//
// It is separate from sql/test, because it is about processes and not about SQL. Its tests also
// need more than Go: the extension (make extension), the packages of make clients, and a JDK. Tests
// without what they need are skipped and say so. With CCBF_ALL_CLIENTS that is a failure, except
// for the JDK.
package clients
