package duck

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
)

// textHash is an aggregate: a sum of hashes of all rows as text, by show. Its result for nested
// columns is compared with its result for text that SQL made of them.
type textHash struct{ toySum }

func (textHash) Update(args *Rows, states States) error {
	for i := range args.Len() {
		h := fnv.New32a()
		h.Write([]byte(show(args.Col(0), i)))
		s := sumOf(states.At(i))
		s.sum += int64(h.Sum32())
		s.rows++
	}
	return nil
}

func TestTypesAsReported(t *testing.T) {
	db, _ := openDB(t, toys())
	mustExec(t, db, "CREATE TYPE mood AS ENUM ('sad', 'it''s ok')")
	for expr, want := range map[string]string{
		"1":                                 "INTEGER",
		"1.25":                              "DECIMAL(3,2)",
		"1::UHUGEINT":                       "UHUGEINT",
		"'x'":                               "VARCHAR",
		"NULL":                              `"NULL"`,
		"'sad'::mood":                       "ENUM",
		"'a'::ENUM('a', 'b''c')":            "ENUM",
		"{a: 1, \"b c\": 'x'}":              `STRUCT(a INTEGER, "b c" VARCHAR)`,
		"[{x: 1.5, y: [1]}]":                "STRUCT(x DECIMAL(2,1), y INTEGER[])[]",
		"[1,2]::INTEGER[2]":                 "INTEGER[2]",
		"MAP {'a': 1}":                      "MAP(VARCHAR, INTEGER)",
		"'POINT(1 2)'::GEOMETRY":            "GEOMETRY",
		"'2020-01-01'::DATE":                "DATE",
		"'2020-01-01'::TIMESTAMPTZ":         "TIMESTAMP WITH TIME ZONE",
		"'{}'::JSON":                        "JSON",
		"gen_random_uuid()":                 "UUID",
		"union_value(a := 1)":               "UNION(a INTEGER)",
		"row(1, 'x')":                       `STRUCT("" INTEGER, "" VARCHAR)`,
		"'0101'::BIT":                       "BIT",
		"'12:00'::TIME":                     "TIME",
		"true":                              "BOOLEAN",
		"'ab'::BLOB":                        "BLOB",
		"INTERVAL 1 DAY":                    "INTERVAL",
		"1::TINYINT + 1::TINYINT":           "TINYINT",
		"9223372036854775808":               "HUGEINT",
		"1.5::FLOAT":                        "FLOAT",
		"1e300":                             "DOUBLE",
		"[NULL]":                            `"NULL"[]`,
		"'2020-01-01'::TIMESTAMP_NS":        "TIMESTAMP_NS",
		"12345678901234567890.5":            "DECIMAL(21,1)",
		"(SELECT 5::USMALLINT)":             "USMALLINT",
		"{o: {\"Quote\"\"d\": 1}}":          `STRUCT(o STRUCT("Quote""d" INTEGER))`,
		"CASE WHEN random() < 2 THEN 1 END": "INTEGER",
	} {
		got, err := ask(db, "SELECT toy_type("+expr+")")
		if err != nil {
			t.Errorf("%s: %v", expr, err)
		} else if got != want {
			t.Errorf("%s: %s, want %s", expr, got, want)
		}
	}
	for typ, want := range map[*Type]string{
		{}: "type 0", &UBigInt: "UBIGINT",
	} {
		if typ.String() != want {
			t.Errorf("%s, want %s", typ, want)
		}
	}
	if s := ListOf(StructOf(Field{"x", Double}, Field{"count", UBigInt})).String(); s != "STRUCT(x DOUBLE, count UBIGINT)[]" {
		t.Error(s)
	}
}

