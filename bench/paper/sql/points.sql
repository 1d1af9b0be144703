{{/* The cells of points (lon, lat), each with the number of points. */}}
{{define "places"}}
SELECT floor({{.x}})::BIGINT AS x, floor({{.y}})::BIGINT AS y, {{.category}} AS category, count(*)
FROM {{.file}} WHERE {{.where}} GROUP BY ALL ORDER BY category, y, x
{{end}}
{{/* The cells of places of COVID-19, so many from pole to pole and around the equator, with a
thousandth of all cases until each date, rounded down. Places with equal coordinates are one. */}}
{{define "covid"}}
WITH raw AS MATERIALIZED (FROM {{.file}}){{range $i, $date := .dates}}{{if $i}} UNION ALL{{end}}
SELECT floor((Lon + 180) / 360 * {{$.side}})::BIGINT AS x, floor((Lat + 90) / 180 * {{$.side}})::BIGINT AS y,
	'{{$i}}' AS date, floor(sum("{{$date}}") * 0.001)::UBIGINT FROM raw WHERE Lat IS NOT NULL AND Lon IS NOT NULL GROUP BY Lat, Lon
{{- end}} ORDER BY date, y, x
{{end}}
