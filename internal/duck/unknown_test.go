package duck

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// TestUnknownCallers checks that queries from unknown places return the right result or an error.
// No state is written through an entry that may not exist.
func TestUnknownCallers(t *testing.T) {
	db, _ := openDB(t, toys())
	mustExec(t, db, planData+"; CREATE TABLE w AS SELECT * FROM d WHERE i < 900")
	known := facts.Load()
	unknown := *known
	unknown.sites = nil
	facts.Store(&unknown)
	defer facts.Store(known)
	answered, refused := 0, 0
	ask := func(ours, theirs string) {
		t.Helper()
		got, err := ask(db, ours)
		switch {
		case err != nil && strings.Contains(err.Error(), "calls it from an unknown place"):
			refused++
		case err != nil:
			t.Errorf("%s: %v", ours, err)
		case got != mustAsk(t, db, theirs):
			t.Errorf("%s\n got %.600s", ours, got)
		default:
			answered++
		}
	}
	for _, threads := range []int{1, 8} {
		mustExec(t, db, fmt.Sprintf("SET threads = %d", threads))
		for _, p := range plans {
			ask(asSum(p.query))
		}
		for n := range 9 {
			for _, over := range []string{"", "PARTITION BY g"} {
				ask(manyWindows("toy_sum", 1+n, over), manyWindows("sum", 1+n, over))
			}
		}
	}
	t.Logf("%d answered, %d refused", answered, refused)
	if answered == 0 || refused == 0 {
		t.Errorf("%d answered, %d refused: this test shows nothing any more", answered, refused)
	}
}

// manyWindows is a query with n functions over one constant window, each its own
// state. DuckDB lays their one-entry arrays side by side, in any order.
func manyWindows(f string, n int, over string) string {
	var a, t strings.Builder
	for k := range n {
		fmt.Fprintf(&a, ", %s(i + %d) OVER (%s) a%d", f, k, over, k)
		fmt.Fprintf(&t, " + a%d", k)
	}
	return fmt.Sprintf("SELECT sum(0%s), min(n) FROM (SELECT count(*) OVER (PARTITION BY g %% 2) n%s FROM w)", t.String(), a.String())
}

