{{/* Random queries, with their choices in the templates. The columns n and bad of a query's only row are
the number of checked rows, and the number of wrong ones. */}}

{{/* Settings that lead DuckDB to different plans. */}}
{{define "settings"}}
SET threads = {{.Threads}}
{{if .Limited}}SET memory_limit = '60MB'{{end}}
{{if .Chance 4}}SET debug_force_external = true{{end}}
{{if .Chance 3}}{{/* in DuckDB 1.5.5, count(*) OVER () is 0 with combine */ -}}
    SET debug_window_mode = '{{.One "combine" "separate"}}'{{end}}
{{if .Chance 3}}SET debug_verify_vector = '{{.One "dictionary_expression" "dictionary_operator" "constant_operator" "sequence_operator" "nested_shuffle"}}'{{end}}
{{if .Chance 3}}SET preserve_insertion_order = false{{end}}
{{if .Chance 3}}SET perfect_ht_threshold = 0{{end}}
{{if .Chance 3}}SET ordered_aggregate_threshold = {{.One "1" "16" "100"}}{{end}}
{{if .Chance 3}}SET disabled_optimizers = '{{.One "window_self_join" "common_subexpressions,common_aggregate"
    "statistics_propagation,compressed_materialization" "filter_pushdown,filter_pullup" "column_lifetime,unused_columns"
    "materialized_cte,cte_inlining" "deliminator,unnest_rewriter" "top_n_window_elimination,top_n,late_materialization"}}'{{end}}
{{end}}

{{/* The columns of a table have many types, and NULLs. Hashes take the place of random numbers, so that SQL alone
can create it again. */}}
{{define "table"}}
{{- $order := .One "" "" " ORDER BY g" " ORDER BY s, i" " ORDER BY hash(i)"}}{{$salt := .Between 0 1000000 -}}
CREATE OR REPLACE TABLE t{{.Number}} AS SELECT * FROM (SELECT i, if(hash(i, 1, {{$salt}}) % 13 = 0, NULL, hash(i, 1, {{$salt}}) % {{.Between 2 12}})::INT AS g,
  (hash(i, 2, {{$salt}}) % 5)::INT AS h,
  if(hash(i, 3, {{$salt}}) % 17 = 0, NULL, ((hash(i, 3, {{$salt}}) % 20) * (hash(i, 4, {{$salt}}) % 5))::DOUBLE / 4 - 5) AS x,
  if(hash(i, 5, {{$salt}}) % 19 = 0, NULL, (hash(i, 5, {{$salt}}) % 30)::DOUBLE / 2 - 4) AS y,
  if(hash(i, 6, {{$salt}}) % 11 = 0, NULL, ((hash(i, 6, {{$salt}}) % 7) * (hash(i, 7, {{$salt}}) % 7)))::BIGINT AS k,
  k / 4 + 0.25 AS d, k > 5 AS b, DATE '2024-01-01' + k::INT AS day, (k / 4)::DECIMAL(9, 2) AS m,
  if(hash(i, 8, {{$salt}}) % 9 = 0, NULL, 'a key, sometimes a long one'[:3 + 2 * (hash(i, 8, {{$salt}}) % 12)::INT]) AS s,
  if(hash(i, 9, {{$salt}}) % 10 = 0, NULL, hash(i, 9, {{$salt}}) % 4)::INT AS w,
  ['a', 'b', 'c', NULL][1 + (hash(i, 10, {{$salt}}) % 4)::INT] AS c
  FROM range({{.Rows}}) t(i)){{$order}}
{{end}}

