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

{{/* One row for each sketch: a candidate of the advice, or the advised one if told is not NULL. bytes is the length of its
BLOB over the expected one, err its error, and expected, low and high are the advice's. */}}
{{define "outcomes"}}
CREATE TABLE outcomes (source INT, data VARCHAR, skew DOUBLE, keys BIGINT, bits DOUBLE, use INT, name VARCHAR, told VARCHAR, family VARCHAR, said VARCHAR,
	bytes DOUBLE, err DOUBLE, expected DOUBLE, low DOUBLE, high DOUBLE)
{{end}}
{{/* The settings with the least errors. Errors below 1 in 10,000 count as equal (off). A setting is exact if sketches for
places have no error. */}}
{{define "settings"}}
CREATE MACRO off(expected, measured) AS greatest(expected, 1e-4) / greatest(measured, 1e-4);
CREATE TABLE settings AS SELECT source, any_value(data) AS data, any_value(skew) AS skew, bits, use, any_value(name) AS name, any_value(keys) AS keys,
	min(err) AS least, min(err) FILTER (family = 'ccbf') AS ccbf, min(err) FILTER (family = 'sbf') AS sbf, min(err) FILTER (family = 'cms') AS cms,
	use < 2 AND arg_min(err, rowid) = 0 AS exact FROM outcomes WHERE told IS NULL GROUP BY source, bits, use ORDER BY source, bits, use;
CREATE TABLE dense AS SELECT source, p.data, bits, p.ccbf, r.ccbf AS ccbfRemoval, k.sbf, q.sbf AS sbfRemoval, ln(greatest(k.sbf / p.ccbf, 1e-300)) AS above,
	row_number() OVER (PARTITION BY source ORDER BY bits) AS i, count(*) OVER (PARTITION BY source) AS n
	FROM (FROM settings WHERE use = 0 AND NOT exact) p JOIN (FROM settings WHERE use = 1) r USING (source, bits)
	JOIN (FROM settings WHERE use = 2) k USING (source, bits) JOIN (FROM settings WHERE use = 3) q USING (source, bits)
{{end}}
{{/* The smallest error of each family. */}}
{{define "errors"}}
SELECT data, bits::VARCHAR AS bits, unnest(CASE use WHEN 0 THEN ['CascadeCBF'] WHEN 1 THEN ['CascadeCBF, removal'] WHEN 2 THEN ['Spectral', 'Count-Min']
	ELSE ['Spectral, removal', 'Count-Min, removal'] END) AS family, unnest(CASE WHEN use < 2 THEN [ccbf] ELSE [sbf, cms] END) AS least
FROM settings ORDER BY source, settings.bits, use % 2, use
{{end}}
{{/* The skew of each source, the sizes at which Count-Min is closer than Spectral, and from how many bits on Spectral is closer than
dense CascadeCBF: between two settings on a logarithmic scale, or the first or last number of bits. */}}
{{define "crossings"}}
SELECT source.data AS source, source.skew, closer, sizes, even FROM (SELECT DISTINCT source, data, skew FROM settings) source
LEFT JOIN (SELECT source, count(*) AS sizes, count(*) FILTER (cms < sbf) AS closer FROM settings SEMI JOIN dense USING (source) WHERE use = 2 GROUP BY source) USING (source)
LEFT JOIN (SELECT source, arg_max(CASE WHEN above < 0 OR i = n THEN a.bits ELSE a.bits * (b.bits / a.bits) ^ (above / (above - b.below)) END, CASE WHEN above < 0 THEN -i ELSE i END) AS even
	FROM dense a LEFT JOIN (SELECT source, i - 1 AS i, bits, above AS below FROM dense) b USING (source, i) GROUP BY source) USING (source) ORDER BY source.source
{{end}}
{{/* How much larger errors are where occurrences can be removed. */}}
{{define "costs"}}
SELECT data AS source, off(ccbfRemoval, ccbf) AS "costs dense", off(sbfRemoval, sbf) AS "costs Spectral" FROM dense ORDER BY dense.source, bits
{{end}}
{{/* Whether sketches for places were exact, and what the advice said. */}}
{{define "certainty"}}
SELECT said, told AS "told what", exact::INT AS were FROM outcomes JOIN settings USING (source, bits, use) WHERE told IS NOT NULL AND use < 2 ORDER BY source, bits, use
{{end}}
{{/* The quality of the advice. Exact sketches are left out. The regret is for data with so many keys and more. */}}
{{define "advice"}}
SELECT s.name AS use, told, (err BETWEEN low AND high)::INT AS inside, off(expected, err) AS off, bytes, CASE WHEN low > 0 THEN off(high, low) END AS width,
	CASE WHEN s.keys >= {{.}} THEN off(err, least) END AS regret
FROM outcomes o JOIN settings s USING (source, bits, use) WHERE told IS NOT NULL AND NOT exact ORDER BY source, o.use, told DESC, bits
{{end}}