// Arrays made by hand, as no DuckDB that is known makes them.
func TestUnclearArrays(t *testing.T) {
	openDB(t, nil)
	// Two pages of which the second cannot be read.
	const page = 1 << 16 // the largest there is
	memory, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skipf("skipped: no mmap: %v", err)
	}
	defer func() { _ = syscall.Munmap(memory) }()
	if err := syscall.Mprotect(memory[page:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	at := func(i int) unsafe.Pointer { return unsafe.Pointer(&memory[i]) }
	ours := processMark | 1
	newState := func(i int, mark uint64) uintptr {
		(*State)(at(i)).mark = mark
		return uintptr(at(i))
	}
	a, b, c := newState(0, ours), newState(64, ours), newState(128, ours)
	other, dead := newState(192, processMark|2), newState(256, 0)
	odd, far := a+4, a+page+64
	for _, k := range []struct {
		name    string
		states  []uintptr
		n       int // rows, of which the last ones may lie where nothing can be read
		refused bool
	}{
		{"one row, which can be a part of a chunk", []uintptr{a}, 1, false},
		{"one row before what cannot be read", []uintptr{a}, 2048, false},
		{"all the same", []uintptr{a, a, a}, 3, false},
		{"all the same, and what cannot be read", []uintptr{a, a, a}, 4, false},
		{"several", []uintptr{a, b, c}, 3, true},
		{"one of two", []uintptr{a, a, b}, 3, true},
		{"another function's", []uintptr{a, b, other}, 3, false},
		{"a state that is no more", []uintptr{a, b, dead}, 3, false},
		{"nothing", []uintptr{a, 0}, 2, false},
		{"a number", []uintptr{a, 12345672}, 2, false},
		{"not aligned", []uintptr{a, odd}, 2, false},
		{"a state that cannot be read", []uintptr{a, far}, 2, false},
		{"the first is another function's", []uintptr{other, other}, 2, true},
		{"the first is no more", []uintptr{dead}, 1, true},
	} {
		begin := page - 8*len(k.states)
		for i, s := range k.states {
			*(*uintptr)(at(begin + 8*i)) = s
		}
		before := append([]byte(nil), memory[:page]...)
		single, part, err := facts.Load().statesOf(at(begin), k.n, ours, callSite{})
		if (err != nil) != k.refused || single == k.refused || part == k.refused {
			t.Errorf("%s: one state %v, a part %v: %v", k.name, single, part, err)
		}
		if string(before) != string(memory[:page]) {
			t.Errorf("%s: memory was changed", k.name)
		}
	}
}

// TestLearn checks that learn finds places of both kinds, and leaves nothing in a database.
func TestLearn(t *testing.T) {
	db, _ := openDB(t, toys())
	known := facts.Load()
	kinds := map[siteKind]int{}
	for _, s := range known.sites {
		kinds[s.kind]++
	}
	t.Logf("places by kind: %v", kinds)
	if kinds[wholeSite] == 0 || kinds[oneSite] == 0 || known.failed != "" {
		t.Errorf("places by kind: %v, want both kinds; failed: %q", kinds, known.failed)
	}
	openDB(t, toys())
	if facts.Load() != known {
		t.Error("another database was learned from")
	}
	if got := mustAsk(t, db, "SELECT count(*) FROM duckdb_functions() WHERE function_name LIKE '%learn%'"); got != "0" {
		t.Errorf("%s functions to learn by were left in the database", got)
	}
}

// toyFields sums the first field of STRUCTs, a BIGINT, and counts rows where it is NULL as 1000.
type toyFields struct{ toySum }

func (toyFields) Update(args *Rows, states States) error {
	v := args.Col(0)
	if err := states.Complete(v); err != nil {
		return err
	}
	f := v.Field(0)
	for i := range v.Len() {
		n := int64(1000)
		if f.Valid(i) {
			n = Slice[int64](f)[i]
		}
		s := sumOf(states.At(i))
		s.sum += n
		s.rows++
	}
	return nil
}

// TestConstantsInParts checks that learn finds out how parts of a chunk share constants. If that is
// not known, windows refuse STRUCTs of several fields, and other queries do not.
func TestConstantsInParts(t *testing.T) {
	db, _ := openDB(t, append(toys(), aggregateOf("toy_fields", Any, BigInt, toyFields{})))
	known := facts.Load()
	if known.constants != constantsShared {
		t.Error("it is not known how parts of a chunk share constants")
	}
	unknown := *known
	unknown.constants = constantsUnknown
	mustExec(t, db, "SET threads = 1; CREATE TABLE w AS SELECT i, i // 7 AS g, (i * 7) % 11 AS x FROM range(5000) t(i)")
	const over = " OVER (PARTITION BY g) AS a, count(*) OVER (PARTITION BY x) FROM w) WHERE true"
	for _, q := range [][2]string{
		{"{a: 7::BIGINT, b: x}", "7"}, {"{a: NULL::BIGINT, b: x}", "1000"}, {"{a: x, b: 'text'}", "x"}, {"{a: CASE WHEN i < 2500 THEN 9 ELSE i END, b: {c: x}}", "CASE WHEN i < 2500 THEN 9 ELSE i END"},
	} {
		ours := "SELECT sum(a) FROM (SELECT toy_fields(" + q[0] + ")" + over
		same(t, db, ours, "SELECT sum(a) FROM (SELECT sum("+q[1]+")"+over)
		facts.Store(&unknown)
		if _, err := ask(db, ours); err == nil || !strings.Contains(err.Error(), "use GROUP BY instead of the window") {
			t.Errorf("%s, where nothing is known: %v", ours, err)
		}
		same(t, db, "SELECT g, toy_fields("+q[0]+") FROM w GROUP BY g ORDER BY g", "SELECT g, sum("+q[1]+") FROM w GROUP BY g ORDER BY g")
		facts.Store(known)
	}
	// Windows with an order: refused where fields differ between rows.
	const ordered = " OVER (PARTITION BY g ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS a FROM w) WHERE true"
	same(t, db, "SELECT sum(a) FROM (SELECT toy_fields({a: 7::BIGINT, b: 'text'})"+ordered, "SELECT sum(a) FROM (SELECT sum(7)"+ordered)
	for _, fields := range []string{"{a: 7::BIGINT, b: x}", "{a: g, b: 7}", "{a: x, b: i}"} {
		query := "SELECT sum(a) FROM (SELECT toy_fields(" + fields + ")" + ordered
		if _, err := ask(db, query); err == nil || !strings.Contains(err.Error(), "use GROUP BY instead of the window") {
			t.Errorf("%s: %v", query, err)
		}
		same(t, db, strings.ReplaceAll(query, "PARTITION BY g", ""), "SELECT sum(a) FROM (SELECT sum("+fields+".a)"+strings.ReplaceAll(ordered, "PARTITION BY g", ""))
	}
}
