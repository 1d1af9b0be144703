package load

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// item is an aggregate in a query: the call and its clauses.
type item struct {
	aggregate
	distinct      bool
	filter, order string
	ordered       bool // the list of arguments is collected in the same order
	windowed      bool
	over          string
}

// spec is a query of aggregates, in parts that can be left out.
type spec struct {
	table  string
	source string // Table expression in which @ stands for the table.
	parts  string // Expression that divides rows: sketches are built per value and then united; "": none.
	shape  string // How the aggregates are called: "group", "window", "correlated" or "lateral".
	keys   []string
	sets   string // Kind of grouping sets: "ROLLUP", "CUBE" or "SETS"; "": none.
	having string
	limit  string
	sorted string
	items  []item
	wrap   string // Table expression in which @ stands for the query.
	check  bool   // The sketches are also built from the lists, and must be equal.
	// prepared are the values of the parameter $1, one for each EXECUTE. Without values the query is
	// not prepared.
	prepared []int
}

func newSpec(d draw, db *Database) spec {
	p := spec{shape: d.One("group", "group", "group", "window", "window", "correlated", "lateral"), source: values{draw: d}.statement("source")}
	if db.limited && db.risky() && p.shape == "window" {
		p.shape = "group"
	}
	n := []int{1, 1, 1, 2, 2, d.Between(1, 6)}[d.IntN(6)]
	if d.Chance(200) {
		n = 40
	}
	for range n {
		p.items = append(p.items, item{aggregate: anyAggregate(d)})
	}
	if d.Chance(4) {
		p.parts = d.One("i % 3", "i % 10", "i // 6", "h", "i", "s")
		p.items = slices.DeleteFunc(p.items, func(it item) bool { return it.union == "" })
	}
	if len(p.items) == 0 {
		p.parts, p.items = "", append(p.items, item{aggregate: spatial(d)})
	}
	for i := range p.items {
		p.clauses(d, &p.items[i])
	}
	p.table = d.One("t0", "t0", "t0", "t0", "t1", "t1", "t3", "t2")
	switch p.shape {
	case "group":
		p.grouped(d)
	case "window":
		p.windows(d)
	}
	// A query that would take long gets a smaller table. So does a query whose lists would together
	// have as many entries as the square of the number of rows.
	size := 0
	for _, it := range p.items {
		size += it.size
	}
	if p.table == "t2" && (p.shape != "group" || size > 12000 || p.parts == "i" || slices.Contains(p.keys, "i") || p.sets == "CUBE") {
		p.table = "t1"
	}
	if p.table == "t1" && (p.shape == "window" && (size > 6000 || strings.Contains(p.source, "range(2)"))) {
		p.table = "t0"
	}
	p.check = p.table != "t2" && (p.table != "t1" || p.shape != "window") && d.Chance(4)
	p.wrap = values{draw: d}.statement("wrap")
	if d.Chance(6) {
		for range d.Between(1, 3) {
			p.prepared = append(p.prepared, d.Between(0, 80))
		}
		p.source = "(SELECT * FROM @ WHERE i % 81 <= $1)"
	}
	// With FILTER, this query would show an error of DuckDB, so FILTER is left out. DuckDB passes flat
	// columns to an aggregate of the C interface. For that it writes to the NULL values that a list in
	// the same query shares. Values that FILTER leaves out become 0 there.
	if strings.Contains(p.source, "nullif(") {
		for i := range p.items {
			p.items[i].filter = ""
		}
	}
	return p
}

// clauses draws the clauses in and after a call.
func (p *spec) clauses(d draw, it *item) {
	if d.Chance(4) {
		it.filter = d.One("i % 3 = 0", "g > 1", "h IN (1, 2)", "i < 0", "g IS NULL", "i % 2 = 0 AND h <> 3", "true", "random() < 2")
	}
	switch {
	case p.parts == "" && d.Chance(5):
		it.distinct = true
		if it.first != "" && d.Chance(3) {
			it.order = it.first + d.One("", " DESC", " NULLS FIRST")
		}
	case d.Chance(4):
		it.order, it.ordered = d.One("i", "i DESC", "h, i", "g NULLS FIRST, i DESC", "hash(i)"), d.Chance(2)
	}
}

