package duck

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/internal/memory"
	duckdb "github.com/duckdb/duckdb-go/v2"
)

func TestRegisterTwice(t *testing.T) {
	db, in := openDB(t, toys())
	if again := register(t, db, toys()); again != in {
		t.Error("the same database is another instance")
	}
	if _, err := Register(nil, toys()); err == nil {
		t.Error("no connection: no error")
	}
	other, in2 := openDB(t, toys())
	if in2 == in {
		t.Error("another database is the same instance")
	}
	// Functions that are registered later are added.
	more := oneArg("toy_more", BigInt, BigInt, func(args *Rows, out *Result) error {
		copy(Out[int64](out), Slice[int64](args.Col(0)))
		return nil
	})
	register(t, db, append(toys(), more))
	for range 2 {
		if got := mustAsk(t, db, "SELECT toy_more(5), toy_add(1, 2), toy_sum(i) FROM range(4) t(i)"); got != "5|3|6" {
			t.Errorf("got %s", got)
		}
	}
	if _, err := ask(other, "SELECT toy_more(5)"); err == nil {
		t.Error("registered with a database it was not registered with")
	}
	if got := mustAsk(t, db, "SELECT function_type, count(*) FROM duckdb_functions() WHERE function_name IN ('toy_add', 'toy_sum') GROUP BY 1 ORDER BY 1"); got != "aggregate|1\nscalar|1" {
		t.Errorf("got %s", got)
	}
}

func TestRegisterInTransaction(t *testing.T) {
	db, _ := openDB(t, nil)
	ctx := t.Context()
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "BEGIN; CREATE TABLE t AS SELECT 1 AS x"); err != nil {
		t.Fatal(err)
	}
	registerOn(t, conn, toys())
	var n int64
	if err := conn.QueryRowContext(ctx, "SELECT toy_sum(x) FROM t").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := conn.ExecContext(ctx, "COMMIT"); err != nil {
		t.Error(err)
	}
}

