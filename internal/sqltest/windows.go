package sqltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// WindowCount is how many random queries a test asks: few, with CCBF_LONG=1 ten
// thousand, with CCBF_WINDOWS so many.
func WindowCount(few int) int {
	if n, err := strconv.Atoi(os.Getenv("CCBF_WINDOWS")); err == nil {
		return n
	}
	if os.Getenv("CCBF_LONG") != "" {
		return 10000
	}
	return few
}

// windowRows is the number of rows that there are in all.
const windowRows = 5000

const windowTable = `CREATE OR REPLACE TABLE window_rows AS
SELECT i, h, (SELECT ccbf_agg(j, h, 1) FROM (SELECT i AS j)) AS s FROM (SELECT i, (i * 7919 % 8)::INTEGER AS h FROM range(5000) t(i))`

// Windows asks n random queries, numbers first to first+n-1 of a seed, in which
// aggregates stand in windows or have an ORDER BY of their own, and compares
// exact sketches with DuckDB's sum and count in their places. They have 1 to 64
// functions and 1 to 5,000 rows a group; DuckDB has 1 to 8 threads.
//
// What DuckDB hands to an aggregate then is an array of states of which only the
// first exists, and what lies behind it depends on everything beside it.
func Windows(t testing.TB, c Conn, seed uint64, first, n int) {
	t.Helper()
	if err := c.Exec(windowTable); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Exec("DROP TABLE window_rows; RESET threads"); err != nil {
			t.Error(err)
		}
	}()
	one := func(query string) (string, error) {
		rows, err := c.Query(query)
		if err != nil {
			return "", err
		}
		if len(rows) != 1 {
			return "", fmt.Errorf("%d rows, want 1", len(rows))
		}
		return strings.Join(rows[0], " | "), nil
	}
	wrong, refused, began := 0, 0, time.Now()
	defer func() {
		t.Logf("%d random queries of seed %d in %.0f s, %d wrong, %d refused", n, seed, time.Since(began).Seconds(), wrong, refused)
	}()
	for number := first; number < first+n && wrong < 3; number++ {
		if asked := number - first; asked > 0 && asked%1000 == 0 {
			t.Logf("%d queries asked, %d wrong, %d refused", asked, wrong, refused)
		}
		q := randomWindow(seed, number)
		if err := c.Exec(fmt.Sprintf("SET threads = %d", q.threads)); err != nil {
			t.Fatal(err)
		}
		want, err := one(q.exact)
		if err != nil {
			t.Fatalf("seed %d, query %d, exact: %v\n%s", seed, number, err, q.exact)
		}
		got, err := one(q.ours)
		// DuckDB 1.3 has it, in windows without an order, and is not asked again.
		if err != nil && strings.Contains(err.Error(), "passes the same row again and again") {
			refused++
			continue
		}
		if err != nil || got != want {
			wrong++
			t.Errorf("seed %d, query %d, %d threads: %v\n%.9000s\n got %.2000s\nwant %.2000s", seed, number, q.threads, err, q.ours, got, want)
		}
	}
}

type windowQuery struct {
	threads, functions, rows, groups int
	ours, exact                      string
}

// column is one function of a query, with sketches and without. @ in call stands
// for what comes behind the arguments, a in value for the result.
type column struct{ call, value, exactCall, exactValue string }

// windowDraw is one query as it is drawn.
type windowDraw struct {
	*rand.Rand
	functions, rows, groups int
	constant, large         bool // windows without frames; many functions whatever it costs
	group                   string
}

// uneven is between 1 and most, small numbers as often as large ones.
func (r *windowDraw) uneven(most int) int {
	return min(most, int(math.Exp(r.Float64()*math.Log(float64(most)+1))))
}

func (r *windowDraw) chance(p float64) bool { return r.Float64() < p }

func (r *windowDraw) pick(texts ...string) string { return texts[r.IntN(len(texts))] }