func (p *spec) grouped(d draw) {
	all := []string{"g", "h", "g % 2", "i % 4", "i // 5", "i", "h > 2", "(g, h)", "'constant'"}
	if p.parts == "" {
		all = append(all, "s", "c", "b", "day", "x > 0")
	}
	for range []int{0, 1, 1, 2, 2, 3}[d.IntN(6)] {
		p.keys = append(p.keys, all[d.IntN(len(all))])
	}
	if len(p.keys) > 1 && d.Chance(2) {
		p.sets = d.One("ROLLUP", "CUBE", "SETS")
	}
	if d.Chance(8) {
		p.having = d.One("count(*) > 2", "count(DISTINCT h) > 1", "min(i) % 2 = 0", "max(h) < 9")
	}
	if d.Chance(6) {
		p.sorted = d.One("count(*), min(i)", "min(i) DESC")
	}
	if d.Chance(8) {
		p.limit = d.One("3", "1", "10 OFFSET 2")
	}
}

// windows draws the windows of the aggregates.
func (p *spec) windows(d draw) {
	one := values{draw: d}.statement("window")
	for i := range p.items {
		it := &p.items[i]
		it.windowed, it.over = true, one
		if d.Chance(2) {
			it.over = values{draw: d}.statement("window")
		}
		it.unsort()
	}
	if d.Chance(8) {
		p.having = "row_number() OVER (PARTITION BY g ORDER BY i) % 3 = 1"
	}
	if d.Chance(10) {
		p.limit = "5"
	}
}

// unsort removes the order from a window over a whole partition, for which options that are columns
// are refused.
func (it *item) unsort() {
	partition, order, ordered := strings.Cut(it.over, "ORDER BY")
	whole := !ordered || strings.Contains(order, "UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING") && !strings.Contains(order, "EXCLUDE")
	if whole && (strings.Contains(it.options, "weight:") || strings.Contains(it.options, "category:")) {
		it.order, it.over = "", strings.TrimSpace(partition)
	}
}

// call returns the aggregate fn with its arguments and clauses. If truth is true, the call collects
// the list of arguments that the sketch is compared with.
func (it *item) call(fn, args string, truth bool) string {
	var b strings.Builder
	b.WriteString(fn + "(")
	if it.distinct {
		b.WriteString("DISTINCT ")
	}
	b.WriteString(args)
	if it.order != "" && (!truth || it.ordered) {
		b.WriteString(" ORDER BY " + it.order)
	}
	b.WriteString(")")
	if it.filter != "" {
		b.WriteString(" FILTER (" + it.filter + ")")
	}
	if it.windowed {
		b.WriteString(" OVER (" + it.over + ")")
	}
	return b.String()
}

// columns returns the aggregates of the query: s0, l0, s1, ...
func (p *spec) columns(assign string) string {
	var out []string
	for i := range p.items {
		it := &p.items[i]
		n := strconv.Itoa(i)
		fn, args, truth := it.fn, with(it.args, it.options), it.truth
		switch {
		case p.parts != "":
			fn, args, truth = it.union, "s"+n, "l"+n
		case p.shape == "window":
			truth = "r" + n
			if it.options != "" {
				args = it.args + ", o" + n
			}
		}
		out = append(out, fmt.Sprintf(assign, it.call(fn, args, false), "s", i), fmt.Sprintf(assign, it.call("list", truth, true), "l", i))
	}
	return strings.Join(out, ", ")
}

// from returns the table expression that the aggregates read.
func (p *spec) from() string {
	src := strings.ReplaceAll(p.source, "@", p.table)
	if p.parts == "" && p.shape == "window" {
		return "(SELECT *, " + strings.Join(p.structs(), ", ") + " FROM " + src + ")"
	}
	if p.parts == "" {
		return src
	}
	inner := spec{}
	for _, it := range p.items {
		inner.items = append(inner.items, item{aggregate: it.aggregate})
	}
	return fmt.Sprintf("(SELECT g, h, min(i) AS i, %s FROM %s GROUP BY g, h, %s)", inner.columns("%s AS %s%d"), src, p.parts)
}

// structs returns the STRUCTs of windows as columns of a subquery. A call must not build its STRUCT
// itself. If it has the same value in many rows, DuckDB (1.5.5) passes garbage in place of its
// members to a window's aggregate. Its own list gets garbage too:
//
//	SELECT list({x: 2.5, y: i}) OVER (PARTITION BY i // 3 ORDER BY i
//	  ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM range(57) t(i)
func (p *spec) structs() []string {
	var out []string
	for i, it := range p.items {
		out = append(out, fmt.Sprintf("%s AS r%d", it.truth, i))
		if it.options != "" {
			out = append(out, fmt.Sprintf("%s AS o%d", it.options, i))
		}
	}
	return out
}
