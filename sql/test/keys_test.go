package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// TestNumericKeys: the count of a key of another numeric type is never silently 0. If the keys are
// equal in SQL, it is found or an error. The test uses every pair of types and of values at and
// between the limits of types, as keys and as categories.
func TestNumericKeys(t *testing.T) {
	types := []string{"TINYINT", "UTINYINT", "SMALLINT", "INTEGER", "UINTEGER", "BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT",
		"FLOAT", "DOUBLE", "DECIMAL(4,1)", "DECIMAL(9,4)", "DECIMAL(18,9)", "DECIMAL(38,10)", "DECIMAL(38,0)", "DECIMAL(38,37)"}
	values := []string{"0", "1", "-1", "7", "127", "128", "255", "2.5", "0.1", "-0.1", "0.3", "0.7654", "1.7", "123.4567", "19.9999", "0.123456789",
		"0.5000000001", "1.0000000000000000000000000000000001", "0.1000000000000000055511151231257827021",
		"16777215", "16777216", "16777217", "16777218", "9007199254740991", "9007199254740992", "9007199254740993", "9007199254740994",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "18446744073709551616", "36893488147419103232",
		"1e-9", "0.30000001192092896", "0.10000000149011612", "0.30000000000000004", "100000000000000000000000000000"}
	db := open(t)
	exec(t, db, "CREATE TABLE texts AS SELECT unnest(['"+strings.Join(values, "', '")+"']) AS text")
	found := 0
	for _, a := range types {
		exec(t, db, fmt.Sprintf("CREATE OR REPLACE TABLE held AS SELECT DISTINCT TRY_CAST(text AS %s) AS a FROM texts WHERE TRY_CAST(text AS %[1]s) IS NOT NULL", a))
		exec(t, db, "CREATE OR REPLACE TABLE s AS SELECT a, cms_agg(a) AS c, sbf_agg(a, {capacity: 10}) AS f, ccbf_agg(1, 1, 1, {category: a}) AS g FROM held GROUP BY a")
		for _, b := range types {
			equal := "TRY(a = b)"
			if strings.HasSuffix(a, "HUGEINT") && strings.HasSuffix(b, "HUGEINT") && a != b {
				equal = "a::VARCHAR = b::VARCHAR" // DuckDB compares these as DOUBLE, which makes different integers equal
			}
			row := db.QueryRow(fmt.Sprintf(`SELECT count(*), coalesce(string_agg(a || ' and ' || b, ', ') FILTER (0 IN (x, y, z)), '') FROM
				(SELECT a, b, TRY(cms_get(c, b)) AS x, TRY(sbf_get(f, b)) AS y, TRY(ccbf_get(g, 1, 1, b)) AS z FROM s, (SELECT DISTINCT TRY_CAST(text AS %s) AS b FROM texts) WHERE %s)`, b, equal))
			var n int
			var wrong string
			if err := row.Scan(&n, &wrong); err != nil {
				t.Fatal(err)
			}
			found += n
			if wrong != "" {
				t.Errorf("keys of %s asked as %s: equal in SQL, and not found: %s", a, b, wrong)
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d pairs are equal", found)
	}
}

// waitingForms are options, by family, of forms that buffer keys differently, or whose samples are too small
// for the groups.
var waitingForms = map[string][]string{
	"cms":    {"width: 64, depth: 3", "width: 7, depth: 1", "epsilon: 0.01, seed: 9", "width: 32, depth: 4, conservative: true"},
	"sbf":    {"counters: 100", "counters: 90, method: 'mi', encoding: 'elias'", "counters: 120, method: 'rm'", "counters: 120, method: 'trm'"},
	"bloom":  {"capacity: 50", "bits: 333, k: 2.5, variant: 'blocks'", "grow: true"},
	"cbf":    {"capacity: 40", "capacity: 30, variable_length: true"},
	"cuckoo": {"capacity: 400", "capacity: 900, slots: 8, variant: 'tagged', duplicates: true"},
}

// waitingOf returns the options of a family: those in waitingForms, or of its samples.
func waitingOf(t testing.TB, f keyed.Any) (options []string) {
	t.Helper()
	if options = waitingForms[f.About().Name]; options != nil {
		return options
	}
	for _, form := range f.Forms() {
		if !f.Laws(form.Params).Fills { // the sample has room for any group
			options = append(options, form.Options)
		}
	}
	if len(options) == 0 {
		t.Errorf("%s: all forms fill, so waitingForms must have one with room for 500 keys", f.About().Name)
	}
	return options
}

// TestKeysThatWait: keys with a weight are not buffered. In one query, with the same threads and
// states, buffered and unbuffered keys have the same sketches. That holds in whatever way DuckDB passes
// rows and combines states, and for every type of keys. make test uses one query of the seven for
// each form.
func TestKeysThatWait(t *testing.T) {
	db := open(t)
	// Groups of 1 to about 300 rows, mostly of few, in random order. Keys recur, and some are NULL.
	exec(t, db, `CREATE TABLE d AS SELECT i, (exp(hash(i, 1) % 10000 / 10000 * ln(6000)) + hash(i, 2) % 40)::BIGINT AS g,
		CASE WHEN hash(i, 3) % 9 > 0 THEN (hash(i, 4) % 3000)::BIGINT END AS x FROM range(24000) t(i)`)
	exec(t, db, `CREATE OR REPLACE TABLE d AS SELECT *, x / 8::DOUBLE AS d, 'key ' || x AS t, x::DECIMAL(9, 2) AS n FROM d WHERE g > 3 OR i % 50 = 0`)
	queries := []string{
		`AGG FROM d GROUP BY g`,
		`AGG FROM (FROM d ORDER BY g, i) GROUP BY g`,
		`AGG FROM (FROM d ORDER BY i // 700, g, i) GROUP BY g`,
		`AGG FROM d GROUP BY g % 300`,
		`AGG FROM d WHERE i % 7 < 3 GROUP BY ROLLUP (g % 9, g % 800)`,
		`AGG FROM (FROM d LIMIT 3) GROUP BY ALL`,
		`WINDOWS FROM d WHERE i < 600 WINDOW w AS (PARTITION BY g % 5 ORDER BY i ROWS BETWEEN 20 PRECEDING AND CURRENT ROW)`,
	}
	column, number := []string{"x", "d", "t", "n"}, 0
	for _, f := range filters.Keyed() {
		for _, options := range waitingOf(t, f) {
			if f.About().Name == "cuckoo" { // some groups have very many keys
				options = strings.NewReplacer("400", "5000", "900", "5000", ", duplicates: true", "").Replace(options)
			}
			for _, threads := range []int{1, 4} {
				exec(t, db, fmt.Sprintf(`SET threads = %d`, threads))
				number++
				for i, q := range queries {
					if testing.Short() && number%len(queries) != i {
						continue
					}
					waiting := fmt.Sprintf("%s_agg(%s, {%s})", f.About().Name, column[(number+i)%len(column)], options)
					not := strings.TrimSuffix(waiting, "})") + ", weight: 1})"
					q = strings.NewReplacer("AGG", waiting+" AS a, "+not+" AS b", "WINDOWS", waiting+" OVER w AS a, "+not+" OVER w AS b").Replace(q)
					want(t, db, "0", "SELECT count(*) FILTER (a IS DISTINCT FROM b) FROM (SELECT "+q+")")
				}
			}
		}
	}
}

// The options of a family's samples mean the same as their parameters. Aggregates have the bytes of the Go
// packages.
func TestOptionsOfForms(t *testing.T) {
	db := open(t)
	for _, f := range filters.Keyed() {
		for _, form := range f.Forms() {
			s, err := f.Make(form.Params)
			if err != nil {
				t.Fatal(err)
			}
			want(t, db, fmt.Sprintf("%X", s.Blob()), fmt.Sprintf("SELECT hex(%s_empty({%s}))", f.About().Name, form.Options))
			if err := keyed.BaseOf(s).SetKeyClass(key.Int); err != nil {
				t.Fatal(err)
			}
			for i := range int64(9) {
				if err := f.AddKey(s, key.AppendInt64(nil, i%5), 1); err != nil {
					t.Fatal(err)
				}
			}
			want(t, db, fmt.Sprintf("%X", s.Blob()), fmt.Sprintf("SELECT hex(%s_agg(i %% 5, {%s})) FROM range(9) t(i)", f.About().Name, form.Options))
		}
	}
}
