package sql

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCountsOfPages compares the counts on the pages with a GROUP BY of the file. Each regular
// expression matches one table of counts. (sql/test compares sums of countries with another
// library.) No centre of a cell lies on a side of the triangle. Its sides have the slope 4/3, and
// odd is never four times odd over three.
func TestCountsOfPages(t *testing.T) {
	const cells = `CREATE TABLE cells AS SELECT month, floor(round(lon * 1e6) / 1000)::BIGINT AS cx, floor(round(lat * 1e6) / 1000)::BIGINT AS cy, count(*) AS n
  FROM 'test/data/uk_crime_2018q4.parquet' GROUP BY ALL;
CREATE VIEW centres AS SELECT *, (2 * cx + 1) / 2000 AS x, (2 * cy + 1) / 2000 AS y FROM cells;
CREATE VIEW box AS FROM centres WHERE x > -1.6 AND x < -1.3 AND y > 53.3 AND y < 53.5;
.mode list
.headers off
`
	shell := buildShell(t)
	for page, query := range map[string]string{
		"README.md": `SELECT '\| ' || month || ' \| \d+ \| ' || sum(n) || ' \|' FROM box GROUP BY month;
SELECT '\| in_a_triangle \| \| uint64 \| \| ' || sum(n) || ' \|' FROM box
  WHERE x > -1.6 + (y - 53.3) * 0.75 AND x < -1.3 - (y - 53.3) * 0.75;`,
		"docs/MAPS.md": `SELECT '\| ' || month || ' \| ' || sum(n) FILTER (x > -1.6 AND x < -1.3 AND y > 53.3 AND y < 53.5) || ' \| ' || sum(n) || ' \|' FROM centres GROUP BY month;
SELECT '\| november_and_december \| \| uint64 \| \| ' || sum(n) || ' \|' FROM cells WHERE month >= '2018-11';
SELECT '\| 2018-10 \| ccbf exact, ' || format('{:,}', count(*)) || ' cells' FROM cells WHERE month = '2018-10';
SELECT '\| ' || sum(n) || ' \| ' || round(x, 4) || ' \| ' || round(y, 4) || ' \|' FROM box GROUP BY x, y ORDER BY sum(n) DESC LIMIT 3;
SELECT '\| ' || res || ' \| ' || count(*) || ' \|' FROM (
  SELECT res FROM 'test/data/uk_crime_2018q4.parquet', (VALUES (0.1), (0.01), (0.001), (0.0001)) AS r(res)
  GROUP BY res, floor(round(lon * 1e6) / (res * 1e6)::BIGINT), floor(round(lat * 1e6) / (res * 1e6)::BIGINT)) GROUP BY res;
SELECT '\| ' || round(any_value(x), 4) || ' \| ' || round(any_value(y), 4) || ' \| ' || m || ' \|' FROM (
  SELECT cx, cy, any_value(x) AS x, any_value(y) AS y, coalesce(sum(n) FILTER (month = '2018-12'), 0) - coalesce(sum(n) FILTER (month = '2018-10'), 0) AS m
  FROM centres GROUP BY cx, cy ORDER BY abs(m) DESC LIMIT 4) GROUP BY m;
SELECT '\| ' || month || ' \| ' || sum(n) || ' \| \d+ \|' FROM box GROUP BY month;
CREATE VIEW busy AS SELECT cx, cy FROM cells GROUP BY ALL HAVING sum(n) >= 20;
SELECT (SELECT format('{:,}', count(*)) FROM busy) || ' of ' || format('{:,}', count(*)) FROM (SELECT DISTINCT cx, cy FROM cells);
SELECT '\| ' || month || ' \| ' || format('{:,}', sum(n)::BIGINT) || ' \|' FROM cells SEMI JOIN busy USING (cx, cy) GROUP BY month;`,
	} {
		b, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(strings.NewReplacer("│", "|", "├", "", "┤", "", "┼", "", "─", "").Replace(string(b))), " ")
		for row := range strings.Lines(runIn(t, shell, cells+query+"\n")) {
			want, err := regexp.Compile(strings.TrimSuffix(row, "\n"))
			if err != nil {
				t.Fatal(err)
			}
			t.Log(want)
			if !want.MatchString(text) {
				t.Errorf("%s has no %s", page, want)
			}
		}
	}
}