// A few queries of every 250 are as large as they get, by their number and not by
// chance; the others are small, or ten thousand of them would take an hour.
const (
	largeOf       = 250
	manyFunctions = 11 // 64 functions
	manyRows      = 37 // a group of all rows
	manyThreads   = 59 // both, on 8 threads
	threadsStay   = 10 // queries: a change of threads costs more than a small query
)

func randomWindow(seed uint64, number int) windowQuery {
	r := &windowDraw{Rand: rand.New(rand.NewPCG(seed, uint64(number)))}
	threads := 1 + rand.New(rand.NewPCG(seed, 1<<32+uint64(number/threadsStay))).IntN(8)
	functions, rows := 8, 60
	if r.chance(0.08) {
		functions, rows = 24, 600
	}
	if r.chance(0.01) {
		functions, rows = 64, windowRows
	}
	r.functions = r.uneven(functions)
	size := r.uneven(rows)
	r.groups = r.uneven(rows / size)
	switch number % largeOf {
	case manyFunctions:
		r.functions = 64
	case manyRows:
		size, r.groups, r.constant = windowRows, 1, true
	case manyThreads:
		threads, r.functions, size, r.groups = 8, 64, windowRows, 1
		r.constant, r.large = true, true
	}
	r.rows = size * r.groups
	r.group = fmt.Sprintf("i %% %d", r.groups)
	if r.chance(0.5) {
		r.group = fmt.Sprintf("i // %d", size)
	}
	var ours, exact string
	switch {
	case r.constant:
		ours, exact = r.windowed()
	case r.chance(0.05):
		ours, exact = r.lists()
	case r.chance(0.3):
		ours, exact = r.grouped()
	default:
		ours, exact = r.windowed()
	}
	return windowQuery{threads, r.functions, r.rows, r.groups, ours, exact}
}

func (r *windowDraw) from() string {
	return fmt.Sprintf("(SELECT i, h, s, %s AS g FROM window_rows WHERE i < %d)", r.group, r.rows)
}

// column draws a function; behind is the window or nothing.
func (r *windowDraw) column(k int, order bool, behind string) column {
	filter := ""
	if r.chance(0.15) {
		filter = fmt.Sprintf(" FILTER (WHERE i %% 3 = %d)", r.IntN(3))
	}
	sorted := ""
	if order {
		sorted = r.pick(" ORDER BY i", " ORDER BY i DESC", " ORDER BY h, i", " ORDER BY h")
	}
	behind = filter + behind
	if r.chance(0.05) {
		return column{"list(i" + sorted + ")" + behind, "list_sum(a)", "sum(i)" + behind, "a"}
	}
	if r.chance(0.1) && !strings.Contains(behind, "EXCLUDE") {
		m := 1 + r.IntN(20)
		distinct := fmt.Sprintf("DISTINCT i %% %d", m)
		if sorted != "" { // DISTINCT must be ordered by what it takes
			sorted = fmt.Sprintf(" ORDER BY i %% %d", m)
		}
		return column{"ccbf_agg(" + distinct + ", 0, 1" + sorted + ")" + behind, "ccbf_total(a)",
			"count(" + distinct + ")" + behind, "nullif(a, 0)"}
	}
	call := fmt.Sprintf("ccbf_agg(i + %d, h, 1%s)", k, sorted)
	if r.chance(0.2) {
		k, call = 0, "ccbf_union_agg(s"+sorted+")"
	}
	// Points in a box count four times.
	from := r.IntN(r.rows+1) + k
	to := from + r.IntN(r.rows+1)
	below := r.IntN(9)
	return column{
		call + behind, fmt.Sprintf("ccbf_total(a) + 3 * ccbf_bbox_sum(a, %d, 0, %d, %d)", from, to, below),
		fmt.Sprintf("sum(CASE WHEN i + %d >= %d AND i + %d < %d AND h < %d THEN 4 ELSE 1 END)%s", k, from, k, to, below, behind), "a"}
}

