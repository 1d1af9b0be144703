{{/* The countries, GeoJSON each, and the cities. */}}
{{define "world"}}
CREATE TABLE c AS SELECT g FROM
	(SELECT unnest(features).geometry::VARCHAR g FROM read_json('{{.data}}/ne_110m_countries.geojson', columns = {features: 'STRUCT(geometry JSON)[]'}))
	USING SAMPLE reservoir({{.countries}} ROWS) REPEATABLE (7);
CREATE TABLE cities AS SELECT lon, lat FROM '{{.data}}/geonames_cities.parquet'
{{end}}

{{/* The exact table of the UK's crimes. */}}
{{define "counted"}}
CREATE OR REPLACE TABLE counted AS SELECT floor(lon / {{.}})::BIGINT x, floor(lat / {{.}})::BIGINT y, count(*) n FROM p GROUP BY ALL;
{{end}}

{{define "levels"}}
CREATE TABLE s AS SELECT ccbf_agg(lon, lat, 0.01, {exact: false}) AS plain, ccbf_agg(lon, lat, 0.01, {exact: false, levels: 8}) AS levels FROM cities
{{end}}
{{define "squares"}}
CREATE OR REPLACE TABLE q AS SELECT format('POLYGON(({0} {1},{2} {1},{2} {3},{0} {3},{0} {1}))', x, y, x + d, y + d) g
	FROM (SELECT (hash(i) % 300000) / 1000 - 150 AS x, (hash(i, 1) % 90000) / 1000 - 40 AS y, {{.}} / 100 AS d FROM range(1000) t(i))
{{end}}

