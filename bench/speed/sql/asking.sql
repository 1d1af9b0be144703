{{/* The countries, GeoJSON each, and the cities. */}}
{{define "world"}}
CREATE TABLE c AS SELECT g FROM
	(SELECT unnest(features).geometry::VARCHAR g FROM read_json({{.countries}}, columns = {features: 'STRUCT(geometry JSON)[]'}))
	USING SAMPLE reservoir({{.n}} ROWS) REPEATABLE (7);
CREATE TABLE cities AS SELECT lon, lat FROM {{.cities}}
{{end}}

{{/* The exact table of the UK's crimes. */}}
{{define "counted"}}
CREATE OR REPLACE TABLE counted AS SELECT floor(lon / {{.}})::BIGINT x, floor(lat / {{.}})::BIGINT y, count(*) n FROM p GROUP BY ALL;
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
-- compare: {{.n}} places
-- at: of=places; question={{.n}} places
-- as: exact table
SELECT sum(n) FROM q JOIN counted ON floor(lon / 0.001) = x AND floor(lat / 0.001) = y
-- equal: exact
SELECT sum(ccbf_get(exact, lon, lat)) FROM q, s
-- as: dense
SELECT sum(ccbf_get(dense, lon, lat)) FROM q, s
-- as: exact, first query
SELECT sum(ccbf_get(exact, lon, lat)) FROM q, s
-- compare: 1 box
-- at: of=box; question=1 box
{{template "asked boxes" "box"}}
-- compare: {{.boxes}} boxes
-- at: of=boxes; question={{.boxes}} boxes
{{template "asked boxes" "boxes"}}
-- compare: estimates of {{.few}} places
-- at: of=estimates; question=estimates of {{.few}} places
-- as: exact table
SELECT sum(n) FROM (FROM q LIMIT {{.few}}) JOIN counted ON floor(lon / 0.001) = x AND floor(lat / 0.001) = y
-- as: dense
SELECT sum((ccbf_get_estimate(dense, lon, lat)).estimate) FROM (FROM q LIMIT {{.few}}), s
{{end}}
{{define "asked boxes" -}}
-- as: exact table
SELECT coalesce(sum(n), 0) FROM counted, {{.}} WHERE x BETWEEN "left" AND "right" AND y BETWEEN bottom AND top
-- equal: exact
SELECT sum(ccbf_bbox_sum(exact, x0, y0, x1, y1)) FROM {{.}}, s
-- as: dense
SELECT sum(ccbf_bbox_sum(dense, x0, y0, x1, y1)) FROM {{.}}, s
{{- end}}

