package main

import (
	"maps"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
)

// script runs a template of the folder sql: statements, with comments that name what is measured.
//
//	-- compare: what          begins a comparison
//	-- at: of=box; most=0.05  has further factors of its rows
//	-- as: way                is before a query; the first one is the reference
//	-- equal: way             is the same of a query whose only number is the reference's
//	-- also: way              is the same of a query that is a second reference
//	-- row: of=box            is before a query whose only row is recorded, with further factors
//	-- set: name              is before a query for a number of the page
//	-- run                    is before statements
func (b *bench) script(name string, values any) {
	var next comparison
	for part := range strings.SplitSeq("run\n"+text(name, values), "\n-- ") {
		directive, query, _ := strings.Cut(part, "\n")
		kind, value, _ := strings.Cut(directive, ": ")
		switch kind {
		case "run", "compare":
			next.run(b)
			next = comparison{what: value}
			if strings.TrimSpace(query) != "" {
				b.run(query)
			}
		case "at":
			next.at = factors(value)
		case "as", "equal", "also":
			next.add(b, kind, value, query)
		case "row":
			next.run(b)
			next = comparison{}
			at, figures := duck.Row(b.db, query)
			maps.Copy(at, factors(value))
			b.Record(at, figures)
		case "set":
			b.Set(value, duck.Number(b.db, query))
		default:
			report.Require(false, "%s: no directive is %q", name, directive)
		}
	}
	next.run(b)
}

// comparison times queries relative to the first one.
type comparison struct {
	what       string
	at         report.At
	contenders []contender
	first      string   // the query of the first contender
	equal      []string // queries that must have its result
	also       int      // index of the second reference; 0: none
}

func (c *comparison) add(b *bench, kind, name, query string) {
	if len(c.contenders) == 0 {
		c.first = query
	}
	switch kind {
	case "equal":
		c.equal = append(c.equal, query)
	case "also":
		c.also = len(c.contenders)
	}
	next := b.query(name, query)
	if strings.HasSuffix(name, ", first query") {
		next.fresh = forget
	}
	c.contenders = append(c.contenders, next)
}

// run records the times relative to the first contender and, if there is a second reference, the figure
// "over also": the time relative to it.
func (c comparison) run(b *bench) {
	if len(c.contenders) == 0 {
		return
	}
	want := 0.0
	if len(c.equal) > 0 {
		want = duck.Number(b.db, c.first)
	}
	for _, q := range c.equal {
		n := duck.Number(b.db, q)
		report.Require(n == want, "%v is the answer to %s\nand %v to %s", want, c.first, n, q)
	}
	took := b.inTurn(c.what, c.contenders...)
	for i, x := range c.contenders {
		if i == 0 || i == c.also {
			continue
		}
		b.recordTook(c.what, x.name, took[i], took[0], c.at)
		if c.also > 0 {
			b.note("over also", over(took[i], took[c.also]), factorsOf(c.what, x.name, c.at))
		}
	}
}

// factors parses names with values. Values that look like numbers are numbers, unless they are
// quoted.
func factors(text string) report.At {
	at := report.At{}
	for pair := range strings.SplitSeq(text, "; ") {
		name, value, _ := strings.Cut(pair, "=")
		at[name] = strings.Trim(value, "'")
		if n, err := strconv.Atoi(value); err == nil {
			at[name] = n
		} else if n, err := strconv.ParseFloat(value, 64); err == nil {
			at[name] = n
		}
	}
	return at
}

// forget drops decoded sketches: closing any database clears their cache.
func forget() {
	db := duck.Open(1)
	duck.Run(db, "SELECT 1")
	report.Check(db.Close())
}