{{/* Places drawn from the points, and boxes a hundred cells wide and high, in the middle of
England: edges, and the cells between. */}}
{{define "places"}}
CREATE TABLE p AS {{.crimes}};
{{template "counted" "0.001"}}
CREATE TABLE s AS SELECT ccbf_agg(lon, lat, 0.001) AS exact, ccbf_agg(lon, lat, 0.001, {exact: false}) AS dense FROM p;
CREATE TABLE q AS SELECT lon, lat FROM p, range(1 + {{.n}} // 50000) t(i) ORDER BY hash(p.rowid, i) LIMIT {{.n}};
CREATE TABLE boxes AS SELECT x / 1000 AS x0, y / 1000 AS y0, (x + 100) / 1000 AS x1, (y + 100) / 1000 AS y1,
	x AS "left", y AS bottom, x + 99 AS "right", y + 99 AS top
	FROM (SELECT (hash(i) % 3000)::BIGINT - 3000 AS x, (hash(i, 1) % 3000)::BIGINT + 51000 AS y FROM range({{.boxes}}) t(i));
CREATE TABLE box AS FROM boxes LIMIT 1
{{end}}
{{define "in boxes"}}
SELECT coalesce(sum(n), 0) FROM counted, {{.}} WHERE x BETWEEN "left" AND "right" AND y BETWEEN bottom AND top
{{end}}
{{define "kinds of places"}}
CREATE TABLE named AS SELECT lon, lat, quadkey(lon, lat, 11) AS tile, (hash(rowid, 5) % {{.few}})::INT AS few, 'c' || hash(rowid, 6) % {{.many}} AS many FROM p;
CREATE TABLE asked AS SELECT lon, lat, tile, few, many FROM named, range(1 + {{.n}} // 50000) t(i) ORDER BY hash(lon, lat, few, i) LIMIT {{.n}};
CREATE TABLE ofTiles AS SELECT tile, ccbf_agg(lon, lat, 0.001) AS s FROM named GROUP BY tile;
CREATE TABLE ofKinds AS SELECT ccbf_agg(lon, lat, 0.001, {bytes: 16000000, category: few}) AS few,
	ccbf_agg(lon, lat, 0.001, {bytes: 16000000, category: many}) AS many FROM named;
SET VARIABLE few = (SELECT few FROM ofKinds);
SET VARIABLE many = (SELECT many FROM ofKinds)
{{end}}
{{define "counted by"}}
CREATE OR REPLACE TABLE countedBy AS SELECT {{.}} AS k, floor(lon / 0.001)::BIGINT x, floor(lat / 0.001)::BIGINT y, count(*) n FROM named GROUP BY ALL
{{end}}
{{define "in kinds"}}
SELECT sum(n) FROM asked JOIN countedBy ON {{.}} = k AND floor(lon / 0.001) = x AND floor(lat / 0.001) = y
{{end}}
{{define "lookups"}}
CREATE OR REPLACE TABLE made AS SELECT (hash(i, 1) % 4096)::DOUBLE x, (hash(i, 2) % 4096)::DOUBLE y FROM range(150000) t(i);
CREATE OR REPLACE TABLE s AS SELECT ccbf_agg(x, y, 1, {exact: false}) s FROM made;
CREATE OR REPLACE TABLE counted AS SELECT x, y, count(*) n FROM made GROUP BY ALL;
CREATE OR REPLACE TABLE p AS SELECT (hash(i, 3) % 4096)::DOUBLE x, (hash(i, 4) % 4096)::DOUBLE y FROM range({{.}}) t(i)
{{end}}

{{/* A sketch and a table for each day. The UK file knows months only, so the days are drawn. */}}
{{define "daily"}}
CREATE OR REPLACE TABLE dated AS SELECT lon, lat, {{.}} AS day FROM p;
CREATE OR REPLACE TABLE days AS SELECT day, ccbf_agg(lon, lat, 0.001) s FROM dated GROUP BY day;
CREATE OR REPLACE TABLE counted AS SELECT day, floor(lon / 0.001)::BIGINT x, floor(lat / 0.001)::BIGINT y, count(*) n FROM dated GROUP BY ALL
{{end}}

{{/* One sketch whose categories are the days, exact and a tree of so many bytes. */}}
{{define "by day"}}
CREATE TABLE byDay AS SELECT ccbf_agg(lon, lat, 0.001, {bytes: 64000000, category: day}) AS exact,
	ccbf_agg(lon, lat, 0.001, {bytes: {{.}}, category: day}) AS tree FROM dated
{{end}}

{{/* A county, and the cells whose centres lie in it: a line from there to the east crosses an odd
number of its edges. They are known before the clock starts. */}}
{{define "county"}}
CREATE TABLE county AS SELECT '{{.}}' g;
CREATE TABLE inside AS
	WITH corners AS (SELECT split_part(c, ' ', 1)::DOUBLE x, split_part(c, ' ', 2)::DOUBLE y, i
		FROM (SELECT unnest(string_split(g[11:-3], ', ')) c, generate_subscripts(string_split(g[11:-3], ', '), 1) i FROM county)),
	edges AS (SELECT a.x x0, a.y y0, b.x x1, b.y y1 FROM corners a JOIN corners b ON b.i = a.i + 1)
	SELECT x, y FROM (SELECT DISTINCT x, y, (x + 0.5) * 0.001 cx, (y + 0.5) * 0.001 cy FROM counted), edges
	GROUP BY x, y, cx, cy HAVING count(*) FILTER ((y0 > cy) <> (y1 > cy) AND cx < x0 + (cy - y0) * (x1 - x0) / (y1 - y0)) % 2 = 1;
CREATE TABLE bounds AS SELECT min(x) x0, max(x) x1, min(y) y0, max(y) y1 FROM inside
{{end}}
{{define "in the county"}}
SELECT sum(n) FROM counted SEMI JOIN inside USING (x, y)
	WHERE x BETWEEN (SELECT x0 FROM bounds) AND (SELECT x1 FROM bounds) AND y BETWEEN (SELECT y0 FROM bounds) AND (SELECT y1 FROM bounds)
{{end}}
{{define "tiles"}}
CREATE TABLE tiles AS SELECT quadkey(lon, lat, 11) tile, ccbf_agg(lon, lat, 0.001) s FROM p GROUP BY tile;
CREATE TABLE town AS SELECT '{{.}}' g, -3.125 x0, 53.325 y0, -2.675 x1, 53.575 y1;
CREATE TABLE near AS SELECT s FROM tiles, town WHERE ccbf_bbox_overlaps(s, x0, y0, x1, y1)
{{end}}

{{define "outlines"}}
CREATE TABLE p AS {{.crimes}};
CREATE TABLE s AS SELECT ccbf_agg(lon, lat, 0.001) AS exact, ccbf_agg(lon, lat, 0.001, {exact: false}) AS dense FROM p;
CREATE TABLE outlines AS SELECT unnest([{{range $i, $text := .texts}}{{if $i}}, {{end}}'{{$text}}'{{end}}]) AS g
{{end}}
