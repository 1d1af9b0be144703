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
{{define "exact sizes"}}
SET VARIABLE before = (SELECT memory_usage_bytes FROM duckdb_memory() WHERE tag = 'IN_MEMORY_TABLE');
CREATE TABLE cells AS SELECT x::INTEGER AS x, y::INTEGER AS y, n FROM counted ORDER BY x, y;
SET VARIABLE after = (SELECT memory_usage_bytes FROM duckdb_memory() WHERE tag = 'IN_MEMORY_TABLE');
CREATE TABLE pairs AS SELECT x::INTEGER AS x, y::INTEGER AS y, category::VARCHAR AS category, count(*) AS n FROM raw GROUP BY ALL ORDER BY category, x, y;
COPY cells TO '{{.folder}}/cells.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY pairs TO '{{.folder}}/pairs.parquet' (FORMAT parquet, COMPRESSION zstd);
SELECT cells, pairs, list / cells AS sketch, pairList / pairs AS "pair sketch", (getvariable('after') - getvariable('before')) / cells AS memory,
	(SELECT size FROM read_blob('{{.folder}}/cells.parquet')) / cells AS "Parquet", (SELECT size FROM read_blob('{{.folder}}/pairs.parquet')) / pairs AS "pair Parquet"
FROM (SELECT count(*) AS cells FROM cells), (SELECT count(*) AS pairs FROM pairs),
	(SELECT octet_length(ccbf_agg(x, y, 1, {bytes: 1000000000})) AS list, octet_length(ccbf_agg(x, y, 1, {bytes: 1000000000, category: category::VARCHAR})) AS pairList FROM raw)
{{end}}
{{/* Sketches of squares of so many cells a side, and the table with the squares: bytes for each cell. The
figure few is the number of cells in a group if the table is smaller. */}}
{{define "group sizes"}}
CREATE OR REPLACE TABLE sketches AS SELECT x // (8 * {{.of}}) AS gx, y // (8 * {{.of}}) AS gy, ccbf_agg(x, y, 1) AS s FROM raw GROUP BY ALL ORDER BY gx, gy;
COPY sketches TO '{{.folder}}/sketches.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY (SELECT x // (8 * {{.of}}) AS gx, y // (8 * {{.of}}) AS gy, x, y, n FROM counted ORDER BY ALL) TO '{{.folder}}/cells.parquet' (FORMAT parquet, COMPRESSION zstd);
SELECT '{{.of}}' AS side, cells / groups AS "in group", bytes / cells AS blobs, packed / cells AS sketches, "all" / cells AS "table", CASE WHEN "all" < packed THEN cells / groups END AS few
FROM (SELECT count(*) AS cells FROM counted), (SELECT count(*) AS groups, sum(octet_length(s)) AS bytes FROM sketches),
	(SELECT size AS packed FROM read_blob('{{.folder}}/sketches.parquet')), (SELECT size AS "all" FROM read_blob('{{.folder}}/cells.parquet'))
{{end}}
{{/* The table of keys, which are an expression over key. */}}
{{define "key sizes"}}
COPY (SELECT {{.of}} AS key, n FROM counted ORDER BY key) TO '{{.folder}}/keys.parquet' (FORMAT parquet, COMPRESSION zstd);
SELECT size / (SELECT count(*) FROM counted) AS "a key" FROM read_blob('{{.folder}}/keys.parquet')
{{end}}