func TestScalarShapes(t *testing.T) {
	db, _ := openDB(t, toys())
	mustExec(t, db, "CREATE TABLE d AS SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE i END AS n FROM range(10000) t(i)")
	for _, e := range []string{
		"toy_add(1, 2) / 1 + 2",
		"toy_add(i, 2) / i + 2",
		"toy_add(i, n) / i + n",
		"toy_add(NULL, n) / NULL + n",
		"toy_add(n, NULL) / n + NULL",
		"toy_add(n, toy_add(n, n)) / n + n + n",
		"CASE WHEN i % 2 = 0 THEN toy_add(n, 1) ELSE i END / CASE WHEN i % 2 = 0 THEN n + 1 ELSE i END",
	} {
		ours, theirs, _ := strings.Cut(e, " / ")
		for _, from := range []string{"d", "d WHERE i % 7 = 1", "(SELECT d.*, unnest([1, 2]) AS u FROM d)", "d JOIN range(5) r(k) ON d.i % 5 = r.k"} {
			same(t, db, "SELECT count(v), sum(v), count(*) FROM (SELECT "+ours+" AS v FROM "+from+")",
				"SELECT count(v), sum(v), count(*) FROM (SELECT "+theirs+" AS v FROM "+from+")")
		}
	}
	// A constant is evaluated once; how many rows a chunk has shows it.
	if got := mustAsk(t, db, "SELECT max(toy_rows(7)), max(toy_rows(i)) FROM d"); got != "1|2048" {
		t.Errorf("rows per call: %s", got)
	}
}

// Nested columns arrive flat, whatever vectors DuckDB put into them: constants
// and dictionaries inside structs and lists, in scalars and in aggregates.
func TestNestedValues(t *testing.T) {
	db, _ := openDB(t, append(toys(), aggregateOf("toy_text", Any, BigInt, textHash{})))
	mustExec(t, db, "CREATE TABLE d AS SELECT i, 'name' || (i % 7) AS s, i % 5 AS g FROM range(5000) t(i)")
	mustExec(t, db, "CREATE TABLE e AS SELECT i AS k, 'joined text number ' || i AS txt FROM range(7) t(i)")
	values := [][2]string{
		{"{a: i, b: 'k', c: 2.50}", "'{a=' || i || ' b=k c=250e-2}'"},
		{"{a: txt, b: CASE WHEN i % 3 = 0 THEN s END}", "'{a=' || txt || ' b=' || coalesce(CASE WHEN i % 3 = 0 THEN s END, 'NULL') || '}'"},
		{"{a: 1, b: {z: 7, y: s}}", "'{a=1 b={z=7 y=' || s || '}}'"},
		{"[txt, s]", "'[' || txt || ' ' || s || ']'"},
		{"{l: [1, 2], n: [{o: i}]}", "'{l=[1 2] n=[{o=' || i || '}]}'"},
		{"CASE WHEN i % 2 = 0 THEN {a: s} END", "coalesce(CASE WHEN i % 2 = 0 THEN '{a=' || s || '}' END, 'NULL')"},
	}
	froms := []string{
		"d JOIN e ON d.i % 7 = e.k WHERE i % 3 = 1",
		"(SELECT unnest([1, 2, 3]) AS u, d.*, txt FROM d JOIN e ON d.i % 7 = e.k)",
	}
	shapes := []string{
		"SELECT sum(hash(toy_show(@))) FROM (FROM %)",
		"SELECT toy_text(@) FROM (FROM %)",
		"SELECT g, toy_text(@) FROM (FROM %) GROUP BY g ORDER BY g",
		"SELECT g, toy_text(@ ORDER BY i) FROM (FROM %) GROUP BY g ORDER BY g",
		"SELECT g, toy_text(@) FILTER (i % 4 = 0) FROM (FROM %) GROUP BY g ORDER BY g",
		"SELECT g, toy_text(DISTINCT @) FROM (FROM %) GROUP BY g ORDER BY g",
		"SELECT sum(v) FROM (SELECT toy_text(@) OVER (PARTITION BY g) AS v FROM (FROM %))",
		"SELECT sum(v) FROM (SELECT toy_text(@) OVER (ORDER BY i, txt ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING) AS v FROM (FROM %))",
	}
	for _, v := range values {
		for _, from := range froms {
			for _, shape := range shapes {
				q := strings.Replace(shape, "FROM %", "FROM "+from, 1)
				same(t, db, strings.Replace(q, "@", v[0], 1), strings.Replace(q, "@", v[1], 1))
			}
		}
	}
}

