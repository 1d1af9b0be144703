package duck

import (
	"strings"
	"testing"
)

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
