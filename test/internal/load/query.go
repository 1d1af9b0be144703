package load

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/internal/queries"
)

// draw chooses the parts of queries at random.
type draw = queries.Draw

// Query is a query with the statements before it and its expected result: a row whose columns
// called bad are 0.
type Query struct {
	Number int
	Kind   string
	Steps  []string // The results of the last step and of each EXECUTE are checked.
	Fails  string   // Part of the error that the query must return; "": it must return no error.
	Cancel bool     // The query is cancelled, and then runs again.
}

// NewQuery returns query number n of a seed, for its database.
func NewQuery(seed uint64, n int, db *Database) Query {
	d := queries.NewDraw(seed, uint64(n))
	q := Query{Number: n}
	switch {
	case d.Chance(12):
		q.Kind = "structs"
		q.Steps = queries.Structs(seed, n)
	case d.Chance(12):
		q.Kind = "areas"
		q.Steps = []string{areas(d)}
	case d.Chance(12):
		q.Kind = "sets"
		q.Steps = []string{sets(d)}
	case d.Chance(12):
		q.Kind = "joins"
		q.Steps = []string{joins(d)}
	case d.Chance(30):
		q.Kind = "errors"
		q.failing(d)
	case db.limited && d.Chance(100):
		q.Kind = "large"
		q.Steps = []string{large(d, !db.risky())}
	case d.Chance(25):
		q.Kind = "many"
		q.Steps = []string{queries.Many(d, d.Between(8, 32), d.Between(1, 700), d.Chance(2) && !(db.limited && db.risky()))}
	default:
		s := newSpec(d, db)
		q.Kind = s.shape
		q.Steps = s.steps()
		q.Cancel = d.Chance(15) && !(db.risky() && s.shape == "window")
	}
	return q
}

// steps returns the statements of a query of aggregates.
func (p *spec) steps() []string {
	if len(p.prepared) == 0 {
		return []string{p.SQL()}
	}
	steps := []string{"PREPARE q AS " + p.SQL()}
	for _, n := range p.prepared {
		steps = append(steps, fmt.Sprintf("EXECUTE q(%d)", n))
	}
	return steps
}

// Script returns the query as SQL for the shell.
func (q *Query) Script(db Database) string {
	all := append([]string(nil), db.Settings...)
	steps := strings.Join(q.Steps, ";\n") + ";\n"
	for n, t := range db.Tables {
		if n == 0 || strings.Contains(steps, "t"+strconv.Itoa(n-1)) {
			all = append(all, t)
		}
	}
	return strings.Join(all, ";\n") + ";\n" + steps
}

// answers reports whether the result of a step is checked: that of SELECT, WITH and EXECUTE.
func answers(step string) bool {
	return strings.HasPrefix(step, "SELECT") || strings.HasPrefix(step, "WITH") || strings.HasPrefix(step, "EXECUTE")
}

// failing makes q a query that returns an error. The error must not affect later queries on the same
// connection.
func (q *Query) failing(d draw) {
	from := d.One("t0", "t1", "t2")
	by := d.One("", " GROUP BY h", " GROUP BY i", " GROUP BY ROLLUP (g, h)")
	// The first row exists in every table except t3.
	call, fails := "", ""
	switch d.IntN(6) {
	case 0:
		call, fails = "ccbf_agg(if(i = 3, 'nan'::DOUBLE, coalesce(x, 1)), 1, 1)", "ccbf_agg: x is NaN"
	case 1:
		call, fails = "ccbf_agg(1, 1, 1, {weight: if(i = 3, -1, 1)})", `option "weight" is -1`
	case 2:
		call, fails = "cms_agg(i, {width: 10, weight: if(i = 3, -1, 1)})", `option "weight" is -1`
	case 3:
		call, fails = "bloom_agg(i, {capacity: 10, speed: 3})", `option "speed" is not known`
	case 4:
		call, fails = "ccbf_union_agg(if(i = 3, 'bad'::BLOB, NULL))", "not a valid sketch"
	case 5:
		call, fails = "if(octet_length(ccbf_agg(i, i, 1)) > 0, error('downstream'), 1)", "downstream"
	}
	q.Steps, q.Fails = []string{"SELECT " + call + " FROM " + from + by}, fails
}
