// Package memory has the memory of aggregates that is not in DuckDB's states: pages, and slabs that many
// states share. It also has the budget of the process for them, for results and for a cache. DuckDB does
// not destroy every state, so pages can be reclaimed (docs/MEMORY.md). The package knows nothing else of
// DuckDB.
package memory
