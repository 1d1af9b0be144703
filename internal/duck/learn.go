package duck

/*
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"slices"
	"unsafe"
)

// This file finds out which places in DuckDB pass arrays of states that have only their first
// entry (callers.go). It also finds out how parts of a chunk share constants (constants.c). It runs
// small queries with an aggregate of its own, in a database of its own. It does not disturb settings,
// transaction, log and profile of the user's database. The own database has one thread, so nothing
// else calls the aggregate.
//
// Each statement reaches a place that no other one reaches, in a version of DuckDB that the
// extension is tested with. Each is as small as it can be, as LOAD waits for them. A statement
// that a version does not know teaches nothing.

const learnName = "learn"

// wholeQueries pass an entry for each row: rows belong to several groups, or to frames that
// differ. Two have more rows than a vector, 2,048: another place serves whole vectors than the
// rest.
var wholeQueries = []string{
	"SELECT (i % 3)::VARCHAR, learn(i), learn(i) FILTER (i < 9) FROM range(20) t(i) GROUP BY 1",
	// From statistics of integers, DuckDB numbers groups without a hash table. DuckDB 2.0 then calls update
	// from another place in its code. A table has statistics, in DuckDB 2.0.1 also i % 3, but not a text.
	"CREATE TABLE t AS SELECT i, i % 3 AS g FROM range(20) t(i)",
	"SELECT g, learn(i) FROM t GROUP BY g",
	"SELECT learn(i) OVER (ORDER BY i ROWS 2 PRECEDING), learn(i ORDER BY -i) OVER (ORDER BY i ROWS 2 PRECEDING) FROM range(20) t(i)",
	"SELECT learn(DISTINCT i % 9) OVER (ORDER BY i ROWS 2 PRECEDING) FROM range(2100) t(i)",
	"SELECT list_aggregate(range(2100), 'learn')",
}

// oneQueries pass one state for all rows. None is a window over partitions: alone, DuckDB makes
// a join with a GROUP BY of it.
var oneQueries = []string{
	"SELECT learn(i), learn(i) FILTER (i < 9) FROM range(20) t(i)",
	"SELECT learn(DISTINCT i) FROM range(20) t(i)",
	"SELECT learn(i ORDER BY -i) FROM range(20) t(i)",
	"SELECT learn(i) OVER () FROM range(20) t(i)",
}

const (
	// streamingQuery passes one row at a time. DuckDB 1.3 prepares the arguments once and moves
	// a selection over them. Its C API then flattens the vector to its first row, so each call
	// gets that row again.
	streamingQuery = "SELECT learn(i) OVER (ROWS UNBOUNDED PRECEDING) FROM range(20) t(i)"

	// sortedQuery is a window over whole partitions with an order of rows (sorted.go).
	sortedQuery = "SELECT learn(i) OVER (PARTITION BY i // 2 ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM range(20) t(i)"

	// partsQuery passes several parts of a chunk, with a STRUCT of a constant, a NULL and a
	// column. The second window keeps DuckDB from making a join of the first.
	partsQuery = "SELECT learn({a: 7::BIGINT, n: NULL::BIGINT, b: i}) OVER (PARTITION BY i // 2), count(*) OVER (PARTITION BY i % 3) FROM range(160) t(i)"
)

// learn sets facts. If it fails, queries that need them end with errUnclear. The registry is
// locked.
func learn() {
	h := &hostFacts{}
	if old := facts.Load(); old != nil { // keep the facts about another copy of DuckDB in this process
		h.sites, h.sortedWindows = slices.Clone(old.sites), slices.Clone(old.sortedWindows)
	}
	h.failed = h.runQueries()
	h.constants = constantsKind(C.ccbf_constants())
	facts.Store(h)
}

// runQueries runs the queries in a database of its own, and adds to h what they show about DuckDB. It
// returns what went wrong, or an empty text.
func (h *hostFacts) runQueries() string {
	conn, closeDB := openInMemory()
	defer closeDB()
	if conn == nil {
		return "DuckDB opened no database in memory"
	}
	l := &learner{}
	one := func(name string, t Type, a Aggregator) Overload {
		return Overload{Params: []Param{{Name: name, Type: t}}, Returns: BigInt, Aggregate: a}
	}
	fn := &Function{Name: learnName, Overloads: []Overload{one("i", BigInt, l), one("s", Any, &constantsLearner{learner: l})}}
	if registerOne(conn, fn, &Instance{}) != nil {
		return "its database in memory takes no function"
	}
	runAll := func(step learnStep, queries ...string) {
		l.step = step
		for _, q := range queries {
			run(conn, q)
		}
	}
	runAll(learnWhole, wholeQueries...)
	runAll(learnOne, oneQueries...)
	runAll(learnStreaming, streamingQuery)
	runAll(learnSorted, sortedQuery)
	runAll(learnConstants, partsQuery)
	h.sortedWindows = append(h.sortedWindows, l.sorted...)
	for _, s := range slices.Concat(l.stale, l.sites) {
		// A place of another DuckDB in this process keeps its kind.
		if s.at != 0 && s.kind != unknownSite && h.indexOf(s.at) < 0 {
			h.sites = append(h.sites, s)
		}
	}
	if !slices.ContainsFunc(l.sites, func(s knownSite) bool { return s.kind == wholeSite && s.at != 0 }) {
		return "the stack does not say who calls a function"
	}
	return ""
}

// openInMemory opens a database in memory with one thread. It returns a connection to it, or nil if that
// failed, and a function that closes both.
func openInMemory() (conn unsafe.Pointer, closeBoth func()) {
	var config, db unsafe.Pointer
	var message *C.char
	name, value := C.CString("threads"), C.CString("1")
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(value))
	if C.duckdb_create_config(&config) == 0 {
		C.duckdb_set_config(config, name, value)
		if C.duckdb_open_ext(nil, &db, config, &message) == 0 {
			C.duckdb_connect(db, &conn)
		}
		C.duckdb_free(unsafe.Pointer(message))
		C.duckdb_destroy_config(&config)
	}
	return conn, func() {
		C.duckdb_disconnect(&conn)
		C.duckdb_close(&db)
	}
}

// updateCall is the arguments of an update by DuckDB. Only the first entry of states certainly
// exists.
type updateCall struct {
	states unsafe.Pointer
	rows   int
	mark   uint64 // mark of the function's states
	site   callSite
}

// observer is an Aggregator of this file. It gets each call as it is: this file finds out what the calling
// place passes.
type observer interface {
	observe(args *Rows, u updateCall)
}

// learnStep is which queries run.
type learnStep int

const (
	learnWhole learnStep = iota
	learnOne
	learnStreaming
	learnSorted
	learnConstants
)

// learner is the aggregate over numbers. It notes which places call it, and with what. Its
// result is 0.
type learner struct {
	step   learnStep
	sites  []knownSite
	stale  []knownSite // places that passed a row again
	sorted []uintptr   // callers of the places that ran sortedQuery
	last   []int64     // in learnStreaming: the value of the last row, if any. All rows have different values
}

// observe notes the place of a call and what its array of states shows.
func (l *learner) observe(args *Rows, u updateCall) {
	if l.step == learnStreaming && u.rows == 1 {
		value := Slice[int64](args.Col(0))[0]
		if slices.Contains(l.last, value) {
			l.stale = append(l.stale, knownSite{u.site, staleSite})
		}
		l.last = append(l.last[:0], value)
	}
	// An array for one row shows nothing: it has one entry in either kind.
	if u.rows < 2 || (*(**State)(u.states)).mark != u.mark {
		return
	}
	if l.step == learnSorted {
		if u.site.caller != 0 && !slices.Contains(l.sorted, u.site.caller) {
			l.sorted = append(l.sorted, u.site.caller)
		}
		return
	}
	kind := oneSite
	if l.step == learnWhole && bool(C.ccbf_all_states((**C.ccbf_state)(u.states), C.uint64_t(u.rows), C.uint64_t(u.mark))) {
		kind = wholeSite // no chance match: no other aggregate has arrays in memory
	}
	k := slices.IndexFunc(l.sites, func(s knownSite) bool { return s.at == u.site.at })
	switch {
	case k < 0:
		l.sites = append(l.sites, knownSite{u.site, kind})
	case l.step == learnWhole && l.sites[k].kind != kind: // after wholeQueries, the place is known
		l.sites[k].kind = unknownSite
	}
}

func (*learner) Update(*Rows, States) error   { return nil }
func (*learner) Combine(States, States) error { return nil }

func (*learner) Finalize(_ States, out *Result) error {
	clear(Out[int64](out))
	return nil
}

// constantsLearner is the aggregate over the STRUCT of partsQuery.
type constantsLearner struct{ *learner }

// observe notes how the parts of a chunk have the constants of a STRUCT.
func (l *constantsLearner) observe(args *Rows, u updateCall) {
	C.ccbf_learn_constants(args.Col(0).vec, C.uint64_t(u.rows))
	// The window of partsQuery has no ORDER BY. If its caller is also that of sortedQuery, the caller does
	// not show whether rows are sorted. So it is removed from l.sorted.
	l.sorted = slices.DeleteFunc(l.sorted, func(caller uintptr) bool { return caller == u.site.caller })
}
