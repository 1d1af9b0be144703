package clients

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestSpatialWritesSquares: COPY (FORMAT gdal) of DuckDB's extension spatial writes ccbf_squares
// without conversions. GDAL, outside DuckDB, reads the squares and points of GROUP BY.
func TestSpatialWritesSquares(t *testing.T) {
	ogrinfo, err := exec.LookPath("ogrinfo")
	if err != nil {
		missing(t, "no ogrinfo (Debian: gdal-bin)")
	}
	packages := filepath.Dir(installed(t, "DuckDB's extension spatial", "python", "spatial", "installed"))
	file := filepath.Join(t.TempDir(), "squares.gpkg")
	cmd := exec.CommandContext(t.Context(), "python3", filepath.Join("python", "spatial.py"), extension(t), file)
	cmd.Env = append(cmd.Environ(), "PYTHONPATH="+packages, "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		var squares, points int
		if _, err := fmt.Sscanf(line, "[%d, %d]", &squares, &points); err != nil || points == 0 {
			t.Fatalf("%v: %q", err, line)
		}
		args := []string{"-ro", "-q", file, "squares"}
		if i == 1 {
			args = append([]string{"-spat", "-1.29", "53.11", "-1.11", "53.24"}, args...)
		}
		got, err := exec.CommandContext(t.Context(), ogrinfo, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, got)
		}
		counts, sum := regexp.MustCompile(`(?m)^ +count \(\w+\) = (\d+)$`).FindAllSubmatch(got, -1), 0
		for _, c := range counts {
			n, err := strconv.Atoi(string(c[1]))
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
		if len(counts) != squares || sum != points {
			t.Errorf("GDAL %v reads %d squares with %d points, GROUP BY has %d with %d\n%.500s", args, len(counts), sum, squares, points, got)
		}
	}
}
