{{/* Parts of random queries, with their choices. */}}

{{define "table" -}}
CREATE OR REPLACE TEMP TABLE points AS SELECT *, {{.Structure 3}} AS k,
  {{.One "{width: 30 + coalesce(g, 0), weight: w}" "{width: 30, weight: nullif(w, 2)}" "{depth: 2, width: coalesce(g, 7) + 9}"}} AS o, {bytes: 60000 + 10 * coalesce(g, 0), weight: w} AS p
FROM (SELECT i, {{template "groups" .}} AS g, {{template "groups" .}} AS h, hash(i) % 20 AS x, hash(i, 1) % 20 AS y, (1 + hash(i, 2) % 4)::BIGINT AS w,
    if(hash(i, 3) % 9 = 0, NULL, 'category number ' || hash(i, 3) % 3) AS c, 'k' || hash(i, 4) % 30 AS s,
    DATE '2024-01-01' + (hash(i, 5) % 40)::INTEGER AS day FROM range({{.Rows}}) t(i))
{{- end}}

{{define "groups"}}{{$n := .Uneven 300}}{{$form := .IntN 5}}
{{- if eq $form 0}}i // {{parts .Rows $n}}
{{- else if eq $form 1}}nullif(i % {{$n}}, 1)
{{- else if eq $form 2}}(hash(i, 9) % {{$n}})::BIGINT
{{- else}}i % {{$n}}{{end}}{{end}}

{{/* A STRUCT of 1 to 4 fields. The first can be a STRUCT with fewer levels. A constant has the same value in all rows,
the value of a column depends on the row. */}}
{{define "structure"}}{{$v := .}}{
{{- range $j := .Between 1 4}}{{if $j}}, {{end}}f{{$j}}: {{$f := $v.Column}}{{if $v.Chance 2}}{{$f = $v.Constant}}{{end}}
{{- if and (eq $j 0) (gt $v.Levels 1) ($v.Chance 3)}}
{{- $f = $v.One "{p: 1, q: 'a constant in a constant'}" "NULL::STRUCT(p INTEGER, q VARCHAR)" "if(i % 5 = 0, NULL, {p: x, q: 2})" $v.Inner $v.Inner}}{{end}}
{{- $f}}{{end -}} }{{end}}

{{define "constant"}}{{.One "7" "'short'" "'a text that is kept elsewhere'" "NULL::INTEGER" "NULL::VARCHAR" "2.5::DOUBLE" "true" "DATE '2024-02-29'"
    "170141183460469231731687303715884105727::HUGEINT" "3.25::DECIMAL(18, 2)" "'\\xAA\\x00'::BLOB" "INTERVAL 3 DAYS" "(-5)::TINYINT"
    "'b'::ENUM ('a', 'b')" "TIMESTAMP '2024-01-01 10:00:00'" "'c56a4180-65aa-42ec-a945-5fd21dec0538'::UUID"}}{{end}}

{{define "column"}}{{.One "x" "y" "c" "s" "day" "w" "g" "h" "g + 1" "nullif(x, 3)" "x::DOUBLE" "c || '!'" "upper(s)" "[x, y][1]" "if(i % 7 = 0, NULL, s)"
    "CASE WHEN i >= 0 THEN 5 ELSE x END" "CASE WHEN i < 100 THEN 5 ELSE x END" "coalesce(c, 'a text that is kept elsewhere')" "0 * i + 7" "{v: x, u: s}.u"
    "(x % 3)::VARCHAR" "x::DECIMAL(9, 2)" "y > 9" "i // 100"}}{{end}}

{{define "odd"}}{{.One "struct_insert({a: x, b: c}, z := 'a text that is kept elsewhere')" "struct_insert({a: 7, b: c}, z := x)" "{a: 7, b: x}::STRUCT(a BIGINT, b DOUBLE)" "row(x, 7, NULL::VARCHAR)"
    "CASE WHEN i % 2 = 0 THEN {a: 7, b: c} ELSE {a: 9, b: s} END" "CASE WHEN i >= 0 THEN {a: 7, b: c} ELSE {a: 9, b: s} END" "CASE WHEN i % 3 = 0 THEN NULL ELSE {a: 7, b: c} END"
    "[{a: 7, b: c}, {a: x::INTEGER, b: 'short'}][1 + i % 2]" "coalesce(if(i % 4 = 0, {a: 7, b: c}, NULL), {a: 8, b: s})" "{a: 7, b: {c: NULL::DATE, d: {e: 'z', f: c}}}"
    "struct_extract({a: 1, b: {c: 7, d: x}}, 'b')" "{a: 7, b: random() < 2, c: x}"}}{{end}}

{{/* An aggregate of keys. */}}
{{define "keyed"}}{{$form := .IntN 5}}
{{- if eq $form 0}}bloom_agg({{.Key}}, {{.One "{capacity: 300}" "{capacity: 300, fpp: 0.1}" "{capacity: 200 + coalesce(g, 0), fpp: 0.1, seed: 3}"}})
{{- else if eq $form 1}}cms_agg({{.Key}}, o)
{{- else if eq $form 2}}cms_agg({{.Key}}, {{.One "{width: 30, weight: w}" "{width: 30 + coalesce(g, 0), depth: 2, weight: nullif(w, 3)}" "{weight: 2, width: 20}"
    "{weight: w, width: 20, seed: 5, depth: NULL}" "{epsilon: 0.1, delta: 0.5, weight: w}" "{width: 30, weight: CASE WHEN i >= 0 THEN 2 ELSE w END}"}})
{{- else}}cms_agg({{.Key}}{{.One "" ", {width: 30}" ", {width: 30, depth: 2}"}}){{end}}{{end}}

{{/* The options of an aggregate of points, one per line. */}}
{{define "spatial"}}{{$form := .IntN 4}}{{$none := false}}
{{- if eq $form 0}}
exact: false
mode: 'standard'
layers: [4, 8]
counters: [64, 16]
{{- if .Chance 2}}
k: {{.One "2" "1 + coalesce(g, 1) % 3"}}{{end}}
{{- else if eq $form 1}}
bytes: {{.One "60000" "60000 + coalesce(g, 0)" "60000 + 0 * i" "CASE WHEN i >= 0 THEN 70000 ELSE i END"}}
{{- else if eq $form 2}}
bytes: 60000
seed: {{.One "7" "coalesce(g, 3)" "NULL"}}
{{- else}}{{$none = true}}{{end}}
{{- if .Chance 2}}{{$none = false}}
weight: {{.One "w" "w" "2" "nullif(w, 2)" "coalesce(g, 2) % 3 + 1"}}{{end}}
{{- if or (.Chance 2) $none}}
category: {{.One "c" "s" "'a text that is kept elsewhere'" "'short'" "NULL" "g" .Key .Key "{a: 7, b: c}"}}{{end}}{{end}}

{{/* An aggregate that is allowed over whole partitions with an order. */}}
{{define "ordered"}}{{.One "cms_agg(x, {width: 30, depth: 2})" "cms_agg({a: c})" "bloom_agg(s, {capacity: 300, fpp: 0.1})" "ccbf_agg(x, y, 1, {bytes: 60000, seed: 7})"
    "ccbf_agg(x, y, 1, {exact: false, mode: 'standard', layers: [4, 8], counters: [64, 16]})" "ccbf_agg(x, y, 1, {category: 'short', bytes: 60000})"}}{{end}}
