// Package load generates random queries over every family of sketches, through every plan that
// DuckDB has. It compares their results with lists that DuckDB collects in the same query. Each
// query is a function of a seed and its number. test/differential runs them.
package load

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// aggregate is a call of an aggregate function. Its sketch is compared with the list of its
// arguments, which DuckDB collects in the same query. Fields that templates read are exported.
type aggregate struct {
	fn, args string // Name and arguments of the call, such as cms_agg and "k".
	Options  string // Last argument of the call, such as "{width: 30}"; "": none.
	union    string // Aggregate that unites sketches of fn; "": none.
	Weighted bool   // Whether rows have weights: an entry of the list then adds a list of keys.
	Truth    string // STRUCT of the arguments, such as "{k: k}", which is collected as a list.

	Valid string // expression: whether the aggregate counts entry p of that list
	Each  string // expression: the keys or cells that entry p adds
	// wrong is an expression that is true if the sketch $s disagrees with the list $c of its keys
	// or cells.
	wrong string
	// Again, if not empty, is the same call over the entries p of the list. It must return the same
	// bytes, because the sketch does not depend on the order of rows.
	Again string
	// first is the argument by which a call with DISTINCT can be ordered; "": it cannot be.
	first string
}

// finish gives weights to the rows of an aggregate, in one of three calls at random, and completes it. args and
// again are the arguments of the call and of the same call over the entries p of the list, without options.
// lawful: the sketch does not depend on the order of rows and of merges.
func (a *aggregate) finish(d draw, args, again, options string, lawful bool) {
	repeated := strings.Replace(options, "category: c", "category: p.c", 1)
	if d.Chance(3) {
		w := d.One("w", "1", "h", "CASE WHEN i % 2 = 0 THEN w ELSE 2 END", "nullif(w, 1)")
		a.Truth = strings.TrimSuffix(a.Truth, "}") + ", w: " + w + "}"
		a.Valid += " AND p.w IS NOT NULL"
		a.Each, a.Weighted = "list_transform(range(p.w), lambda z: "+a.Each+")", true
		options, repeated = with(options, "weight: "+w), with(repeated, "weight: p.w")
	}
	a.args = args
	if options != "" {
		a.Options, repeated = "{"+options+"}", "{"+repeated+"}"
	}
	if lawful {
		a.Again = a.fn + "(" + with(again, repeated) + ")"
	}
}

// with returns a list followed by another, either of which may be empty.
func with(list, more string) string {
	if list == "" || more == "" {
		return list + more
	}
	return list + ", " + more
}

// key is an expression for keys.
type key struct {
	expr     string
	distinct int // largest number of distinct keys
	integer  bool
}

var keys = []key{
	{"k", 40, true}, {"s", 12, false}, {"d", 40, false}, {"b", 2, false}, {"day", 40, false},
	{"m", 40, false}, {"h", 5, true}, {"i", 6000, true}, {"k % 7", 7, true}, {"upper(s)", 12, false},
	{"CASE WHEN i % 3 = 0 THEN k ELSE h END", 45, true}, {"'the same for all'", 1, false}, {"k::HUGEINT", 40, true},
}

// countOf, presence and total are expressions that check a sketch.
const (
	countOf  = "coalesce(list_bool_or(list_transform(hist($c), lambda e: $f_get($s, e.key) < e.value)), false)"
	presence = "coalesce(list_bool_or(list_transform(list_distinct($c), lambda e: NOT $f_contains($s, e))), false)"
	total    = "(sketch_info($s)).total IS DISTINCT FROM len($c)"
)

// judged returns how to check a family's sketches. With default options, lawful says whether they depend on the
// order of rows and of merges.
func judged(f keyed.Any) (judge string, lawful bool) {
	laws := f.Laws(f.Settings().Params())
	judge = "false" // no check: counts below the truth may be right
	switch q := f.Questions()[0]; {
	case q.Kind == keyed.HowOften && !laws.Below:
		judge = strings.ReplaceAll(countOf, "_get(", "_"+q.Verb+"(")
	case q.Kind == keyed.Whether:
		judge = strings.ReplaceAll(presence, "_contains(", "_"+q.Verb+"(")
	}
	return judge, laws.OrderFree && laws.UnionCommutes
}

// drawn are the families with options in queries.sql. Others have their defaults.
var drawn = []string{"cms", "sbf", "bloom", "cbf", "cuckoo"}

// unlawful matches families with options of queries.sql whose sketches depend on the order of rows or of merges.
var unlawful = regexp.MustCompile(`^(cbf|cuckoo) |conservative|'(mi|rm|trm)'|overflow`)