// query puts columns together: some rows of all, as one text.
func query(columns []column, key, more, from, behind string, every, rest int, exact bool) string {
	var calls, values strings.Builder
	for k, c := range columns {
		call, value := c.call, c.value
		if exact {
			call, value = c.exactCall, c.exactValue
		}
		name := fmt.Sprintf("a%d", k)
		fmt.Fprintf(&calls, ", %s AS %s", call, name)
		value = strings.ReplaceAll(strings.ReplaceAll(value, "(a", "("+name), "nullif(a,", "nullif("+name+",")
		if value == "a" {
			value = name
		}
		fmt.Fprintf(&values, ", (%s)::BIGINT", value)
	}
	return fmt.Sprintf("SELECT count(*), string_agg(key || v, ' ' ORDER BY key) FROM (SELECT key, [%s]::VARCHAR AS v FROM (SELECT %s AS key%s%s FROM %s%s) WHERE key %% %d = %d)",
		values.String()[2:], key, more, calls.String(), from, behind, every, rest)
}

// both is a query with sketches and the same without.
func (r *windowDraw) both(columns []column, key, more, behind string, keys int) (ours, exact string) {
	every := 1 + keys/10
	rest := r.IntN(every)
	return query(columns, key, more, r.from(), behind, every, rest, false), query(columns, key, more, r.from(), behind, every, rest, true)
}

// windowed has functions in one to three windows.
func (r *windowDraw) windowed() (ours, exact string) {
	more := ""
	if r.chance(0.5) { // alone, a window over partitions becomes a join
		more = ", count(*) OVER (PARTITION BY g % 3) AS n"
	}
	frames, streaming := r.chance(0.4) && !r.constant, r.chance(0.05) && !r.constant
	if streaming { // alone: other windows put the rows in another order first
		frames, more = true, ""
	}
	if frames {
		r.rows = min(r.rows, 300, 1500/r.functions+1)
	} else {
		if !r.large {
			r.functions = min(r.functions, 1+40000/r.rows)
		}
	}
	overs := make([]string, 1+r.IntN(3))
	for i := range overs {
		overs[i] = r.pick("", "PARTITION BY g", "PARTITION BY g", "PARTITION BY g, h")
		switch {
		case streaming:
			overs[i] = "ROWS UNBOUNDED PRECEDING"
		case frames && r.chance(0.7):
			overs[i] = r.frame()
		}
	}
	var columns []column
	for k := range r.functions {
		over := overs[r.IntN(len(overs))]
		order := strings.Contains(over, "ROWS BETWEEN") && r.rows < 200 && r.chance(0.1)
		columns = append(columns, r.column(k, order, " OVER ("+over+")"))
	}
	return r.both(columns, "i", more, "", r.rows)
}

func (r *windowDraw) frame() string {
	partition := r.pick("", "PARTITION BY g ")
	if r.chance(0.2) {
		return partition + r.pick("ORDER BY i", "ORDER BY h", "ORDER BY i // 3")
	}
	frame := fmt.Sprintf("%sORDER BY i ROWS BETWEEN %d PRECEDING AND %d FOLLOWING", partition, r.IntN(30), r.IntN(30))
	return frame + r.pick("", "", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES")
}

// grouped has functions with an ORDER BY of their own, most of them.
func (r *windowDraw) grouped() (ours, exact string) {
	r.functions = min(r.functions, 1+5000/r.groups)
	var columns []column
	for k := range r.functions {
		columns = append(columns, r.column(k, r.chance(0.8), ""))
	}
	switch {
	case r.chance(0.2):
		return r.both(columns, "0", "", "", 0)
	case r.chance(0.2):
		return r.both(columns, "coalesce(g, -1)", "", " GROUP BY ROLLUP (g)", 0)
	}
	return r.both(columns, "g", "", " GROUP BY g", r.groups)
}

// lists has the aggregate run over lists.
func (r *windowDraw) lists() (ours, exact string) {
	c := column{"list_aggregate(list(s), 'ccbf_union_agg')", "ccbf_total(a)", "count(*)", "a"}
	return r.both([]column{c}, "g", "", " GROUP BY g", r.groups)
}