// Results of every length, inside DuckDB's string and outside, gathered and
// direct, VARCHAR and BLOB.
func TestStringResults(t *testing.T) {
	repeat := func(args *Rows, out *Result) error {
		n := Slice[int64](args.Col(0))
		for i := range out.Len() {
			if n[i]%10 == 7 {
				out.SetNull(i)
			} else {
				out.SetBytes(i, []byte(strings.Repeat("ab", int(n[i])))[:n[i]])
			}
		}
		return nil
	}
	db, _ := openDB(t, []Function{oneArg("toy_text", BigInt, Varchar, repeat), oneArg("toy_blob", BigInt, Blob, repeat)})
	const want = "CASE WHEN i % 10 = 7 THEN NULL ELSE left(repeat('ab', i), i) END"
	for _, from := range []string{
		"range(30) t(i)", "range(4100) t(i)", "(SELECT i * 1000 AS i FROM range(300) t(i))",
		"(SELECT 2040 + i % 16 AS i FROM range(3000) t(i))", "(SELECT 11 + i % 3 AS i FROM range(5000) t(i))",
		"(SELECT 3000000 AS i)",
	} {
		same(t, db, "SELECT count(*), count(x), count(x) FILTER (x = y), count(z) FILTER (z = y::BLOB) FROM (SELECT toy_text(i) AS x, toy_blob(i) AS z, "+want+" AS y FROM "+from+")",
			"SELECT count(*), count(x), count(x), count(x) FROM (SELECT "+want+" AS x FROM "+from+")")
	}
}

// STRUCT and LIST results, nested in each other.
func TestNestedResults(t *testing.T) {
	spot := StructOf(Field{"x", Double}, Field{"name", Varchar}, Field{"tags", ListOf(Varchar)})
	one := func(r *Result, i int, v int64) {
		Out[float64](r.Field(0))[i] = float64(v) / 2
		r.Field(1).SetString(i, fmt.Sprintf("name of number %d", v))
		if v%4 == 3 {
			r.Field(2).SetNull(i)
			return
		}
		tags := r.Field(2).List(i, int(v%4))
		for k := range int(v % 4) {
			tags.SetString(k, fmt.Sprintf("tag %d of number %d", k, v))
		}
	}
	fns := []Function{
		oneArg("toy_spot", BigInt, spot, func(args *Rows, out *Result) error {
			for i, v := range Slice[int64](args.Col(0)) {
				if v%5 == 4 {
					out.SetNull(i)
				} else {
					one(out, i, v)
				}
			}
			return nil
		}),
		oneArg("toy_spots", BigInt, ListOf(spot), func(args *Rows, out *Result) error {
			for i, v := range Slice[int64](args.Col(0)) {
				if v%5 == 4 {
					out.SetNull(i)
					continue
				}
				n := int(v % 50)
				list := out.List(i, n)
				for k := range n {
					if k%9 == 8 {
						list.SetNull(k)
					} else {
						one(list, k, v+int64(k))
					}
				}
			}
			return nil
		}),
	}
	db, _ := openDB(t, append(fns, toys()...))
	mustExec(t, db, `CREATE MACRO spot(v) AS {x: v / 2, name: 'name of number ' || v,
		tags: CASE WHEN v % 4 = 3 THEN NULL ELSE [format('tag {} of number {}', m, v) FOR m IN range(v % 4)] END}`)
	for _, n := range []string{"10", "2048", "6000"} {
		same(t, db, "SELECT i, toy_spot(i)::VARCHAR FROM range("+n+") t(i) ORDER BY i",
			"SELECT i, (CASE WHEN i % 5 = 4 THEN NULL ELSE spot(i) END)::VARCHAR FROM range("+n+") t(i) ORDER BY i")
		same(t, db, "SELECT i, toy_spots(i)::VARCHAR FROM range("+n+") t(i) ORDER BY i",
			`SELECT i, (CASE WHEN i % 5 = 4 THEN NULL ELSE [CASE WHEN k % 9 = 8 THEN NULL ELSE spot(i + k) END FOR k IN range(i % 50)] END)::VARCHAR
			FROM range(`+n+`) t(i) ORDER BY i`)
	}
	// Finalize writes into the middle of a vector: every group by itself.
	same(t, db, "SELECT i // 3 AS k, toy_list(i ORDER BY i) FROM range(9000) t(i) GROUP BY k ORDER BY k",
		"SELECT i // 3 AS k, list(i ORDER BY i) FROM range(9000) t(i) GROUP BY k ORDER BY k")
}
