package load

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/internal/queries"
)

// draw chooses the parts of queries at random.
type draw = queries.Draw

// query is a query with the statements before it and its expected result: a row whose columns
// called bad are 0.
type query struct {
	Kind   string
	Steps  []string // Statements whose results are checked.
	Fails  string   // Part of the error that the query must return; "": it must return no error.
	Cancel bool     // The query is cancelled, and then runs again.
}

// newQuery returns query number n of a seed, for its database.
func newQuery(seed uint64, n int, db *database) query {
	d := queries.NewDraw(seed, uint64(n))
	var q query
	switch {
	case d.Chance(12):
		q.Kind = "structs"
		q.Steps = queries.Structs(seed, n)
	case d.Chance(4):
		q.Kind = d.One("areas", "sets", "joins")
		q.Steps = []string{values{draw: d}.statement(q.Kind)}
	case d.Chance(30):
		q.Kind = "errors"
		of := failing[d.IntN(len(failing))]
		q.Steps, q.Fails = []string{values{draw: d, Call: of.call}.statement("errors")}, of.text
	case db.limited && d.Chance(100):
		q.Kind = "large"
		q.Steps = []string{values{draw: d, Windows: !db.risky()}.statement("large")}
	case d.Chance(25):
		q.Kind = "many"
		q.Steps = []string{queries.Many(d, d.Between(8, 32), d.Between(1, 700), d.Chance(2) && !(db.limited && db.risky()))}
	default:
		s := newSpec(d, db)
		q.Kind = s.Shape
		q.Steps = s.steps()
		q.Cancel = d.Chance(15) && !(db.risky() && s.Shape == "window")
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

// script returns the query as SQL for the shell.
func (q *query) script(db database) string {
	all := append([]string(nil), db.Settings...)
	steps := strings.Join(q.Steps, ";\n") + ";\n"
	for n, t := range db.Tables {
		if n == 0 || strings.Contains(steps, "t"+strconv.Itoa(n-1)) {
			all = append(all, t)
		}
	}
	return strings.Join(all, ";\n") + ";\n" + steps
}

// failing are calls that return errors, with a part of each error's text.
var failing = []struct{ call, text string }{
	{"ccbf_agg(if(i = 3, 'nan'::DOUBLE, coalesce(x, 1)), 1, 1)", "ccbf_agg: x is NaN"},
	{"ccbf_agg(1, 1, 1, {weight: if(i = 3, -1, 1)})", `option "weight" is -1`},
	{"cms_agg(i, {width: 10, weight: if(i = 3, -1, 1)})", `option "weight" is -1`},
	{"bloom_agg(i, {capacity: 10, speed: 3})", `option "speed" is not known`},
	{"ccbf_union_agg(if(i = 3, 'bad'::BLOB, NULL))", "not a valid sketch"},
	{"if(octet_length(ccbf_agg(i, i, 1)) > 0, error('downstream'), 1)", "downstream"},
}
