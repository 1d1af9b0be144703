package test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestFiguresOfReadme: the table of sketches of keys in README.md is right. With 100,000 keys and
// the options named, each has the stated bits and error rate. The tolerance is half of the last digit
// and 4 standard deviations of the lookups.
func TestFiguresOfReadme(t *testing.T) {
	const keys, absent = 100_000, 1_000_000
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	db := open(t)
	const (
		found = "SELECT avg(%s_contains(s, i)::INTEGER) FROM made, range(100000, 1100000) t(i)"
		high  = "SELECT avg((%s_get(s, i) > 1)::INTEGER) FROM made, range(100000) t(i)"
	)
	for _, c := range []struct {
		row, family, options string
		bits                 string // bits per key
		wrong                string // query for the error rate
		asked                float64
		percent              string
	}{
		{"`bloom_` | 9.6 | 1.0%", "bloom", "", "9.6", found, absent, "1.0"},
		{"`cuckoo_`, `duplicates: true` | 15.7 | 0.15%", "cuckoo", ", {duplicates: true}", "15.7", found, absent, "0.15"},
		{"`cbf_`, variant `'tandem'` | 19 | 1.0%", "cbf", ", {variant: 'tandem'}", "19", found, absent, "1.0"},
		{"`sbf_` | 57, or", "sbf", "", "57", high, keys, "3.3"},
		{"or 17 with encoding `'steps'` | 3.3%", "sbf", ", {encoding: 'steps'}", "17", high, keys, "3.3"},
	} {
		if !strings.Contains(string(readme), c.row) {
			t.Errorf("README.md has no %q", c.row)
		}
		exec(t, db, fmt.Sprintf("CREATE OR REPLACE TABLE made AS SELECT %s_agg(i%s) AS s FROM range(%d) t(i)", c.family, c.options, keys))
		bytes := number(t, mustAsk(t, db, "SELECT octet_length(s) FROM made"))
		agrees(t, c.row+": bits per key", c.bits, bytes*8/keys, 0)
		share := number(t, mustAsk(t, db, fmt.Sprintf(c.wrong, c.family)))
		agrees(t, c.row+": percent wrong", c.percent, 100*share, 100*math.Sqrt(share*(1-share)/c.asked))
	}
	if !strings.Contains(string(readme), "`cms_` | 14 KB in all") {
		t.Error("README.md has no size of cms_")
	}
	agrees(t, "cms_: KB", "14", number(t, mustAsk(t, db, fmt.Sprintf("SELECT octet_length(cms_agg(i)) FROM range(%d) t(i)", keys)))/1000, 0)
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// agrees compares a written figure with a measurement.
func agrees(t *testing.T, what, written string, measured, sigma float64) {
	t.Helper()
	_, decimals, _ := strings.Cut(written, ".")
	half := 0.5 * math.Pow10(-len(decimals))
	t.Logf("%s: %.4f (sigma %.4f), written %s", what, measured, sigma, written)
	if math.Abs(measured-number(t, written)) > half+4*sigma {
		t.Errorf("%s: %.4f (sigma %.4f), README.md has %s", what, measured, sigma, written)
	}
}
