{{/* A sketch of all cells, as a tree of half its bytes, and dense. For a picture the exact table
answers with one number for each pixel in which a cell's centre lies. In a city cells are larger
than pixels. Promised are milliseconds, and of exact sketches a part of the table's time. */}}
{{define "drawings"}}
CREATE OR REPLACE TABLE whole AS SELECT ccbf_agg(lon, lat, {{.res}}) AS exact FROM p;
{{template "counted" .res}}
SET VARIABLE half = (SELECT octet_length(exact) // 2 FROM whole);
CREATE OR REPLACE TABLE s AS SELECT * FROM whole, (
	SELECT ccbf_agg(lon, lat, {{.res}}, {bytes: getvariable('half'), overflow: 'tree'}) AS tree, ccbf_agg(lon, lat, {{.res}}, {exact: false, levels: 12}) AS dense FROM p)
-- compare: cells of {{.threshold}} points or more, cells of {{.res}}
-- at: cells='{{.res}}'; question=cells of {{.threshold}} points or more; drawing=0; limit=50.0; most=1.1
-- as: exact table
SELECT count(*) FROM (SELECT x, y, n FROM counted {{template "in the country" .res}} AND n >= {{.threshold}} ORDER BY n DESC)
{{range forms -}}
-- {{if eq . "exact"}}equal{{else}}as{{end}}: {{.}}
SELECT len(ccbf_hotspots({{.}}, {{template "country"}}, {{$.threshold}})) FROM s
{{end -}}
-- compare: the 100 largest cells, cells of {{.res}}
-- at: cells='{{.res}}'; question=the 100 largest cells; drawing=1; limit=50.0
-- as: exact table
SELECT count(*) FROM (SELECT x, y, n FROM counted {{template "in the country" .res}} ORDER BY n DESC LIMIT 100)
{{range forms -}}
-- as: {{.}}
SELECT len(ccbf_top_k({{.}}, {{template "country"}}, 100)) FROM s
{{end -}}
-- compare: raster of 1024 x 768, cells of {{.res}}
-- at: cells='{{.res}}'; question=raster of 1024 x 768; drawing=2; most=1.0
-- as: exact table
{{template "pixels" (list .res 768)}}
{{range forms -}}
-- as: {{.}}
SELECT len(ccbf_raster({{.}}, {{template "country"}}, 1024, 768)) FROM s
{{end -}}
-- compare: PNG of 1024 x 1024, cells of {{.res}}
-- at: cells='{{.res}}'; question=PNG of 1024 x 1024; drawing=3; limit=150.0; most=1.3
-- as: exact table
{{template "pixels" (list .res 1024)}}
{{range forms -}}
-- as: {{.}}
SELECT octet_length(ccbf_png({{.}}, {{template "country"}}, 1024, 1024)) FROM s
{{end -}}
-- compare: PNG of 1024 x 1024, a city, cells of {{.res}}
-- at: cells='{{.res}}'; question=PNG of 1024 x 1024, a city; drawing=4; limit=150.0
-- as: exact table
{{template "pixels" (list .res 1024)}}
{{range forms -}}
-- as: {{.}}
SELECT octet_length(ccbf_png({{.}}, -0.15, 51.49, -0.09, 51.53, 1024, 1024)) FROM s
{{end}}
{{end}}
{{define "drawing without levels"}}
CREATE OR REPLACE TABLE s AS SELECT ccbf_agg(lon, lat, {{.}}, {exact: false}) AS plain FROM p;
{{template "counted" .}}
-- compare: raster of 1024 x 768, cells of {{.}}, counters without levels
-- at: plain=true
-- as: exact table
{{template "pixels" (list . 768)}}
-- as: dense
SELECT len(ccbf_raster(plain, {{template "country"}}, 1024, 768)) FROM s
{{end}}
{{define "country"}}-6.5, 49.8, 2.0, 55.9{{end}}
{{define "in the country"}}WHERE (x + 0.5) * {{.}} BETWEEN -6.5 AND 2.0 AND (y + 0.5) * {{.}} BETWEEN 49.8 AND 55.9{{end}}
{{define "pixels" -}}{{$res := index . 0 -}}
SELECT count(*) FROM (SELECT floor(((x + 0.5) * {{$res}} + 6.5) / 8.5 * 1024) AS i, floor((55.9 - (y + 0.5) * {{$res}}) / 6.1 * {{index . 1}}) AS j, sum(n) AS n
	FROM counted {{template "in the country" $res}} GROUP BY i, j)
{{- end}}

{{/* Up to 2,000 sketches of tiles, of points in towns of a thousand. */}}
{{define "map"}}
CREATE TABLE tiles AS SELECT *, (hash(x, y, 1) % 5)::INTEGER AS month, ['a', 'b', 'c', 'd'][1 + (hash(x, y, 2) % 4)::INTEGER] AS kind, hash(x, y, 3) % 10 > 0 AS solved
	FROM (SELECT (lon * 5)::INTEGER AS x, (lat * 8)::INTEGER AS y, ccbf_agg(lon, lat, 0.001) AS s
		FROM (SELECT (hash(i // 1000) % 10000) / 1000 - 5 + (hash(i, 1) % 100000 + hash(i, 2) % 100000) / 1e6 AS lon,
			(hash(i // 1000, 3) % 5000) / 1000 + 50 + (hash(i, 4) % 60000 + hash(i, 5) % 60000) / 1e6 AS lat FROM range({{.}}) t(i))
		GROUP BY x, y)
	ORDER BY hash(x, y) LIMIT 2000
{{end}}
{{define "tile"}}
SELECT octet_length(ccbf_png(ccbf_union_agg(s), {{.}}, 256, 256)) FROM tiles WHERE ccbf_bbox_overlaps(s, {{.}})
{{end}}
