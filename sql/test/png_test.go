package test

import (
	"bytes"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/picture"
)

// TestPictureOfCounts: a picture with a pixel per cell shows the counts of GROUP BY, row by row from the
// north.
func TestPictureOfCounts(t *testing.T) {
	const width, height = 97, 61
	db := open(t)
	exec(t, db, "CREATE TABLE p AS SELECT i * i % 97 AS x, (i * i + i) % 61 AS y FROM range(5000) t(i)")
	values := make([]float64, width*height)
	rows, err := db.Query("SELECT x, y, count(*) FROM p GROUP BY ALL")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var x, y, n int
		if err := rows.Scan(&x, &y, &n); err != nil {
			t.Fatal(err)
		}
		values[(height-1-y)*width+x] = float64(n)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for options, o := range map[string]picture.Options{
		"":                   {One: 1},
		", {scale: 'sqrt'}":  {Scale: "sqrt", One: 1},
		", {label: 'Trees'}": {Label: "Trees", Unit: "per pixel", One: 1},
	} {
		var want bytes.Buffer
		if err := picture.Encode(&want, values, width, height, o); err != nil {
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
