{{/* Points: the UK's crimes in two orders, and three kinds of skew. u^-5 inverts the distribution
function of ranks with P(r) ~ r^-1.2 (rank); a rank is put on the grid by a multiplication modulo 2^24. */}}
{{define "aggregate"}}
CREATE TABLE filed AS SELECT lon AS x, lat AS y FROM ({{.crimes}});
CREATE TABLE shuffled AS FROM filed ORDER BY hash(rowid);
CREATE TABLE ranks AS SELECT (k % 4096)::DOUBLE x, (k // 4096)::DOUBLE y
	FROM (SELECT ({{rank 16777216 1}}::UBIGINT * 2654435761 % 16777216)::BIGINT k FROM range({{.n}}) t(i));
CREATE TABLE axes AS SELECT ({{rank 4097 2}} * 1597 % 4096)::DOUBLE x, ({{rank 4097 3}} * 2971 % 4096)::DOUBLE y FROM range({{.n}}) t(i);
CREATE TABLE spread AS SELECT (((hash(i, 4) % 4096) / 4096.0) ^ 1.7 * 4096)::DOUBLE x, ((hash(i, 5) % 4194304) / 1024.0)::DOUBLE y FROM range({{.n}}) t(i);
{{end}}

{{/* The cells of a table of points. */}}
{{define "cells"}}CREATE OR REPLACE TEMP TABLE b AS SELECT floor(x / {{.res}}) AS cx, floor(y / {{.res}}) AS cy, count(*) AS n FROM {{.table}} GROUP BY ALL{{end}}
{{define "cells, estimated"}}
CREATE OR REPLACE TEMP TABLE e AS SELECT approx_count_distinct(floor(x / {{.res}}) * 4294967296 + floor(y / {{.res}})) AS n FROM {{.table}}
{{end}}

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
-- at: groups={{.n}}; points={{.points}}
-- as: exact GROUP BY group, cell
{{template "groups, exact"}}
-- as: ccbf_agg
{{template "groups, sketched"}}
-- compare: {{.n}} groups of {{.points}} keys
-- at: groups={{.n}}; points={{.points}}
-- as: exact GROUP BY group, key
SELECT count(n) FROM (SELECT g, x, count(*) n FROM p GROUP BY ALL) WHERE n > 0
-- as: cms_agg
SELECT count(s) FROM (SELECT g, cms_agg(x, {width: 64, depth: 3}) s FROM p GROUP BY g) WHERE octet_length(s) > 0
{{end}}
{{define "groups, counted"}}SELECT count(n) FROM (SELECT g, count(*) n FROM p GROUP BY g) WHERE n > 0{{end}}

{{/* Sketches and the exact table by a key, in the smallest types that hold them. */}}
{{define "sizes"}}
CREATE OR REPLACE TABLE sketches AS SELECT {{.key}} AS g, ccbf_agg(lon, lat, 0.001) AS s FROM p GROUP BY g ORDER BY g;
CREATE OR REPLACE TABLE counted AS
	SELECT {{.key}} AS g, floor(lon / 0.001)::INTEGER AS x, floor(lat / 0.001)::INTEGER AS y, count(*)::UINTEGER AS n FROM p GROUP BY ALL ORDER BY g, y, x
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
