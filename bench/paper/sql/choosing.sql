{{/* Rows (key, x, y, category) in the order in which they come, x and y in cells. */}}

{{/* Draws of keys with probabilities in proportion to rank^-skew. Each key has a cell of its
own, somewhere in a square of 64. */}}
{{define "zipf rows"}}
WITH ranks AS (SELECT r AS key, sum(p) OVER (ORDER BY r) / sum(p) OVER () AS upto FROM (SELECT r, (r + 1) ** -{{.skew}} AS p FROM range({{.keys}}) t(r))),
	draws AS (SELECT i, (hash(i, 7) % 1000000007) / 1000000007 AS u FROM range({{.occurrences}}) t(i))
SELECT key, 8 * (key // 200) + hash(key) % 8 AS x, 8 * (key % 200) + hash(key, 1) % 8 AS y, key % 14 AS category
FROM draws ASOF JOIN ranks ON u < upto ORDER BY i
{{end}}
{{/* Points that lie evenly over a square, one cell in so many. */}}
{{define "scattered rows"}}
SELECT x || ' ' || y AS key, x, y, hash(i, 5) % 14 AS category
FROM (SELECT i, (hash(i, 3) % ceil(sqrt({{.points}} * {{.cells}}::DOUBLE))::BIGINT)::BIGINT AS x,
	(hash(i, 4) % ceil(sqrt({{.points}} * {{.cells}}::DOUBLE))::BIGINT)::BIGINT AS y FROM range({{.points}}) t(i))
{{end}}
{{/* One row in so many of files of points, in degrees, and of values, in classes. */}}
{{define "rows of points"}}
SELECT x || ' ' || y AS key, x, y, category FROM (SELECT floor(lon / {{.by}})::BIGINT AS x, floor(lat / {{.by}})::BIGINT AS y, {{.category}} AS category,
	hash(file_row_number) AS h FROM read_parquet({{.file}}, file_row_number = true)) WHERE h % {{.oneIn}} = 0 ORDER BY h
{{end}}
{{define "rows of values"}}
SELECT x AS key, x, 0::BIGINT AS y, x % 14 AS category FROM (SELECT elevation::BIGINT // {{.by}} AS x, hash(file_row_number) AS h
	FROM read_parquet({{.file}}, file_row_number = true)) WHERE h % {{.oneIn}} = 0 ORDER BY h
{{end}}
{{/* A row for so many thousands of the cases at each place up to June 2022. */}}
{{define "rows of cases"}}
SELECT x || ' ' || y AS key, x, y, category FROM (SELECT floor(Lon / {{.by}})::BIGINT AS x, floor(Lat / {{.by}})::BIGINT AS y, Country AS category,
	unnest(range("6/30/2022" // {{.oneIn}}000)) AS i FROM {{.file}} WHERE Lat IS NOT NULL AND Lon IS NOT NULL) ORDER BY hash(x, y, i)
{{end}}

{{/* The rows of a source, and their exact counts. */}}
{{define "count"}}
CREATE TABLE raw AS SELECT *, 1 AS res FROM ({{.}});
CREATE TABLE counted AS SELECT key, x, y, count(*)::BIGINT AS n FROM raw GROUP BY ALL
{{end}}
{{/* How many keys and rows there are, the larger side of the box around all cells, and the
skew as one finds it who does not know it: the slope of the counts over their ranks, both in
logarithms, at ranks that are evenly apart there. */}}
{{define "counted"}}
SELECT count(*), sum(n)::BIGINT, 1 + greatest(max(x) - min(x), max(y) - min(y)), (SELECT coalesce(-regr_slope(ln(n), ln(rank)), 0) FROM
	(SELECT n, row_number() OVER (ORDER BY n DESC) AS rank FROM counted) WHERE n > 1 AND rank IN (SELECT floor(1.1 ** k) FROM range(200) t(k))) FROM counted
{{end}}
{{define "outcome"}}
SELECT octet_length(s), avg(({{.family}}_get(s, {{.key}})::DOUBLE - n) / n) FROM counted, (SELECT {{.call}} AS s FROM raw) GROUP BY s
{{end}}

{{/* Exact counts as tables, of cells and of cells with categories, and their sketches. */}}
{{define "cells"}}
CREATE TABLE cells AS SELECT x::INTEGER AS x, y::INTEGER AS y, n FROM counted ORDER BY x, y
{{end}}
{{define "pairs"}}
CREATE TABLE pairs AS SELECT x::INTEGER AS x, y::INTEGER AS y, category::VARCHAR AS category, count(*) AS n FROM raw GROUP BY ALL ORDER BY category, x, y
{{end}}
{{define "exact sketches"}}
SELECT count(*), (SELECT octet_length(ccbf_agg(x, y, 1, {bytes: 1000000000})) FROM raw),
	(SELECT octet_length(ccbf_agg(x, y, 1, {bytes: 1000000000, category: category::VARCHAR})) FROM raw) FROM pairs
{{end}}
{{/* Sketches of squares of so many cells a side, and the table with the squares. */}}
{{define "groups"}}
CREATE OR REPLACE TABLE sketches AS SELECT x // {{.}} AS gx, y // {{.}} AS gy, ccbf_agg(x, y, 1) AS s FROM raw GROUP BY ALL ORDER BY gx, gy;
CREATE OR REPLACE TABLE cells AS SELECT x // {{.}} AS gx, y // {{.}} AS gy, x, y, n FROM counted ORDER BY ALL
{{end}}
