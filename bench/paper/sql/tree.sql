{{/* One row for each structure and kind of query: the bytes of the exact form, the share of them that the structure may take, its
size, and the mean error, which is NULL if the query is refused. */}}
{{define "maps"}}
CREATE TABLE maps (points VARCHAR, share VARCHAR, bytes VARCHAR, structure VARCHAR, size BIGINT, question VARCHAR, error DOUBLE)
{{end}}
{{/* Each error relative to the least of all structures. */}}
{{define "map errors"}}
SELECT *, ln(ratio) AS log FROM (SELECT *, (error + {{.}}) / (min(error) OVER (PARTITION BY points, share, question) + {{.}}) AS ratio, rowid AS "row" FROM maps)
ORDER BY "row"
{{end}}
{{/* The regret is the geometric mean of these ratios. Cells, boxes, polygons and pictures have a quarter each, divided evenly
among their kinds. */}}
{{define "map regrets"}}
SELECT points, share, bytes, structure, exp(mean) AS regret, mean AS "log regret" FROM (
	SELECT points, share, bytes, structure, sum(log / kinds) / sum(1 / kinds) FILTER (log IS NOT NULL) AS mean, min("row") AS "row" FROM (
		SELECT *, count(*) OVER (PARTITION BY points, share, structure, regexp_extract(question, 'boxes|polygons|pictures')) AS kinds FROM ({{template "map errors" .}}))
	GROUP BY ALL) ORDER BY "row"
{{end}}
