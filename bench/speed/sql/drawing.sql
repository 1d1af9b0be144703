{{/* A sketch of all cells, as a tree of half its bytes, and dense. */}}
{{define "forms"}}
CREATE OR REPLACE TABLE whole AS SELECT ccbf_agg(lon, lat, {{.}}) AS exact FROM p;
{{template "counted" .}}
SET VARIABLE half = (SELECT octet_length(exact) // 2 FROM whole);
CREATE OR REPLACE TABLE s AS SELECT * FROM whole, (
	SELECT ccbf_agg(lon, lat, {{.}}, {bytes: getvariable('half'), overflow: 'tree'}) AS tree, ccbf_agg(lon, lat, {{.}}, {exact: false, levels: 12}) AS dense FROM p)
{{end}}
{{define "without levels"}}
CREATE OR REPLACE TABLE s AS SELECT ccbf_agg(lon, lat, {{.}}, {exact: false}) AS plain FROM p;
{{template "counted" .}}
{{end}}

{{/* The exact table's answers about the country. For a picture, one number for each pixel in which a cell's centre lies. */}}
{{define "in the country"}}FROM counted WHERE (x + 0.5) * {{.}} BETWEEN -6.5 AND 2.0 AND (y + 0.5) * {{.}} BETWEEN 49.8 AND 55.9{{end}}
{{define "pixels"}}
SELECT count(*) FROM (SELECT floor(((x + 0.5) * {{.res}} + 6.5) / 8.5 * 1024) AS i, floor((55.9 - (y + 0.5) * {{.res}}) / 6.1 * {{.height}}) AS j, sum(n) AS n
	{{template "in the country" .res}} GROUP BY i, j)
{{end}}
{{define "largest"}}SELECT count(*) FROM (SELECT x, y, n {{template "in the country" .res}} {{.which}}){{end}}

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

{{/* Check-ins in 20,000 towns of the world, of which the r-th has points by 1/r, and pickups in one
city; few at night, most in the evening. Around their centres points have a normal
distribution (Box and Muller 1958). */}}
{{define "check-ins"}}
CREATE OR REPLACE TABLE p AS
	SELECT (hash(town, 8) % 300000) / 1000 - 150 + {{normal 0.05 1}} AS lon, (hash(town, 9) % 110000) / 1000 - 50 + {{normal 0.05 3}} AS lat, hour, weekday
	FROM (SELECT i, (exp(ln(20000) * (hash(i, 7) % 1000000) / 1e6))::INTEGER AS town, {{template "hour"}}, (hash(i, 6) % 7)::INTEGER AS weekday FROM range({{.}}) t(i))
{{end}}
{{define "pickups"}}
CREATE OR REPLACE TABLE p AS
	SELECT -73.95 + (hash(i, 8) % 16) * 0.01 + {{normal 0.01 1}} AS lon, 40.66 + (hash(i, 9) % 20) * 0.01 + {{normal 0.01 3}} AS lat, hour
	FROM (SELECT i, {{template "hour"}} FROM range({{.}}) t(i))
{{end}}
{{define "hour"}}(4 + 20 * sqrt((hash(i, 5) % 100000) / 100000))::INTEGER % 24 AS hour{{end}}

{{define "cube"}}
CREATE OR REPLACE TABLE s AS SELECT {{.keys}}, ccbf_agg(lon, lat, {{.res}}, {bytes: 67108864}) AS s FROM p GROUP BY ALL
{{end}}
{{define "cube, exact"}}
CREATE OR REPLACE TABLE counted AS SELECT {{.keys}}, floor(lon / {{.res}})::INTEGER AS x, floor(lat / {{.res}})::INTEGER AS y, count(*)::INTEGER AS n FROM p GROUP BY ALL
{{end}}
{{define "in the box"}}
(x + 0.5) * {{.res}} >= {{.west}} AND (x + 0.5) * {{.res}} < {{.east}} AND (y + 0.5) * {{.res}} >= {{.south}} AND (y + 0.5) * {{.res}} < {{.north}}
{{end}}
{{define "pixels of a tile"}}
SELECT count(*) AS n FROM (SELECT floor(((x + 0.5) * {{.res}} - {{.west}}) / {{.width}} * 256) AS i, floor(({{.north}} - (y + 0.5) * {{.res}}) / {{.height}} * 256) AS j, sum(n) AS n
	FROM counted WHERE {{.within}} GROUP BY i, j)
{{end}}
