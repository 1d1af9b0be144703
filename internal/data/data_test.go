package data

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// files are all of them, and of those that need no Parquet reader how many rows
// they have. Those of the others are checked where SQL is: sql/test.
var files = map[string]int{
	"uk_crime_2018q4.parquet":          0,
	"nyc_taxi_pickups.parquet":         0,
	"geonames_cities.parquet":          0,
	"covtype_elevation.parquet":        0,
	"jhu_covid19_confirmed_global.csv": 289,
	"ne_110m_countries.geojson":        177,
	"ne_50m_countries.parquet":         0,
}

// TestFiles: every file is there, has a line in each table of the README and is cut by cut.sql.
// There is no other file, and together they are as small as they must be.
func TestFiles(t *testing.T) {
	read := func(file string) []byte {
		text, err := os.ReadFile(Path(file))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	readme, cut := string(read("README.md")), string(read("cut.sql"))
	size := 0
	for file, rows := range files {
		content := read(file)
		size += len(content)
		if n := strings.Count(readme, "\n| `"+file+"` |"); n != 2 {
			t.Errorf("README.md has %d lines for %s, want one of what it holds and one of its licence", n, file)
		}
		if !strings.Contains(cut, "TO 'cut/"+file+"'") {
			t.Errorf("cut.sql does not write %s", file)
		}
		got := 0
		switch filepath.Ext(file) {
		case ".csv":
			table, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
			got = len(table) - 1
		case ".geojson":
			var all struct{ Features []json.RawMessage }
			if err := json.Unmarshal(content, &all); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			got = len(all.Features)
		}
		if got != rows {
			t.Errorf("%s: %d rows, want %d", file, got, rows)
		}
	}
	if size > 12e6 {
		t.Errorf("%d bytes, at most 12 MB", size)
	}
	folder := filepath.Dir(Path("cut.sql"))
	there, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range there {
		_, known := files[f.Name()]
		if !known && !slices.Contains([]string{"README.md", "cut.sql", "data.go", "data_test.go"}, f.Name()) {
			t.Errorf("%s is in no list: see README.md", filepath.Join(folder, f.Name()))
		}
	}
}
