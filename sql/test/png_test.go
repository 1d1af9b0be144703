package test

import (
	"bytes"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/picture"
	"github.com/duckdb/duckdb-go/v2"
)

// TestPictureOfCounts: a picture with a pixel per cell shows the counts of GROUP BY, row by row from the
// north.
func TestPictureOfCounts(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE p AS SELECT i * i % 97 AS x, (i * i + i) % 61 AS y FROM range(5000) t(i)")
	var values duckdb.Composite[[]float64]
	if err := db.QueryRow(`SELECT list(coalesce(n, 0)::DOUBLE ORDER BY y DESC, x)
		FROM range(97) a(x) CROSS JOIN range(61) b(y) LEFT JOIN (SELECT x, y, count(*) AS n FROM p GROUP BY ALL) USING (x, y)`).Scan(&values); err != nil {
		t.Fatal(err)
	}
	for options, o := range map[string]picture.Options{
		"":                   {One: 1},
		", {scale: 'sqrt'}":  {Scale: "sqrt", One: 1},
		", {label: 'Trees'}": {Label: "Trees", Unit: "per pixel", One: 1},
	} {
		var want bytes.Buffer
		if err := picture.Encode(&want, values.Get(), 97, 61, o); err != nil {
			t.Fatal(err)
		}
		var got []byte
		if err := db.QueryRow("SELECT ccbf_png(ccbf_agg(x, y, 1), 0, 0, 97, 61, 97, 61" + options + ") FROM p").Scan(&got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("options %q: another picture", options)
		}
	}
}
