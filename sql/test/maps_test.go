package test

import (
	"bytes"
	"fmt"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"strings"
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
		img, err := picture.Draw(values.Get(), 97, 61, o)
		if err == nil {
			err = picture.Write(&want, img)
		}
		if err != nil {
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

// TestFilesForQGIS: QGIS opens the files that docs/MAPS.md writes with COPY. GDAL, which QGIS uses,
// finds the points of the table in them.
func TestFilesForQGIS(t *testing.T) {
	ogrinfo, err := osexec.LookPath("ogrinfo")
	if err != nil {
		t.Skip("no ogrinfo here (Debian: gdal-bin): GeoJSON and CSV are not read as QGIS reads them")
	}
	db, dir := open(t), t.TempDir()
	exec(t, db, "CREATE TABLE p AS SELECT (hash(i) % 600) / 1000 - 1.5 AS x, (hash(i, 1) % 400) / 1000 + 53 AS y, ['theft', 'drugs, \"other\"', 'Überfall'][1 + (hash(i, 2) % 3)::INTEGER] AS kind FROM range(5000) t(i)")
	exec(t, db, "CREATE TABLE s AS SELECT ccbf_agg(x, y, 0.05) AS plain, ccbf_agg(x, y, 0.05, {category: kind}) AS kinds FROM p")
	write := func(name, query string) {
		options := "" // options of CSV
		if strings.HasSuffix(name, ".geojson") {
			options = " (FORMAT csv, HEADER false, QUOTE '')"
		}
		exec(t, db, fmt.Sprintf("COPY (%s) TO '%s'%s", query, filepath.Join(dir, name), options))
	}
	write("cells.geojson", "SELECT ccbf_geojson(plain) FROM s")
	write("squares.csv", "SELECT geometry::VARCHAR AS WKT, count FROM (SELECT unnest(ccbf_squares(plain), recursive := true) FROM s)")
	write("largest.geojson", `SELECT json_object('type', 'FeatureCollection', 'features', json_group_array(json_object('type', 'Feature',
			'geometry', json_object('type', 'Point', 'coordinates', [round(place.x, 4), round(place.y, 4)]), 'properties', json_object('rank', rank, 'count', place.count, 'kind', kind))))
		FROM (SELECT kind, generate_subscripts(places, 1) AS rank, unnest(places) AS place FROM (SELECT kind, ccbf_top_k(kinds, 10, kind) AS places FROM s, (SELECT DISTINCT kind FROM p)))`)
	write("cells.csv", "SELECT kind, unnest(ccbf_cells(kinds, kind), recursive := true) FROM s, (SELECT DISTINCT kind FROM p) ORDER BY ALL")

	// In a box, squares and points are in their places.
	box := []string{"-spat", "-1.29", "53.11", "-1.11", "53.24"}
	const (
		cell    = "SELECT grid_cell(x, 0.05) AS i, grid_cell(y, 0.05) AS j"
		all     = "SELECT count(*), sum(n)::BIGINT, max(n) FROM (" + cell + ", count(*) n FROM p GROUP BY ALL)"
		touched = "SELECT string_agg(n, '|' ORDER BY n) FROM (" + cell + ", count(*) n FROM p GROUP BY ALL) WHERE grid_edge(i, 0.05) <= -1.11 AND grid_edge(i + 1, 0.05) >= -1.29 AND grid_edge(j, 0.05) <= 53.24 AND grid_edge(j + 1, 0.05) >= 53.11"
	)
	for _, c := range []struct {
		file, sql, want string
		args            []string
	}{
		{"cells.geojson", "SELECT COUNT(*), SUM(count), MAX(count) FROM cells", all, nil},
		{"squares.csv", "SELECT COUNT(*), SUM(count), MAX(count) FROM squares", all, nil},
		{"largest.geojson", "SELECT COUNT(*), SUM(count), MAX(rank) FROM largest",
			"SELECT count(*), sum(n)::BIGINT, max(rank) FROM (SELECT n, row_number() OVER (PARTITION BY kind ORDER BY n DESC) AS rank FROM (" + cell + ", kind, count(*) n FROM p GROUP BY ALL)) WHERE rank <= 10", nil},
		{"largest.geojson", "SELECT COUNT(*), SUM(count) FROM largest WHERE kind = 'Überfall' AND rank = 1",
			"SELECT 1, max(n) FROM (" + cell + ", count(*) n FROM p WHERE kind = 'Überfall' GROUP BY ALL)", nil},
		{"cells.csv", `SELECT COUNT(*), SUM(count) FROM cells WHERE kind = 'drugs, "other"'`,
			"SELECT count(*), sum(n)::BIGINT FROM (" + cell + `, count(*) n FROM p WHERE kind = 'drugs, "other"' GROUP BY ALL)`, nil},
		{"cells.geojson", "SELECT count FROM cells ORDER BY count", touched, box},
		{"squares.csv", "SELECT count FROM squares ORDER BY count", touched, box},
		{"cells.csv", "SELECT count FROM cells ORDER BY count",
			"SELECT string_agg(n, '|' ORDER BY n) FROM (" + cell + ", kind, count(*) n FROM p GROUP BY ALL) WHERE grid_center(i, 0.05) BETWEEN -1.29 AND -1.11 AND grid_center(j, 0.05) BETWEEN 53.11 AND 53.24",
			append(box, "-oo", "X_POSSIBLE_NAMES=x", "-oo", "Y_POSSIBLE_NAMES=y")},
	} {
		if got, want := layer(t, ogrinfo, append(c.args, "-sql", c.sql, filepath.Join(dir, c.file))...), mustAsk(t, db, c.want); got != want {
			t.Errorf("%s of %s, %q: %s, want %s", c.sql, c.file, c.args, got, want)
		}
	}
}

var ogrValue = regexp.MustCompile(`(?m)^ +\S.* \((?:Integer|Integer64|Real)\) = (\S+)$`)

// layer returns the numbers in the output of ogrinfo, in the format of mustAsk.
func layer(t *testing.T, ogrinfo string, args ...string) string {
	t.Helper()
	if strings.HasSuffix(args[len(args)-1], ".csv") {
		args = append([]string{"-oo", "AUTODETECT_TYPE=YES"}, args...)
	}
	out, err := osexec.CommandContext(t.Context(), ogrinfo, append([]string{"-ro", "-q"}, args...)...).CombinedOutput()
	if err != nil || strings.Contains(string(out), "Warning") || strings.Contains(string(out), "ERROR") {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	var values []string
	for _, m := range ogrValue.FindAllStringSubmatch(string(out), -1) {
		values = append(values, m[1])
	}
	return strings.Join(values, "|")
}
