{{/* Points: the UK's crimes in two orders, and three kinds of skew. u^-5 inverts the distribution
function of ranks with P(r) ~ r^-1.2 (rank); a rank is put on the grid by a multiplication modulo 2^24. Even points
have twice as many places as there are points.
A part of the time of the exact query is promised, unless the sketch becomes a tree of many cells. */}}
{{define "aggregate"}}
CREATE TABLE filed AS SELECT lon AS x, lat AS y FROM ({{.crimes}});
CREATE TABLE shuffled AS FROM filed ORDER BY hash(rowid);
CREATE TABLE ranks AS SELECT (k % 4096)::DOUBLE x, (k // 4096)::DOUBLE y
	FROM (SELECT ({{rank 16777216 1}}::UBIGINT * 2654435761 % 16777216)::BIGINT k FROM range({{.n}}) t(i));
CREATE TABLE axes AS SELECT ({{rank 4097 2}} * 1597 % 4096)::DOUBLE x, ({{rank 4097 3}} * 2971 % 4096)::DOUBLE y FROM range({{.n}}) t(i);
CREATE TABLE spread AS SELECT (((hash(i, 4) % 4096) / 4096.0) ^ 1.7 * 4096)::DOUBLE x, ((hash(i, 5) % 4194304) / 1024.0)::DOUBLE y FROM range({{.n}}) t(i);
CREATE TABLE even AS SELECT (hash(i, 6) % 4650)::DOUBLE x, (hash(i, 7) % ({{.n}} // 2150))::DOUBLE y FROM range({{.n}}) t(i)
{{range list (list "UK crimes, as filed" "filed" "0.001" "0.65") (list "UK crimes, shuffled" "shuffled" "0.001" "0.65")
	(list "Zipf 1.2 by cell" "ranks" "1" "0.4") (list "Zipf 1.2 by axis" "axes" "1" "0.65") (list "little skew" "spread" "1" "") -}}
{{$table := index . 1}}{{$res := index . 2 -}}
-- compare: {{index . 0}}
-- at: {{with index . 3}}most={{.}}; {{end}}res={{$res}}
-- as: exact GROUP BY
{{template "cells" .}}
-- as: ccbf_agg
CREATE OR REPLACE TEMP TABLE a AS SELECT ccbf_agg(x, y, {{$res}}) AS s FROM {{$table}}
-- as: ccbf_agg, dense
CREATE OR REPLACE TEMP TABLE d AS SELECT ccbf_agg(x, y, {{$res}}, {exact: false}) AS s FROM {{$table}}
-- as: ccbf_agg, paper
CREATE OR REPLACE TEMP TABLE d AS SELECT ccbf_agg(x, y, {{$res}}, {exact: false, k: 8, layers: [16, 16]}) AS s FROM {{$table}}
-- as: approx_count_distinct
CREATE OR REPLACE TEMP TABLE e AS SELECT approx_count_distinct(floor(x / {{$res}}) * 4294967296 + floor(y / {{$res}})) AS n FROM {{$table}}
-- row: points={{index . 0}}
SELECT *, (FROM e) / cells - 1 AS error FROM (SELECT sum(n) AS n, count(*) AS cells FROM b), (SELECT (ccbf_info(s)).encoding AS form FROM a)
{{end -}}
-- compare: even points, in 64 MiB
-- at: most=0.5
-- as: exact GROUP BY
{{template "cells" list "" "even" "1"}}
-- as: ccbf_agg
CREATE OR REPLACE TEMP TABLE a AS SELECT ccbf_agg(x, y, 1, {bytes: 67108864}) AS s FROM even
-- row: even=64 MiB
SELECT count(*) AS cells, (SELECT (ccbf_info(s)).encoding FROM a) AS form FROM b
{{range list (list "UK crimes, as filed" "filed" "0.001") (list "UK crimes, shuffled" "shuffled" "0.001") -}}
-- run
CREATE OR REPLACE TEMP TABLE a AS SELECT ccbf_agg(x, y, {{index . 2}}, {bytes: 16777216}) AS s FROM {{index . 1}};
SET VARIABLE half = (SELECT octet_length(s) // 2 FROM a)
-- row: tree={{index . 0}}
SELECT getvariable('half')::VARCHAR AS bytes
-- compare: {{index . 0}}
-- as: exact GROUP BY
{{template "cells" .}}
-- also: ccbf_agg, exact
CREATE OR REPLACE TEMP TABLE a AS SELECT ccbf_agg(x, y, {{index . 2}}, {bytes: 16777216}) AS s FROM {{index . 1}}
-- as: ccbf_agg, tree
CREATE OR REPLACE TEMP TABLE a AS SELECT ccbf_agg(x, y, {{index . 2}}, {bytes: getvariable('half'), overflow: 'tree'}) AS s FROM {{index . 1}}
{{end}}
{{end}}

{{/* The cells of a table of points: its name is the second of the list, the size of cells the third. */}}
{{define "cells" -}}
CREATE OR REPLACE TEMP TABLE b AS SELECT floor(x / {{index . 2}}) AS cx, floor(y / {{index . 2}}) AS cy, count(*) AS n FROM {{index . 1}} GROUP BY ALL
{{- end}}

{{/* Groups of five points. */}}
{{define "groups"}}
CREATE TABLE p AS SELECT (i % {{.n}})::INTEGER g, ((hash(i, 1) % 10000) / 1000.0)::DOUBLE x, ((hash(i, 2) % 10000) / 1000.0)::DOUBLE y
	FROM (SELECT i FROM range(5 * {{.n}}) t(i) ORDER BY hash(i))
{{end}}
{{define "groups, sketched"}}SELECT count(s) FROM (SELECT g, ccbf_agg(x, y, 1) s FROM p GROUP BY g) WHERE octet_length(s) > 0{{end}}
{{define "groups, exact"}}SELECT count(n) FROM (SELECT g, floor(x / 1) x, floor(y / 1) y, count(*) n FROM p GROUP BY ALL) WHERE n > 0{{end}}
{{/* Points whose groups are of any size. */}}
{{define "groups of any size"}}
CREATE OR REPLACE TABLE p AS SELECT (hash(i) % {{.n}})::INTEGER g, ((hash(i, 1) % 10000) / 1000.0)::DOUBLE x, ((hash(i, 2) % 10000) / 1000.0)::DOUBLE y
	FROM range({{.points}} * {{.n}}) t(i)
-- compare: {{.n}} groups of {{.points}} points
-- at: groups={{.n}}; points={{.points}}{{with .most}}; most={{.}}{{end}}
-- as: exact GROUP BY group, cell
{{template "groups, exact"}}
-- as: ccbf_agg
{{template "groups, sketched"}}
-- compare: {{.n}} groups of {{.points}} keys
-- at: groups={{.n}}; points={{.points}}{{with .mostKeys}}; most={{.}}{{end}}
-- as: exact GROUP BY group, key
SELECT count(n) FROM (SELECT g, x, count(*) n FROM p GROUP BY ALL) WHERE n > 0
-- as: cms_agg
SELECT count(s) FROM (SELECT g, cms_agg(x, {width: 64, depth: 3}) s FROM p GROUP BY g) WHERE octet_length(s) > 0
{{end}}
{{define "groups, counted"}}SELECT count(n) FROM (SELECT g, count(*) n FROM p GROUP BY g) WHERE n > 0{{end}}

{{/* Sketches and the exact table by a key, in the smallest types that hold them. */}}
{{define "sizes"}}
CREATE TABLE p AS {{.crimes}}
{{$folder := .folder}}{{range list (list "all in one" "0") (list "zoom 6" "quadkey(lon, lat, 6)") (list "zoom 8" "quadkey(lon, lat, 8)") (list "zoom 10" "quadkey(lon, lat, 10)")
	(list "zoom 12" "quadkey(lon, lat, 12)") (list "zoom 14" "quadkey(lon, lat, 14)") (list "zoom 16" "quadkey(lon, lat, 16)") -}}
-- run
CREATE OR REPLACE TABLE sketches AS SELECT {{index . 1}} AS g, ccbf_agg(lon, lat, 0.001) AS s FROM p GROUP BY g ORDER BY g;
CREATE OR REPLACE TABLE counted AS
	SELECT {{index . 1}} AS g, floor(lon / 0.001)::INTEGER AS x, floor(lat / 0.001)::INTEGER AS y, count(*)::UINTEGER AS n FROM p GROUP BY ALL ORDER BY g, y, x;
COPY sketches TO '{{$folder}}/sketches.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY counted TO '{{$folder}}/counted.parquet' (FORMAT parquet, COMPRESSION zstd)
-- row: groups={{index . 0}}
SELECT n / groups AS cells, bytes / n AS blobs, packed / n AS packed, "all" / n AS "table", packed / "all" AS "in Parquet", bytes / "all" AS "as they are"
	FROM (SELECT count(*) AS n FROM counted), (SELECT count(*) AS groups, sum(octet_length(s)) AS bytes FROM sketches),
	(SELECT size AS packed FROM read_blob('{{$folder}}/sketches.parquet')), (SELECT size AS "all" FROM read_blob('{{$folder}}/counted.parquet'))
{{end}}
{{end}}

{{/* Keys that are all different, and by Zipf's law. */}}
{{define "keys"}}
CREATE TABLE k AS SELECT (hash(i) >> 1)::BIGINT AS different, (hash({{rank 16777216 1}}::BIGINT) >> 1)::BIGINT AS skewed FROM range({{.n}}) t(i)
{{end}}

{{/* Most of the exact query's time is promised. */}}
{{define "builds of keys"}}
-- compare: cms_agg / GROUP BY
-- at: way={{.keys}}; different={{.many}}; aggregate=cms_agg; beside=GROUP BY; most=0.6
-- as: GROUP BY, {{.keys}}
SELECT count(n) FROM (SELECT count(*) AS n FROM k GROUP BY {{.keys}})
-- as: cms_agg
SELECT octet_length(cms_agg({{.keys}}, {epsilon: 0.0001})) FROM k
-- compare: bloom_agg / DISTINCT
-- at: way={{.keys}}; different={{.many}}; aggregate=bloom_agg; beside=DISTINCT{{if eq .keys "different"}}; most=0.5{{end}}
-- as: DISTINCT, {{.keys}}
SELECT count(DISTINCT {{.keys}}) FROM k
-- as: bloom_agg
SELECT octet_length(bloom_agg({{.keys}}, {capacity: {{.many}}})) FROM k
-- compare: cuckoo_agg / DISTINCT
-- at: way={{.keys}}; different={{.many}}; aggregate=cuckoo_agg; beside=DISTINCT{{if eq .keys "different"}}; most=0.6{{end}}
-- as: DISTINCT, {{.keys}}
SELECT count(DISTINCT {{.keys}}) FROM k
-- as: cuckoo_agg
SELECT octet_length(cuckoo_agg({{.keys}}, {capacity: {{.many}}})) FROM k
{{end}}

{{/* (keys + 1)^u inverts the distribution function of the density 1/x from 1 on. */}}
{{define "estimates"}}
CREATE TABLE k AS SELECT floor(exp((hash(i) % 1000003 + 0.5) / 1000003 * ln({{.keys}} + 1)))::INT AS key, 'key ' || key AS text FROM range({{.n}}) t(i)
{{$keys := .keys}}{{range list (list "numbers" "key") (list "texts" "text")}}{{$of := index . 0}}{{$key := index . 1 -}}
-- compare: frequent, {{$of}}
-- at: question=frequent; of={{$of}}
-- as: DuckDB's own
SELECT len(approx_top_k({{$key}}, 100)::VARCHAR) FROM k
-- also: GROUP BY
SELECT max(n) FROM (SELECT count(*) AS n FROM k GROUP BY {{$key}})
-- as: cms_agg(key)
SELECT octet_length(cms_agg({{$key}})) FROM k
-- as: sbf_agg(key, {capacity: {{$keys}}})
SELECT octet_length(sbf_agg({{$key}}, {capacity: {{$keys}}})) FROM k
-- compare: different, {{$of}}
-- at: question=different; of={{$of}}
-- as: DuckDB's own
SELECT len(approx_count_distinct({{$key}})::VARCHAR) FROM k
-- also: DISTINCT
SELECT count(DISTINCT {{$key}}) FROM k
-- as: bloom_agg(key, {capacity: {{$keys}}})
SELECT octet_length(bloom_agg({{$key}}, {capacity: {{$keys}}})) FROM k
-- as: bloom_agg(key, {grow: true})
SELECT octet_length(bloom_agg({{$key}}, {grow: true})) FROM k
{{end}}
{{end}}

{{/* Points in sixteenths of a cell, in 31 x 30 tiles of 576 x 576 cells: of fifty million points
about 31 million cells have some. Density falls with the power 2/3 of either coordinate, and
the first tile has a tenth of all points. */}}
{{define "scarce"}}
SET preserve_insertion_order = false;
COPY (SELECT floor(pow((hash(i, 1) % 1000000007) / 1000000007.0, 3) * 31 * 9216)::INTEGER x,
	floor(pow((hash(i, 2) % 1000000007) / 1000000007.0, 3) * 30 * 9216)::INTEGER y FROM range({{.n}}) t(i))
	TO '{{.file}}' (FORMAT parquet, COMPRESSION snappy)
{{end}}
{{define "scarce, sketched"}}
SELECT concat_ws('/', count(*), sum(ccbf_total(s)), sum((ccbf_info(s)).cells), sum(octet_length(s)), bit_xor(hash(s)))
	FROM (SELECT x // 9216 * 30 + y // 9216 k, ccbf_agg(x, y, 16) s FROM '{{.file}}' GROUP BY k)
{{end}}
{{define "scarce, exact"}}
SELECT concat_ws('/', count(DISTINCT k), sum(n), count(*))
	FROM (SELECT x // 9216 * 30 + y // 9216 k, x // 16 cx, y // 16 cy, count(*) n FROM '{{.file}}' GROUP BY ALL)
{{end}}