{{/* Sums over boxes, polygons, rasters and places of sketches per group, compared with the rows themselves. */}}
{{define "areas"}}
{{- $r := .One "1" "0.5" "2" "0.1" "3.0"}}{{$west := .Between -8 10}}{{$south := .Between -8 10}}
{{- $table := .One "t0" "t0" "t1"}}{{$key := .One "g" "h" "i % 3" "c" "1"}}
{{- /* The edges end in .03, so that none passes through the centre of a cell. */}}
{{- $xmin := printf "%d.03" $west}}{{$xmax := printf "%d.03" (add $west (.Between 1 12))}}
{{- $ymin := printf "%d.03" $south}}{{$ymax := printf "%d.03" (add $south (.Between 1 12))}}
{{- $box := printf "%s, %s, %s, %s" $xmin $ymin $xmax $ymax}}
{{- $options := .One "" "" ", {bytes: 100000}" ", {bytes: 400}" ", {exact: false, bytes: 3000}" ", {exact: false, bytes: 5000, levels: 3}" ", {exact: false, mode: 'standard', bytes: 2000}"}}
{{- /* off finds wrong rows: the result is below the truth m, or another. */}}
{{- $off := "<"}}{{if or (eq $options "") (eq $options ", {bytes: 100000}")}}{{$off = "IS DISTINCT FROM"}}{{end}}
{{- $ask := .One (printf "ccbf_bbox_sum(s, %s)" $box)
    (printf "ccbf_polygon_sum(s, 'POLYGON ((%[1]s %[2]s, %[3]s %[2]s, %[3]s %[4]s, %[1]s %[4]s, %[1]s %[2]s))')" $xmin $ymin $xmax $ymax)
    (printf "list_sum(ccbf_raster(s, %s, 3, 4))" $box)
    (printf "coalesce(list_sum(list_transform(ccbf_hotspots(s, %s, 1), lambda o: o.count)), 0)" $box)
    (printf "coalesce(list_sum(list_transform(ccbf_top_k(s, %s, 100000), lambda o: o.count)), 0)" $box)}}
{{- $rows := printf "(SELECT x, y, %s AS key, (floor(x / %[2]s) + 0.5) * %[2]s AS cx, (floor(y / %[2]s) + 0.5) * %[2]s AS cy FROM %[3]s)" $key $r $table}}
{{- if .Chance 2 -}}
{{- /* Each point is looked up in the sketch of its group. After a join, BLOBs arrive as dictionary vectors. */ -}}
SELECT count(*) AS n, count(*) FILTER (n {{$off}} m OR NOT there) AS bad FROM (
  SELECT ccbf_get(s, x, y)::BIGINT AS n, ccbf_contains(s, x, y) AS there, sum(1) OVER (PARTITION BY p.key, cx, cy) AS m, x
  FROM {{$rows}} p JOIN (SELECT key, ccbf_agg(x, y, {{$r}}{{$options}}) AS s FROM {{$rows}} GROUP BY key) q ON p.key IS NOT DISTINCT FROM q.key
  WHERE x IS NOT NULL AND y IS NOT NULL){{.One "" " WHERE x > 1" " WHERE hash(x) % 3 > 0"}}
{{- else -}}
SELECT count(*) AS n, count(*) FILTER (coalesce({{$ask}}, 0)::BIGINT {{$off}} m) AS bad FROM (
  SELECT key, ccbf_agg(x, y, {{$r}}{{$options}}) AS s, count(*) FILTER (cx >= {{$xmin}} AND cx < {{$xmax}} AND cy >= {{$ymin}} AND cy < {{$ymax}}) AS m FROM {{$rows}} GROUP BY key)
{{- end}}{{end}}

