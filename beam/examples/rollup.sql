-- Roll-ups by day, month and year over sketches from a Beam pipeline, and
-- queries for any range of days and any polygon:
--
--   ccbf-pipeline -in 'points/2017.parquet' -out out/2017 -zoom 10 -time day -bucket day -res 0.001
--   ccbf-pipeline -in 'points/2018.parquet' -out out/2018 -zoom 10 -time day -bucket day -res 0.001
--   ccbfsql -f rollup.sql
--
-- To add a year, run the pipeline for it; this script does not change. The manifests name
-- the files of runs that are complete.

SET VARIABLE files = (SELECT flatten(list(files)) FROM read_json('out/*.manifest.json'));

CREATE VIEW days AS FROM read_parquet(getvariable('files'));

CREATE VIEW months AS
SELECT quadkey, date_trunc('month', day)::DATE AS month, ccbf_union_agg(sketch) AS sketch
FROM days GROUP BY ALL;

CREATE VIEW years AS
SELECT quadkey, date_trunc('year', month)::DATE AS year, ccbf_union_agg(sketch) AS sketch
FROM months GROUP BY ALL;

SELECT 'days' AS rollup, count(*) AS sketches, sum(ccbf_total(sketch)) AS points FROM days
UNION ALL SELECT 'months', count(*), sum(ccbf_total(sketch)) FROM months
UNION ALL SELECT 'years', count(*), sum(ccbf_total(sketch)) FROM years
ORDER BY sketches DESC;

-- A polygon, month by month.
CREATE MACRO tiergarten() AS 'POLYGON ((13.32 52.50, 13.38 52.50, 13.38 52.52, 13.35 52.53, 13.32 52.50))';

SELECT month, ccbf_polygon_sum(ccbf_union_agg(sketch), tiergarten()) AS visits
FROM months WHERE month < DATE '2017-05-01' GROUP BY month ORDER BY month;

-- The same polygon over a range of days that is not a whole month. The edges of the
-- cells in a sketch tell which tiles need not be read.
SELECT count(*) AS sketches, ccbf_polygon_sum(ccbf_union_agg(sketch), tiergarten()) AS visits
FROM days
WHERE day BETWEEN DATE '2017-12-20' AND DATE '2018-01-10'
  AND xmax > 13.32 AND xmin < 13.38 AND ymax > 52.50 AND ymin < 52.53;

-- The exact result, computed from the points: the same bytes for every tile and day, and the
-- same count in a box whose edges are edges of cells.
WITH direct AS (
  SELECT quadkey(lon, lat, 10, 0.001) AS quadkey, day, ccbf_agg(lon, lat, 0.001) AS sketch
  FROM 'points/*.parquet' GROUP BY ALL)
SELECT count(*) AS sketches, count(*) FILTER (direct.sketch = days.sketch) AS same_bytes
FROM direct FULL JOIN days USING (quadkey, day);

SELECT ccbf_bbox_sum((SELECT ccbf_union_agg(sketch) FROM years), 13.25, 52.375, 13.5, 52.5) AS from_sketches,
       (SELECT count(*) FROM 'points/*.parquet'
        WHERE lon >= 13.25 AND lon < 13.5 AND lat >= 52.375 AND lat < 52.5) AS from_points;