func ofKeys(d draw) aggregate {
	k := keys[d.IntN(len(keys))]
	families := filters.Keyed()
	f := families[d.IntN(len(families))]
	family := f.About().Name
	a := aggregate{
		fn: family + "_agg", union: family + "_union_agg",
		Truth: "{k: " + k.expr + "}", Valid: "p.k IS NOT NULL", Each: "p.k", first: k.expr,
	}
	if strings.HasPrefix(k.expr, "'") {
		a.first = "" // the key is a constant, by which ORDER BY changes nothing
	}
	judge, lawful := judged(f)
	options := ""
	if slices.Contains(drawn, family) {
		options = values{draw: d, Distinct: k.distinct, Integer: k.integer}.statement(family)
		lawful = !unlawful.MatchString(family + " " + options)
	}
	if strings.Contains(options, "rm'") { // methods rm and trm
		a.union = ""
	}
	if strings.Contains(options, "range: ") {
		judge += " OR sbf_range_sum($s, 3, 17) < len(list_filter($c, lambda e: e BETWEEN 3 AND 17))"
	}
	if d.Chance(4) && slices.ContainsFunc(f.Options(), func(o sketch.Option) bool { return o.Name == "seed" }) {
		options = with(options, "seed: "+d.Text(0, 99))
	}
	if family != "cuckoo" { // the total of a set is only approximate
		judge = total + " OR " + judge
	}
	a.wrong = strings.ReplaceAll(judge, "$f", family)
	a.finish(d, k.expr, "p.k", options, lawful)
	return a
}

// Cells and their counts, of a sketch and of a list of cells.
const (
	cellsOf = "list_sort(list_transform(ccbf_hotspots($s, -1e6, -1e6, 1e6, 1e6, 1$q), lambda o: {x: floor(o.x / $r)::BIGINT, y: floor(o.y / $r)::BIGINT, n: o.count::BIGINT}))"
	cellsIn = "list_sort(list_transform(hist($l), lambda e: {x: e.key.x, y: e.key.y, n: e.value::BIGINT}))"
	// The cell's centre: $at
	cellAt = "(e.key.x + 0.5) * $r, (e.key.y + 0.5) * $r"
)

func spatial(d draw) aggregate {
	r := d.One("1", "1", "0.5", "2", "10", "0.1", "3.0", "0.25")
	x := d.One("x", "x", "x", "x + 0.0", "CASE WHEN i % 2 = 0 THEN x ELSE x - 3 END", "2.5", "nullif(x, 2)", "h")
	y := d.One("y", "y", "y", "-y", "(g + 0.5)", "x * y / 4", "i")
	a := aggregate{
		fn: "ccbf_agg", union: "ccbf_union_agg", first: x,
		Truth: "{x: (" + x + ")::DOUBLE, y: (" + y + ")::DOUBLE}", Valid: "p.x IS NOT NULL AND p.y IS NOT NULL",
		Each: strings.ReplaceAll("{x: floor(p.x / $r)::BIGINT, y: floor(p.y / $r)::BIGINT}", "$r", r),
	}
	if x == "2.5" {
		a.first = ""
	}
	options := ""
	switch form := d.IntN(10); {
	case form < 5:
		options = values{draw: d}.statement("exact")
		a.wrong = strings.ReplaceAll(cellsOf, "$q", "") + " IS DISTINCT FROM " + strings.ReplaceAll(cellsIn, "$l", "$c")
	case form < 7: // an exact sketch with categories
		options = "bytes: 300000, category: c"
		a.Truth = strings.TrimSuffix(a.Truth, "}") + ", c: c}"
		a.Valid += " AND p.c IS NOT NULL"
		a.Each = strings.TrimSuffix(a.Each, "}") + ", c: p.c}"
		of := strings.ReplaceAll(cellsOf, "$q", ", q") + " IS DISTINCT FROM " +
			strings.ReplaceAll(cellsIn, "$l", "list_transform(list_filter($c, lambda u: u.c = q), lambda u: {x: u.x, y: u.y})")
		a.wrong = "list_bool_or(list_transform(['a', 'b', 'c'], lambda q: " + of + "))"
	default:
		options = values{draw: d}.statement("counters or tree")
		a.wrong = "coalesce(list_bool_or(list_transform(hist($c), lambda e: ccbf_get($s, " + cellAt + ") < e.value OR NOT ccbf_contains($s, " + cellAt + "))), false)" +
			" OR ccbf_bbox_sum($s, -3 * $r, -2 * $r, 4 * $r, 5 * $r) < len(list_filter($c, lambda e: e.x BETWEEN -3 AND 3 AND e.y BETWEEN -2 AND 4))"
	}
	lawful := !unlawful.MatchString(options)
	if d.Chance(5) {
		options += ", seed: " + d.Text(0, 99)
	}
	a.wrong = strings.ReplaceAll("ccbf_total($s) IS DISTINCT FROM len($c) OR "+a.wrong, "$r", r)
	a.finish(d, x+", "+y+", "+r, "p.x, p.y, "+r, options, lawful)
	return a
}

// helpers are macros of every database, so that checks are short.
const helpers = `CREATE OR REPLACE MACRO hist(l) AS coalesce(map_entries(list_aggregate(l, 'histogram')), [])`

func anyAggregate(d draw) aggregate {
	if d.Chance(2) {
		return spatial(d)
	}
	return ofKeys(d)
}