{{/* A sketch for each map tile, and one with a category of few and of many kinds for each place. */}}
{{define "places of kinds"}}
CREATE TABLE named AS SELECT lon, lat, quadkey(lon, lat, 11) AS tile, (hash(rowid, 5) % {{.kinds.few}})::INT AS few, 'c' || hash(rowid, 6) % {{.kinds.many}} AS many FROM p;
CREATE TABLE asked AS SELECT lon, lat, tile, few, many FROM named, range(1 + {{.n}} // 50000) t(i) ORDER BY hash(lon, lat, few, i) LIMIT {{.n}};
CREATE TABLE ofTiles AS SELECT tile, ccbf_agg(lon, lat, 0.001) AS s FROM named GROUP BY tile;
CREATE TABLE ofKinds AS SELECT ccbf_agg(lon, lat, 0.001, {bytes: 16000000, category: few}) AS few,
	ccbf_agg(lon, lat, 0.001, {bytes: 16000000, category: many}) AS many FROM named;
SET VARIABLE few = (SELECT few FROM ofKinds);
SET VARIABLE many = (SELECT many FROM ofKinds)
-- run
{{template "counted by" "tile"}}
-- compare: places, by tile
-- at: of=kinds; question=places, by tile; most=1.1
{{template "join by" "tile"}}
{{template "both" "SELECT sum(ccbf_get(s, lon, lat)) FROM asked JOIN ofTiles USING (tile)"}}
{{range $kind, $n := .kinds -}}
-- run
{{template "counted by" $kind}}
{{$what := printf "places, by %d categories" $n -}}
-- compare: {{$what}}
-- at: of=kinds; question={{$what}}; most=1.2
{{template "join by" $kind}}
{{template "both" (printf "SELECT sum(ccbf_get(s.%[1]s, lon, lat, q.%[1]s)) FROM asked q, ofKinds s" $kind)}}
-- compare: {{$what}}, the sketch in a variable
-- at: of=kinds; question={{$what}}, the sketch in a variable; most=1.2
{{template "join by" $kind}}
{{template "both" (printf "SELECT sum(ccbf_get(getvariable('%[1]s'), lon, lat, %[1]s)) FROM asked" $kind)}}
-- compare: {{$what}}, the sketch by LEFT JOIN
-- at: of=kinds; question={{$what}}, the sketch by LEFT JOIN; most=1.2
{{template "join by" $kind}}
{{template "both" (printf "SELECT sum(ccbf_get(s.%[1]s, lon, lat, q.%[1]s)) FROM asked q LEFT JOIN ofKinds s ON (lon IS NULL) = (s.%[1]s IS NULL)" $kind)}}
{{end}}
{{end}}
{{define "counted by" -}}
CREATE OR REPLACE TABLE countedBy AS SELECT {{.}} AS k, floor(lon / 0.001)::BIGINT x, floor(lat / 0.001)::BIGINT y, count(*) n FROM named GROUP BY ALL
{{- end}}
{{define "join by" -}}
-- as: exact table
SELECT sum(n) FROM asked JOIN countedBy ON {{.}} = k AND floor(lon / 0.001) = x AND floor(lat / 0.001) = y
{{- end}}
{{define "both" -}}
-- equal: exact
{{.}}
-- as: exact, first query
{{.}}
{{- end}}

{{/* Lookups in a dense sketch of a megabyte, beside a join with the exact table. */}}
{{define "lookups"}}
CREATE OR REPLACE TABLE made AS SELECT (hash(i, 1) % 4096)::DOUBLE x, (hash(i, 2) % 4096)::DOUBLE y FROM range(150000) t(i);
CREATE OR REPLACE TABLE s AS SELECT ccbf_agg(x, y, 1, {exact: false}) s FROM made;
CREATE OR REPLACE TABLE counted AS SELECT x, y, count(*) n FROM made GROUP BY ALL;
CREATE OR REPLACE TABLE p AS SELECT (hash(i, 3) % 4096)::DOUBLE x, (hash(i, 4) % 4096)::DOUBLE y FROM range({{.}}) t(i)
-- compare: places, few of them there, 1 thread
-- as: join
SELECT sum(n) FROM p JOIN counted USING (x, y)
-- as: dense
SELECT sum(ccbf_get(s, x, y)) FROM p, s
-- as: dense, by LEFT JOIN
SELECT sum(ccbf_get(s, x, y)) FROM p LEFT JOIN s ON (x IS NULL) = (s IS NULL)
{{end}}

{{/* A sketch and a table for each day. The UK file knows months only, so the days are drawn. */}}
{{define "daily"}}
CREATE OR REPLACE TABLE dated AS SELECT lon, lat, {{.}} AS day FROM p;
CREATE OR REPLACE TABLE days AS SELECT day, ccbf_agg(lon, lat, 0.001) s FROM dated GROUP BY day;
CREATE OR REPLACE TABLE counted AS SELECT day, floor(lon / 0.001)::BIGINT x, floor(lat / 0.001)::BIGINT y, count(*) n FROM dated GROUP BY ALL;
{{end}}

{{/* An outline of 60 corners around a place, size times 0.9 by 0.5 degrees. */}}
{{define "around" -}}
(SELECT 'POLYGON ((' || string_agg(format('{:.6f} {:.6f}', {{.lon}} + 0.45 * d * cos(a), {{.lat}} + 0.25 * d * sin(a)), ', ' ORDER BY i) || '))'
	FROM (SELECT i, radians(i % 60 * 6) AS a, {{.size}} * (0.85 + 0.15 * sin(i % 60 * 1.7)) AS d FROM range(61) t(i)))
{{- end}}

{{/* A county, and the cells whose centres lie in it: a line from there to the east crosses an odd
number of its edges. They are known before the clock starts. */}}
{{define "county over days"}}
{{template "daily" "hash(rowid) % 365"}}
CREATE TABLE county AS SELECT {{template "around" .}} g;
CREATE TABLE inside AS
	WITH corners AS (SELECT split_part(c, ' ', 1)::DOUBLE x, split_part(c, ' ', 2)::DOUBLE y, i
		FROM (SELECT unnest(string_split(g[11:-3], ', ')) c, generate_subscripts(string_split(g[11:-3], ', '), 1) i FROM county)),
	edges AS (SELECT a.x x0, a.y y0, b.x x1, b.y y1 FROM corners a JOIN corners b ON b.i = a.i + 1)
	SELECT x, y FROM (SELECT DISTINCT x, y, (x + 0.5) * 0.001 cx, (y + 0.5) * 0.001 cy FROM counted), edges
	GROUP BY x, y, cx, cy HAVING count(*) FILTER ((y0 > cy) <> (y1 > cy) AND cx < x0 + (cy - y0) * (x1 - x0) / (y1 - y0)) % 2 = 1;
CREATE TABLE bounds AS SELECT min(x) x0, max(x) x1, min(y) y0, max(y) y1 FROM inside
-- compare: county over 365 days / exact query
-- at: over=days
-- as: exact query
SELECT sum(n) FROM counted SEMI JOIN inside USING (x, y)
	WHERE x BETWEEN (SELECT x0 FROM bounds) AND (SELECT x1 FROM bounds) AND y BETWEEN (SELECT y0 FROM bounds) AND (SELECT y1 FROM bounds)
-- equal: merged
SELECT ccbf_polygon_sum(ccbf_union_agg(s), any_value(g)) FROM days, county
-- equal: one by one
SELECT sum(ccbf_polygon_sum(s, g)) FROM days, county
{{end}}

{{/* A sketch for each map tile, most of which lie elsewhere. */}}
{{define "town over tiles"}}
CREATE TABLE tiles AS SELECT quadkey(lon, lat, 11) tile, ccbf_agg(lon, lat, 0.001) s FROM p GROUP BY tile;
CREATE TABLE town AS SELECT {{template "around" .}} g, -3.125 x0, 53.325 y0, -2.675 x1, 53.575 y1;
CREATE TABLE near AS SELECT s FROM tiles, town WHERE ccbf_bbox_overlaps(s, x0, y0, x1, y1)
-- set: all
SELECT count(*) FROM tiles
-- set: near
SELECT count(*) FROM near
-- compare: town over tiles / those that matter
-- at: over=tiles
-- as: those in it
SELECT sum(ccbf_polygon_sum(s, g)) FROM near, town
-- equal: all
SELECT sum(ccbf_polygon_sum(s, g)) FROM tiles, town
-- compare: town over tiles, ccbf_bbox_overlaps / those that matter
-- at: over=tiles
-- as: those in it
SELECT sum(ccbf_polygon_sum(s, g)) FROM near, town
-- equal: those that overlap it
SELECT sum(ccbf_polygon_sum(s, g)) FROM tiles, town WHERE ccbf_bbox_overlaps(s, x0, y0, x1, y1)
{{end}}

{{/* Boxes in cells, a quarter of a cell off the edges, so that rounding cannot move them. */}}
{{define "boxes over days"}}
{{template "daily" (printf "hash(rowid, 7) %% %d" .days)}}
{{range .boxes}}{{template "box over days" .}}
{{end}}
{{end}}
{{define "box over days" -}}
{{$degrees := printf "%[1]d / 1000 + 0.00025, %[2]d / 1000 + 0.00025, %[3]d / 1000 + 0.00025, %[4]d / 1000 + 0.00025" .west .south .east .north -}}
-- compare: box of {{.name}} cells over days / exact query
-- at: box={{.name}}
-- as: exact query
SELECT coalesce(sum(n), 0) FROM counted WHERE x >= {{.west}} AND x < {{.east}} AND y >= {{.south}} AND y < {{.north}}
-- equal: one by one
SELECT sum(ccbf_bbox_sum(s, {{$degrees}})) FROM days
-- equal: merged
SELECT ccbf_bbox_sum(ccbf_union_agg(s), {{$degrees}}) FROM days
{{- end}}

{{/* One sketch whose categories are the days, exact and a tree of so many bytes: the points of a
county on each day. The reference is one sum over the county. */}}
{{define "histogram of days"}}
CREATE TABLE byDay AS SELECT ccbf_agg(lon, lat, 0.001, {bytes: 64000000, category: day}) AS exact,
	ccbf_agg(lon, lat, 0.001, {bytes: {{.}}, category: day}) AS tree FROM dated
-- compare: a county on each day / in all, exact
-- at: over=categories; form=exact
-- as: sum
SELECT ccbf_polygon_sum(exact, g) FROM byDay, county
-- equal: histogram
SELECT list_sum(list_transform(ccbf_categories(exact, g), lambda day: day.total)) FROM byDay, county
-- compare: a county on each day / in all, tree
-- at: over=categories; form=tree
-- as: sum
SELECT ccbf_polygon_sum(tree, g) FROM byDay, county
-- as: histogram
SELECT list_sum(list_transform(ccbf_categories(tree, g), lambda day: day.total)) FROM byDay, county
{{end}}