{{/* Unions of parts a and b, and the whole w minus a part, compared with each other and with the keys. */}}
{{define "sets"}}
{{- $t := .One "t0" "t0" "t1"}}{{$m := .Between 2 5}}{{$by := .One "" " GROUP BY g" " GROUP BY h, b" " GROUP BY ROLLUP (g, h)"}}
{{- $key := .One "k" "s" "day" "m"}}
{{- $call := printf "ccbf_agg(x, y, 1%s)" (.One "" ", {bytes: 100000}" ", {exact: false, mode: 'standard', bytes: 3000}")}}
{{- $cms := printf "cms_agg(%s, {width: %d})" $key (.Between 5 50)}}
{{- $bloom := printf "bloom_agg(%s, {capacity: 60%s})" $key (.One "" ", variant: 'rational'")}}
{{- $sbf := printf "sbf_agg(%s, {capacity: 60})" $key}}
{{- $form := .IntN 7}}
{{- if eq $form 6}}{{/* one by one in a recursive query */ -}}
{{- $options := .One "" ", {exact: false, mode: 'standard', bytes: 500}" ", {exact: false, bytes: 900}" -}}
WITH RECURSIVE rows AS (SELECT row_number() OVER (ORDER BY i) AS j, x, y FROM (FROM {{$t}} WHERE x IS NOT NULL AND y IS NOT NULL ORDER BY i LIMIT 40)),
r(j, s) AS (SELECT 0::BIGINT, ccbf_empty(1{{$options}}) UNION ALL SELECT rows.j, ccbf_add(r.s, rows.x, rows.y) FROM r JOIN rows ON rows.j = r.j + 1)
SELECT count(*) AS n, count(*) FILTER ((SELECT count(*) FROM rows) > 0 AND r.s IS DISTINCT FROM (SELECT ccbf_agg(x, y, 1{{$options}} ORDER BY j) FROM rows)) AS bad
FROM (SELECT arg_max(s, j) AS s, max(j) AS j FROM r) r
{{- else}}
{{- $wrong := ""}}
{{- if eq $form 0}}{{$wrong = "ccbf_union(a, b) IS DISTINCT FROM w OR ccbf_union(b, a) IS DISTINCT FROM w"}}
{{- else if eq $form 1}}{{$wrong = "a IS NOT NULL AND b IS NOT NULL AND (ccbf_total(ccbf_subtract(w, a)) IS DISTINCT FROM ccbf_total(b) OR (ccbf_info(a)).exact AND ccbf_subtract(w, b) IS DISTINCT FROM a)"}}
{{- else if eq $form 2}}{{$call = $cms}}{{$wrong = "cms_union(a, b) IS DISTINCT FROM w OR cms_union(b, a) IS DISTINCT FROM w"}}
{{- else if eq $form 3}}{{$call = $bloom}}{{$wrong = "bloom_union(a, b) IS DISTINCT FROM w OR list_bool_or(list_transform(list_distinct(list_intersect(ka, kb)), lambda z: NOT bloom_contains(bloom_intersect(a, b), z)))"}}
{{- else if eq $form 4}}{{$call = $sbf}}{{$wrong = "sbf_union(a, b) IS DISTINCT FROM w OR coalesce(list_bool_or(list_transform(hist(ka), lambda e: sbf_get(sbf_join(a, b), e.key) < e.value * len(list_filter(kb, lambda z: z = e.key)))), false)"}}
{{- else}}{{$call = $cms}}{{$wrong = "cms_join_size(a, b) < list_sum(list_transform(hist(ka), lambda e: e.value * len(list_filter(kb, lambda z: z = e.key))))"}}
{{- end -}}
SELECT count(*) AS n, count(*) FILTER ({{$wrong}}) AS bad FROM (
  SELECT {{$call}} FILTER (i % {{$m}} = 0) AS a, {{$call}} FILTER (i % {{$m}} > 0) AS b, {{$call}} AS w,
    coalesce(list({{$key}}) FILTER (i % {{$m}} = 0 AND {{$key}} IS NOT NULL), []) AS ka, coalesce(list({{$key}}) FILTER (i % {{$m}} > 0 AND {{$key}} IS NOT NULL), []) AS kb
  FROM {{$t}}{{$by}})
{{- end}}{{end}}

