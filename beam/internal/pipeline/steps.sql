{{/* The statements of the pipeline, as templates over a plan, a piece and the paths of files. */}}

{{define "settings"}}
SET GLOBAL TimeZone = 'UTC';
{{if .Threads}}SET GLOBAL threads = {{.Threads}};{{end}}
{{if .Memory}}SET GLOBAL memory_limit = {{text .Memory}};{{end}}
{{end}}

{{/* The query and the check that the flags for points stand for. */}}
{{define "tile"}}quadkey({{number .X}}, {{number .Y}}, {{.Zoom}}, {{.Res}}){{end}}

{{define "points"}}SELECT {{range .Keys}}{{quote .}}, {{end}}
    {{- if ge .Zoom 0}}{{template "tile" .}} AS quadkey, {{end}}
    {{- if .Time}}CAST(date_trunc('{{.Bucket}}', {{try .Time "TIMESTAMP"}}) AS {{if eq .Bucket "hour"}}TIMESTAMP{{else}}DATE{{end}}) AS "{{.Bucket}}", {{end -}}
    ccbf_agg({{number .X}}, {{number .Y}}, {{.Res}}{{with .Settings}}, { {{- .}}}{{end}}) AS sketch FROM input GROUP BY ALL{{end}}

{{define "check"}}CASE {{needs .X "DOUBLE" "a number"}} {{needs .Y "DOUBLE" "a number"}}
    WHEN TRY(ccbf_cell_key({{number .X}}, {{number .Y}}, {{.Res}})) IS NULL THEN 'no cell at these coordinates'
    {{- if ge .Zoom 0}} WHEN TRY({{template "tile" .}}) IS NULL THEN 'no map tile at these coordinates'{{end}}
    {{- with .Time}} {{needs . "TIMESTAMP" "a time"}}{{end}}
    {{- with .Category}} WHEN {{quote .}} IS NULL THEN {{text (print . " is NULL")}}{{end}}
    {{- with .Weight}} {{needs . "UBIGINT" "a whole number from 0"}}
    WHEN {{try . "UBIGINT"}} <> {{quote .}} THEN {{text (print . " is not a whole number from 0")}}{{end}} END{{end}}

{{/* The union of the rows of files that earlier runs wrote, and the families of their sketches. */}}
{{define "families"}}SELECT [{{range .Input}}{{if eq .Type "BLOB"}}any_value((TRY(sketch_info({{quote .Name}}))).family){{else}}NULL{{end}}, {{end}}] AS families FROM input{{end}}

{{define "compact"}}SELECT {{range .Input}}{{if not ($.Anew .Name)}}{{$name := quote .Name}}{{with index $.Combine .Name}}{{.}}({{$name}}) AS {{end}}{{$name}}, {{end}}{{end}}FROM input GROUP BY ALL{{end}}

{{define "explain"}}{{.SQL}};
{{if .Check}}-- rows are bad, with this as the reason, where it is not NULL
SELECT {{.Check}} FROM input;
{{end}}-- and of the results
{{template "union" .}};
{{if .Final}}-- and of that, for each file
{{.Final}};
{{end}}{{end}}

{{/* A file as a table of FROM. Columns that the plan knows have its types, unless -csv has them. */}}
{{define "table"}}{{format .Path}}({{text .Path}}
    {{- if eq (format .Path) "read_csv"}}, header = true, store_rejects = true, rejects_scan = 'ccbf_scans', rejects_table = 'ccbf_rejects'
        {{- with .CSV}}, {{.}}{{end}}
        {{- if and .Input (not (contains .CSV "columns"))}}, types = { {{- range $i, $c := .Input}}{{if $i}}, {{end}}{{text .Name}}: '{{.Type}}'{{end}}}{{end}}
    {{- end}}){{end}}

{{/* Files by ranges of rows. */}}
{{define "pieces"}}
SELECT file_name AS file, first, least(first + {{.Rows}}, num_rows) AS last
FROM parquet_file_metadata([{{.Path}}]) m, LATERAL (SELECT unnest(range(0, greatest(m.num_rows, 1), {{.Rows}})) AS first)
{{end}}