func TestConnOf(t *testing.T) {
	var none *duckdb.Conn
	type noPtr struct{ conn struct{ p int } } //nolint:unused // read by reflection
	type other struct{ conn int }             //nolint:unused // read by reflection
	for name, c := range map[string]any{
		"nil": nil, "a number": 7, "nil driver connection": none, "closed": new(duckdb.Conn),
		"no field": &struct{ x int }{}, "field without Ptr": &noPtr{}, "other field": &other{},
	} {
		p, err := ConnOf(c)
		if p != nil || err == nil || !strings.Contains(err.Error(), "duckdb-go/v2") {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
}

// The extension's way to the table: a struct of pointers is copied.
func TestLoadTable(t *testing.T) {
	if err := Embedded(); err != nil {
		t.Fatal(err)
	}
	table := slices.Clone(apiTable())
	if err := LoadTable(unsafe.Pointer(&table[0])); err != nil {
		t.Fatal(err)
	}
	table[209] = nil
	if err := LoadTable(unsafe.Pointer(&table[0])); err == nil || !strings.Contains(err.Error(), "duckdb_create_scalar_function") {
		t.Errorf("a table with a hole: error %v", err)
	}
	table[209] = table[210] // a function of another DuckDB
	if err := LoadTable(unsafe.Pointer(&table[0])); err == nil || !strings.Contains(err.Error(), "two copies of DuckDB") {
		t.Errorf("another DuckDB's table: error %v", err)
	}
	if LoadTable(nil) == nil {
		t.Error("no table: no error")
	}
	db, _ := openDB(t, toys())
	if got := mustAsk(t, db, "SELECT toy_add(1, 2)"); got != "3" {
		t.Errorf("got %s", got)
	}
}

// A closed database gives back what its queries left, and nothing piles up.
func TestClosedDatabases(t *testing.T) {
	fns := toys()
	bounds := 0
	for range 3 {
		db, in := openDB(t, fns)
		mustExec(t, db, "SELECT i // 2 AS k, toy_list(i) FROM range(200000) t(i) GROUP BY k LIMIT 3")
		if memory.Used() == 0 {
			t.Error("the LIMIT left nothing behind: this test shows nothing any more")
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if used := memory.Used(); used != 0 {
			t.Errorf("%d bytes of a closed database are held", used)
		}
		if instanceOf(in.id) != nil {
			t.Error("the instance of a closed database is still there")
		}
		if n := len(*registry.overloads.Load()); bounds == 0 {
			bounds = n
		} else if n != bounds {
			t.Errorf("%d overloads are bound, %d after the first database", n, bounds)
		}
	}
}

// Whatever a callback does, the query gets an error and the next one works.
func TestErrorsAndPanics(t *testing.T) {
	wrapped := errors.New("toy_named: already named")
	fns := append(toys(),
		aggregateOf("toy_boom_update", BigInt, BigInt, panicky("update")),
		aggregateOf("toy_boom_combine", BigInt, BigInt, panicky("combine")),
		aggregateOf("toy_boom_finalize", BigInt, BigInt, panicky("finalize")),
		oneArg("toy_named", BigInt, BigInt, func(*Rows, *Result) error { return wrapped }),
		oneArg("toy_zero", BigInt, BigInt, func(*Rows, *Result) error { return errors.New("a\x00b") }))
	db, _ := openDB(t, fns)
	mustExec(t, db, "CREATE TABLE d AS SELECT i FROM range(500000) t(i)")
	mustExec(t, db, "SET threads = 4")
	for query, want := range map[string]string{
		"SELECT toy_panic(1)":                                 "toy_panic: internal error: runtime error: index out of range [1] with length 0",
		"SELECT toy_panic(i) FROM d":                          "toy_panic: internal error: runtime error",
		"SELECT toy_fail(i) FROM d":                           "toy_fail: a toy error",
		"SELECT toy_named(i) FROM d":                          "Error: toy_named: already named",
		"SELECT toy_zero(i) FROM d":                           `toy_zero: a\0b`,
		"SELECT toy_boom_update(i) FROM d":                    "toy_boom_update: internal error: boom",
		"SELECT i % 10, toy_boom_update(i) FROM d GROUP BY 1": "toy_boom_update: internal error: boom",
		"SELECT toy_boom_combine(i) FROM d":                   "toy_boom_combine: internal error: boom",
		"SELECT toy_boom_finalize(i) FROM d":                  "toy_boom_finalize: internal error: boom",
		// DuckDB destroys states of this one that it never made.
		"SELECT list_aggregate([i, i], 'toy_boom_update') FROM d": "toy_boom_update: internal error: boom",
		"SELECT toy_boom_update(i) OVER () FROM d":                "toy_boom_update: internal error: boom",
		"SELECT toy_boom_finalize(i ORDER BY i) FROM d":           "toy_boom_finalize: internal error: boom",
	} {
		_, err := ask(db, query)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", query, err, want)
		}
		if got := mustAsk(t, db, "SELECT toy_add(20, 3), toy_sum(i) FROM range(4) t(i)"); got != "23|6" {
			t.Errorf("after %s: %s", query, got)
		}
	}
	if got := mustAsk(t, db, "SELECT TRY(toy_fail(1)), TRY(toy_panic(1))"); got != "<nil>|<nil>" {
		t.Errorf("TRY: %s", got)
	}
}

// panicky panics in the callback that it names.
type panicky string

func (p panicky) in(callback string) error {
	if callback == string(p) {
		panic("boom")
	}
	return nil
}

func (p panicky) Update(*Rows, States) error     { return p.in("update") }
func (p panicky) Combine(States, States) error   { return p.in("combine") }
func (p panicky) Finalize(States, *Result) error { return p.in("finalize") }

// TestSilentCallbacks checks that a panic in a callback without a query does not end the process,
// nor does the end of an unknown database.
func TestSilentCallbacks(t *testing.T) {
	openDB(t, nil)
	callDestroy(ccbfGoDestroy, unsafe.Pointer(new(*State)), 1) // panics, as it reads through nil
	ccbfGoEnd(math.MaxUint32 << 32)
}

// callDestroy calls f, whose parameters have types of C that a test cannot name.
func callDestroy[S any, N ~uint64](f func(**S, N), states unsafe.Pointer, n N) { f((**S)(states), n) }

// Go's scheduler has one processor more, unless the environment says how many it has.
func TestAddProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for environment, want := range map[string]int{"": 3, "2": 2} {
		t.Setenv(processorsVariable, environment)
		runtime.GOMAXPROCS(2)
		if addProcessor(); runtime.GOMAXPROCS(0) != want {
			t.Errorf("GOMAXPROCS %q: %d processors, want %d", environment, runtime.GOMAXPROCS(0), want)
		}
	}
}
