package load

import (
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
	Table  string
	Source string // Table expression in which @ stands for the table.
	Parts  string // Expression that divides rows: sketches are built per value and then united; "": none.
	Shape  string // How the aggregates are called: "group", "window", "correlated" or "lateral".
	Keys   []string
	Sets   string // Kind of grouping sets: "ROLLUP", "CUBE" or "SETS"; "": none.
	Having string
	Limit  string
	Sorted string
	Items  []item
	Wrap   string // Table expression in which @ stands for the query.
	Check  bool   // The sketches are also built from the lists, and must be equal.
	// prepared are the values of the parameter $1, one for each EXECUTE. Without values the query is
	// not prepared.
	prepared []int
}

func newSpec(d draw, db *database) spec {
	p := spec{Shape: d.One("group", "group", "group", "window", "window", "correlated", "lateral"), Source: values{draw: d}.statement("source")}
	if db.limited && db.risky() && p.Shape == "window" {
		p.Shape = "group"
	}
	n := []int{1, 1, 1, 2, 2, d.Between(1, 6)}[d.IntN(6)]
	if d.Chance(200) {
		n = 40
	}
	for range n {
		p.Items = append(p.Items, item{aggregate: anyAggregate(d)})
	}
	if d.Chance(4) {
		p.Parts = d.One("i % 3", "i % 10", "i // 6", "h", "i", "s")
		p.Items = slices.DeleteFunc(p.Items, func(it item) bool { return it.union == "" })
	}
	if len(p.Items) == 0 {
		p.Parts, p.Items = "", append(p.Items, item{aggregate: spatial(d)})
	}
	for i := range p.Items {
		p.clauses(d, &p.Items[i])
	}
	p.Table = d.One("t0", "t0", "t0", "t0", "t1", "t1", "t3", "t2")
	switch p.Shape {
	case "group":
		p.grouped(d)
	case "window":
		p.windows(d)
	}
	// A query that would take long gets a smaller table. So does a query whose lists would together
	// have as many entries as the square of the number of rows.
	many := len(p.Items) > 2
	if p.Table == "t2" && (p.Shape != "group" || many || p.Parts == "i" || slices.Contains(p.Keys, "i") || p.Sets == "CUBE") {
		p.Table = "t1"
	}
	if p.Table == "t1" && (p.Shape == "window" && (many || strings.Contains(p.Source, "range(2)"))) {
		p.Table = "t0"
	}
	p.Check = p.Table != "t2" && (p.Table != "t1" || p.Shape != "window") && d.Chance(4)
	p.Wrap = values{draw: d}.statement("wrap")
	if d.Chance(6) {
		for range d.Between(1, 3) {
			p.prepared = append(p.prepared, d.Between(0, 80))
		}
		p.Source = "(SELECT * FROM @ WHERE i % 81 <= $1)"
	}
	// With FILTER, this query would show an error of DuckDB, so FILTER is left out. DuckDB passes flat
	// columns to an aggregate of the C interface. For that it writes to the NULL values that a list in
	// the same query shares. Values that FILTER leaves out become 0 there.
	if strings.Contains(p.Source, "nullif(") {
		for i := range p.Items {
			p.Items[i].filter = ""
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
	case p.Parts == "" && d.Chance(5):
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
	if p.Parts == "" {
		all = append(all, "s", "c", "b", "day", "x > 0")
	}
	for range []int{0, 1, 1, 2, 2, 3}[d.IntN(6)] {
		p.Keys = append(p.Keys, all[d.IntN(len(all))])
	}
	if len(p.Keys) > 1 && d.Chance(2) {
		p.Sets = d.One("ROLLUP", "CUBE", "SETS")
	}
	if d.Chance(8) {
		p.Having = d.One("count(*) > 2", "count(DISTINCT h) > 1", "min(i) % 2 = 0", "max(h) < 9")
	}
	if d.Chance(6) {
		p.Sorted = d.One("count(*), min(i)", "min(i) DESC")
	}
	if d.Chance(8) {
		p.Limit = d.One("3", "1", "10 OFFSET 2")
	}
}

// windows draws the windows of the aggregates.
func (p *spec) windows(d draw) {
	one := values{draw: d}.statement("window")
	for i := range p.Items {
		it := &p.Items[i]
		it.windowed, it.over = true, one
		if d.Chance(2) {
			it.over = values{draw: d}.statement("window")
		}
		it.unsort()
	}
	if d.Chance(8) {
		p.Having = "row_number() OVER (PARTITION BY g ORDER BY i) % 3 = 1"
	}
	if d.Chance(10) {
		p.Limit = "5"
	}
}

// unsort removes the order from a window over a whole partition, for which options that are columns
// are refused.
func (it *item) unsort() {
	partition, order, ordered := strings.Cut(it.over, "ORDER BY")
	whole := !ordered || strings.Contains(order, "UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING") && !strings.Contains(order, "EXCLUDE")
	if whole && (strings.Contains(it.Options, "weight:") || strings.Contains(it.Options, "category:")) {
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

// column is an aggregate of a query with its name.
type column struct{ Name, Call string }

// Columns returns the aggregates of the query: s0, l0, s1, ...
func (p *spec) Columns() (out []column) {
	for i := range p.Items {
		it := &p.Items[i]
		n := strconv.Itoa(i)
		fn, args, truth := it.fn, with(it.args, it.Options), it.Truth
		switch {
		case p.Parts != "":
			fn, args, truth = it.union, "s"+n, "l"+n
		case p.Shape == "window":
			truth = "r" + n
			if it.Options != "" {
				args = it.args + ", o" + n
			}
		}
		out = append(out, column{"s" + n, it.call(fn, args, false)}, column{"l" + n, it.call("list", truth, true)})
	}
	return out
}

// Plain returns the query as one whose aggregates have no clauses, each for its own part of the rows.
func (p *spec) Plain() *spec {
	plain := spec{}
	for _, it := range p.Items {
		plain.Items = append(plain.Items, item{aggregate: it.aggregate})
	}
	return &plain
}

// Read returns the source, with the table in it.
func (p *spec) Read() string { return strings.ReplaceAll(p.Source, "@", p.Table) }

// Last returns the last key.
func (p *spec) Last() string { return p.Keys[len(p.Keys)-1] }

// Wrapped returns the table expression around the query.
func (p *spec) Wrapped() string {
	return strings.ReplaceAll(p.Wrap, "@", "(\n  "+statement("inner", p)+"\n)")
}

// SQL returns a query with the columns n, bad0, bad1 and so on. A bad column is the number of rows in which a
// sketch disagrees with its list.
func (p *spec) SQL() string { return statement("aggregates", p) }

// Wrong returns an expression that is true if sketch n of a query disagrees with its list.
func (a *aggregate) Wrong(n int) string {
	return strings.NewReplacer("$s", "s"+strconv.Itoa(n), "$c", "c"+strconv.Itoa(n)).Replace(a.wrong)
}