{{/* Sketches in conditions of joins and filters, and stored in tables in between. */}}
{{define "joins"}}
{{- $t := .One "t0" "t1" "t2" "t3"}}{{$u := .One "t0" "t1"}}{{$key := .One "k" "s" "day" "m" "h"}}{{$form := .IntN 5}}
{{- if eq $form 0 -}}
SELECT count(*) AS n, count(*) FILTER (NOT bloom_contains(f, {{$key}})) AS bad
FROM {{$t}}, (SELECT bloom_agg({{$key}}, {capacity: 100{{.One "" ", variant: 'blocks'"}}}) AS f FROM {{$u}}) WHERE {{$key}} IN (SELECT {{$key}} FROM {{$u}})
{{- else if eq $form 1 -}}
SELECT count(*) AS n, (SELECT count(*) FROM {{$t}} SEMI JOIN {{$u}} USING ({{$key}})) - count(*) FILTER ({{$key}} IN (SELECT {{$key}} FROM {{$u}})) AS bad
FROM {{$t}} WHERE cbf_contains((SELECT cbf_agg({{$key}}, {capacity: 100, counter_bits: 16}) FROM {{$u}}), {{$key}})
{{- else if eq $form 2 -}}
SELECT count(*) AS n, count(*) FILTER (NOT cuckoo_contains(f, {{$key}})) AS bad
FROM {{$t}} a JOIN (SELECT h AS oh, cuckoo_agg({{$key}}, {capacity: 200}) AS f FROM {{$t}} GROUP BY h) q ON a.h = q.oh WHERE a.{{$key}} IS NOT NULL
{{- else if eq $form 3}}{{/* the smallest count of all existing parts */ -}}
SELECT count(*) AS n, count(*) FILTER (have IS DISTINCT FROM want) AS bad FROM (
  SELECT coalesce((SELECT list_sort(list_transform(ccbf_hotspots(s, -1e6, -1e6, 1e6, 1e6, 1), lambda o: {x: floor(o.x / 4)::BIGINT, y: floor(o.y / 4)::BIGINT, n: o.count::BIGINT}))
      FROM (SELECT ccbf_intersect_agg(s) AS s FROM (SELECT h, ccbf_agg(x, y, 4) AS s FROM {{$t}} GROUP BY h))), []) AS have,
    (SELECT coalesce(list({x: x, y: y, n: n} ORDER BY x, y), []) FROM (SELECT x, y, min(n) AS n
      FROM (SELECT h, floor(x / 4)::BIGINT AS x, floor(y / 4)::BIGINT AS y, count(*) AS n FROM {{$t}} WHERE x IS NOT NULL AND y IS NOT NULL GROUP BY ALL)
      GROUP BY x, y HAVING count(*) = (SELECT count(DISTINCT h) FROM {{$t}} WHERE x IS NOT NULL AND y IS NOT NULL))) AS want)
{{- else -}}
WITH q AS MATERIALIZED (SELECT g, h, ccbf_agg(x, y, 0.5) AS s, count(*) FILTER (x IS NOT NULL AND y IS NOT NULL) AS n FROM {{$t}} GROUP BY CUBE (g, h)),
r AS (SELECT g, ccbf_union_agg(s) AS s, sum(n) AS n FROM q WHERE h IS NOT NULL GROUP BY g)
SELECT count(*) AS n, count(*) FILTER (coalesce(ccbf_total(s), 0) <> n) AS bad
FROM (SELECT s, n FROM q UNION ALL SELECT s, n FROM r UNION ALL SELECT a.s, a.n FROM q a JOIN r b ON a.g = b.g AND a.s <> b.s)
{{- end}}{{end}}

