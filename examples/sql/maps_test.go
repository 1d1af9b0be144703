package sql

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// The table of cells in docs/MAPS.md is the formula below it: on a sphere of 6,371 km
// a degree of latitude is its circumference over 360, and a degree of longitude that
// times the cosine of the latitude.
func TestCellSizes(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "MAPS.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| (\d+) \| [^|]+(\| .*)$`).FindAllStringSubmatch(string(page), -1)
	if len(rows) != 7 {
		t.Fatalf("docs/MAPS.md has %d rows of latitudes, want 7", len(rows))
	}
	for _, row := range rows {
		latitude, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		degree := 2 * math.Pi * 6371e3 / 360 // metres
		across := degree * math.Cos(latitude*math.Pi/180)
		want := fmt.Sprintf("| %.0f x %.0f m | %.0f x %.0f m | %.2f x %.2f km | %.1f x %.1f km |",
			across*0.0001, degree*0.0001, across*0.001, degree*0.001, across*0.01/1000, degree*0.01/1000, across*0.1/1000, degree*0.1/1000)
		if row[2] != want {
			t.Errorf("latitude %s: %s, want %s", row[1], row[2], want)
		}
	}
}