{{define "casts"}}{{range .}}CAST({{quote .Name}} AS {{.Type}}) AS {{quote .Name}}, {{end}}{{end}}

{{define "input"}}CREATE TEMP VIEW input AS FROM {{template "table" .}}{{end}}

{{define "first rows"}}CREATE OR REPLACE TEMP VIEW input AS FROM (FROM {{template "table" .}} LIMIT 100) WHERE ({{or .Check "NULL"}}
)::VARCHAR IS NULL{{end}}

{{define "convert"}}COPY (SELECT {{template "casts" .Input}} FROM {{template "table" .}}) TO {{text .To}} (FORMAT parquet, COMPRESSION zstd){{end}}

{{define "refused"}}
SELECT line - 1 AS row, lower(replace(error_type::VARCHAR, '_', ' ')) || coalesce(' of ' || column_name, '') AS reason, coalesce(csv_line, '') AS text
FROM ccbf_rejects QUALIFY row_number() OVER (PARTITION BY file_id, line ORDER BY column_idx) = 1
{{end}}

{{/* The rows of a piece, with their numbers and what is wrong with them, and the good ones. */}}
{{define "rows"}}
CREATE OR REPLACE TEMP VIEW ccbf_rows AS SELECT *, ({{or .Check "NULL"}}
)::VARCHAR AS ccbf_reason
FROM (SELECT {{template "casts" .Input}} file_row_number AS ccbf_row FROM read_parquet({{text .Path}}, file_row_number = true)
    {{- if .Last}} WHERE file_row_number >= {{.First}} AND file_row_number < {{.Last}}{{end}});
CREATE OR REPLACE TEMP VIEW input AS SELECT * EXCLUDE (ccbf_row, ccbf_reason) FROM ccbf_rows WHERE ccbf_reason IS NULL
{{end}}

{{/* The number of rows by what is wrong with them, with the first of the bad ones. */}}
{{define "reasons"}}
SELECT ccbf_reason AS reason, count(*) AS rows, arg_min(CASE WHEN ccbf_reason IS NOT NULL THEN {row: ccbf_row,
    text: to_json({ {{- range $i, $c := .Input}}{{if $i}}, {{end}}{{quote .Name}}: {{quote .Name}}{{end}}})::VARCHAR} END, ccbf_row, {{examples}}) AS examples
FROM ccbf_rows GROUP BY 1
{{end}}

{{/* The query's result, with the hash of each key. */}}
{{define "part"}}
CREATE OR REPLACE TEMP TABLE ccbf_part AS
SELECT {{template "casts" .Columns}} hash({{range .Columns}}{{if not .Combine}}{{quote .Name}}, {{end}}{{end}}0) AS ccbf_hash FROM ({{.SQL}}
)
{{end}}

{{/* The part by the file that it will be in, in slices of about 32 MB: each travels as one element. */}}
{{define "send"}}
CREATE TEMP TABLE ccbf_shards AS
SELECT ccbf_hash % {{.Files}} AS shard, (sum(64{{range .Columns}}{{if eq .Type "BLOB"}} + coalesce(octet_length({{quote .Name}}), 0){{end}}{{end}}) // (32 << 20) + 1)::UBIGINT AS slices
FROM ccbf_part GROUP BY 1;
COPY (SELECT ccbf_part.* EXCLUDE (ccbf_hash), ccbf_shards.shard AS ccbf_shard, ccbf_hash // {{.Files}} % ccbf_shards.slices AS ccbf_slice
    FROM ccbf_part JOIN ccbf_shards ON ccbf_shards.shard = ccbf_hash % {{.Files}})
TO {{text .To}} (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (ccbf_shard, ccbf_slice))
{{end}}

{{/* Each key once. */}}
{{define "union"}}SELECT {{range .Columns}}{{if .Combine}}CAST({{.Combine}}({{quote .Name}}) AS {{.Type}}) AS {{end}}{{quote .Name}}, {{end}}FROM {{.Path}} GROUP BY ALL{{end}}

{{define "unite"}}
CREATE TEMP VIEW result AS {{template "union" .}};
COPY ({{.Query}}
) TO {{text .To}} (FORMAT parquet, COMPRESSION zstd)
{{end}}