{{/* A query that exceeds the memory of a limited database: DuckDB writes rows, sorted or partitioned, to temporary
files and reads them again. The last form is for windows. */}}
{{define "large"}}
{{- $rows := .Between 700000 800000}}{{$text := "'some text that takes room and more of it and more ' || i"}}{{$form := .IntN 3}}
{{- if and (eq $form 2) .Windows -}}
SELECT count(z) AS n, count(*) FILTER ((cms_info(s)).total <> m OR z IS NULL) AS bad FROM (
  SELECT cms_agg(x, {width: 8, depth: 2}) OVER w AS s, sum(1) OVER w AS m, z FROM (SELECT i, hash(i) % 100 AS x, {{$text}} AS z FROM range({{$rows}}) t(i))
  WINDOW w AS (PARTITION BY i % 50000 ORDER BY i ROWS 3 PRECEDING))
{{- else if eq $form 1}}{{/* many groups, and their sketches in another order */ -}}
SELECT count(*) AS n, count(*) FILTER (ccbf_total(s) <> m OR z IS NULL) AS bad FROM (
  SELECT s, m, z FROM (SELECT ccbf_agg(i, i % 5, 1) AS s, count(*) AS m, min({{$text}}) AS z FROM range({{$rows}}) t(i) GROUP BY i // 3) ORDER BY hash(s) LIMIT 100000000)
{{- else}}{{/* rows in another order */ -}}
SELECT count(*) AS n, count(*) FILTER (ccbf_total(s) <> m) AS bad FROM (
  SELECT ccbf_agg(x, y, 1) AS s, count(*) AS m FROM (SELECT i, hash(i) % 1000 AS x, i % 7 AS y, {{$text}} AS z FROM range({{$rows}}) t(i) ORDER BY hash(i) LIMIT 100000000) WHERE z > 'a' GROUP BY i % 100)
{{- end}}{{end}}

{{/* A query that returns an error, which must not affect later queries on the same connection. The first row exists in
every table except t3. */}}
{{define "errors"}}SELECT {{.Call}} FROM {{.One "t0" "t1" "t2"}}{{.One "" " GROUP BY h" " GROUP BY i" " GROUP BY ROLLUP (g, h)"}}{{end}}

{{/* Options of the sketches of a family, for keys with so many values. */}}
{{define "cms"}}
{{- .One (printf "width: %d" (.Between 4 60)) "epsilon: 0.05, delta: 0.1" "width: 30, depth: 1" (printf "width: 7, depth: %d" (.Between 2 9))}}
{{- if .Chance 3}}, conservative: true{{end}}{{end}}

{{define "sbf"}}{{$method := .One "ms" "ms" "ms" "mi" "rm" "trm"}}{{template "capacity" .}}, method: '{{$method}}'
{{- if and .Integer (le .Distinct 45) (or (eq $method "ms") (eq $method "mi")) (.Chance 4)}}, range: {lo: -10, hi: 60}{{end}}
{{- if .Chance 2}}, encoding: '{{.One "plain" "elias" "steps" "index"}}'{{end}}{{end}}

{{define "bloom"}}{{template "capacity" .}}, fpp: {{.One "0.01" "0.2" "1e-6"}}{{if .Chance 2}}, variant: '{{.One "rational" "blocks"}}'{{end}}{{end}}

{{define "cbf"}}{{template "capacity" .}}, counter_bits: {{.One "8" "16"}}, variant: '{{.One "plain" "increment" "tandem"}}'
{{- if .Chance 4}}, variable_length: true{{end}}{{end}}

{{define "cuckoo"}}capacity: {{add 100 (add .Distinct .Distinct)}}, {{.One "fingerprint_bits: 12" "fingerprint_bits: 7" "variant: 'tagged'" "slots: 2, variable_length: true"}}{{end}}

{{define "capacity"}}capacity: {{add .Distinct (.Between 1 200)}}{{end}}

{{/* Options of sketches of points: of exact ones, and of counters or a tree, at once or when the cells do not fit. */}}
{{define "exact"}}bytes: {{.One "65536" "1048576" "200000"}}{{if .Chance 4}}, k: {{.Between 1 6}}{{end}}{{end}}

{{define "counters or tree"}}{{$mode := .One "mi" "standard" "standard" "overflow"}}
{{- if eq $mode "overflow"}}bytes: {{.One "400" "600" "2000"}}, overflow: '{{.One "tree" "counters"}}'
{{- else}}exact: false, mode: '{{$mode}}', bytes: {{.One "500" "4000" "20000"}}, k: {{.Between 1 6}}{{if .Chance 4}}, levels: {{.Between 1 4}}{{end}}
{{- end}}{{end}}

{{/* What aggregates read, in which @ stands for a table. */}}
{{define "source"}}
{{- .One "@"
    "@"
    "@"
    "@"
    "(SELECT * FROM @ WHERE i % 3 <> 1)"
    "(SELECT * FROM @ UNION ALL SELECT * FROM @)"
    "(SELECT a.* FROM @ a JOIN (VALUES (0), (1), (2), (2)) b(j) ON a.h = b.j)"
    "(SELECT a.* FROM @ a LEFT JOIN (SELECT DISTINCT k FROM @) b ON a.k = b.k)"
    "(SELECT a.* REPLACE (b.x AS x, b.s AS s) FROM @ a LEFT JOIN @ b ON a.i = b.i + 3)"
    "(SELECT * REPLACE (3.5 AS x, 'all the same' AS s) FROM @)"
    "(SELECT * REPLACE (nullif(x, x) AS x, nullif(k, k) AS k) FROM @)"
    "(SELECT * FROM @ ORDER BY hash(i) LIMIT 50)"
    "(SELECT * FROM @ WHERE i < 0)"
    "(SELECT * FROM @ SEMI JOIN (SELECT 2 AS h UNION SELECT 3) USING (h))"
    "(SELECT a.* FROM @ a, range(2))"
    "(WITH q AS MATERIALIZED (FROM @) SELECT * FROM q WHERE h < 3 UNION ALL SELECT * FROM q WHERE h >= 2)"
    "(SELECT unnest(list(z ORDER BY i), recursive := true) FROM @ z)"
    "(SELECT * REPLACE (TRY(x / 1) AS x, if(b, k, NULL) AS k) FROM @)"
    "(SELECT * FROM @ WHERE x > (SELECT avg(x) FROM @))"}}{{end}}

{{/* What is asked of their results, in which @ stands for their query. */}}
{{define "wrap"}}
{{- .One "@" "@" "@" "@"
    "(FROM @ ORDER BY hash(s0), octet_length(s0))"
    "(WITH q AS MATERIALIZED (FROM @) FROM q UNION ALL FROM q)"
    "(SELECT q.* FROM @ q JOIN range(2) ON true)"
    "(SELECT q.* FROM @ q LEFT JOIN (VALUES (1), (2)) v(j) ON octet_length(q.s0) % 3 = v.j)"
    "(SELECT q.* FROM (SELECT unnest(list(q)) AS q FROM @ q))"
    "(SELECT * FROM @ WHERE octet_length(s0) % 5 <> 0)"
    "(SELECT * REPLACE (s0 || ''::BLOB AS s0) FROM @)"}}{{end}}

{{define "window"}}
{{- .One "" "" "PARTITION BY g" "PARTITION BY h" "PARTITION BY g, h" "PARTITION BY i" "PARTITION BY i // 3"}}
{{- if not (.Chance 4)}}
{{- $order := .One "i" "i" "i DESC" "i // 3" "h, i" "hash(i)" "g NULLS FIRST, i"}}
{{- $unit := .One "ROWS" "ROWS" "GROUPS" "RANGE"}}{{if eq $unit "RANGE"}}{{$order = .One "i" "i DESC" "h"}}{{end}} ORDER BY {{$order}}
{{- $start := .Between 0 12}}{{/* without a frame: up to the last peer of the current row */}}
{{- with .One "" "UNBOUNDED PRECEDING AND CURRENT ROW" "CURRENT ROW AND UNBOUNDED FOLLOWING" "UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
    (printf "%d PRECEDING AND %d FOLLOWING" $start (.Between 0 12)) (printf "%d FOLLOWING AND %d FOLLOWING" $start (add $start (.Between 0 9)))}} {{$unit}} BETWEEN {{.}}
{{- $.One "" "" "" " EXCLUDE CURRENT ROW" " EXCLUDE GROUP" " EXCLUDE TIES"}}{{end}}
{{- end}}{{end}}

{{/* A query of aggregates: sketches s0, s1, ... beside lists l0, l1, ... of what they must have, of which v0, ... are
the entries that count, and c0, ... the keys or cells. */}}
{{define "aggregates"}}SELECT count(*) AS n
{{- range $i, $it := .Items}},
  count(*) FILTER (CASE WHEN len(v{{$i}}) = 0 THEN s{{$i}} IS NOT NULL ELSE NOT coalesce(sketch_is_valid(s{{$i}}), false) OR {{.Wrong $i}}
    {{- if and $.Check .Again}} OR s{{$i}} IS DISTINCT FROM (SELECT {{.Again}} FROM (SELECT unnest(v{{$i}}) AS p)){{end}} END) AS bad{{$i}}{{end}}
FROM (SELECT *
{{- range $i, $it := .Items}}, {{if .Weighted}}coalesce(flatten({{end}}list_transform(v{{$i}}, lambda p: {{.Each}}){{if .Weighted}}), []){{end}} AS c{{$i}}{{end}}
FROM (SELECT *
{{- range $i, $it := .Items}}, list_filter(coalesce({{if $.Parts}}flatten(list_filter(l{{$i}}, lambda p: p IS NOT NULL)){{else}}l{{$i}}{{end}}, []), lambda p: {{.Valid}}) AS v{{$i}}{{end}}
FROM {{.Wrapped}})){{end}}

{{define "inner"}}
{{- if eq .Shape "correlated" -}}
SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}r.{{.Name}} AS {{.Name}}{{end}}
FROM (SELECT (SELECT { {{- range $i, $c := .Columns}}{{if $i}}, {{end}}{{.Name}}: {{.Call}}{{end -}} } FROM {{template "from" .}} e WHERE e.h = o.oh) AS r
  FROM (SELECT DISTINCT h AS oh FROM {{.Table}}) o)
{{- else if eq .Shape "lateral" -}}
SELECT q.* FROM (SELECT DISTINCT h AS oh FROM {{.Table}}) o, LATERAL (SELECT {{template "columns" .}} FROM {{template "from" .}} e WHERE e.h <= o.oh) q
{{- else if eq .Shape "window" -}}
SELECT {{template "columns" .}} FROM {{template "from" .}}{{with .Having}} QUALIFY {{.}}{{end}}
{{- else -}}
SELECT {{range $i, $key := .Keys}}{{.}} AS key{{$i}}, {{end}}{{template "columns" .}} FROM {{template "from" .}}
{{- if .Keys}} GROUP BY {{template "keys" .}}{{end}}{{with .Having}} HAVING {{.}}{{end}}{{with .Sorted}} ORDER BY {{.}}{{end}}
{{- end}}{{with .Limit}} LIMIT {{.}}{{end}}{{end}}

{{define "columns"}}{{range $i, $c := .Columns}}{{if $i}}, {{end}}{{.Call}} AS {{.Name}}{{end}}{{end}}

{{define "keys"}}{{$all := join .Keys ", "}}
{{- if eq .Sets "SETS"}}GROUPING SETS (({{$all}}), ({{index .Keys 0}}), ({{.Last}}), ())
{{- else if .Sets}}{{.Sets}} ({{$all}}){{else}}{{$all}}{{end}}{{end}}

{{/* Sketches of parts are united. STRUCTs of windows are columns of a subquery. A call must not build its STRUCT
itself: if it has the same value in many rows, DuckDB (1.5.5) passes garbage in place of its members to a window's
aggregate. Its own list gets garbage too:

    SELECT list({x: 2.5, y: i}) OVER (PARTITION BY i // 3 ORDER BY i
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM range(57) t(i) */}}
{{define "from"}}
{{- if .Parts}}(SELECT g, h, min(i) AS i, {{template "columns" .Plain}} FROM {{.Read}} GROUP BY g, h, {{.Parts}})
{{- else if eq .Shape "window"}}(SELECT *{{range $i, $it := .Items}}, {{.Truth}} AS r{{$i}}{{with .Options}}, {{.}} AS o{{$i}}{{end}}{{end}} FROM {{.Read}})
{{- else}}{{.Read}}{{end}}{{end}}
