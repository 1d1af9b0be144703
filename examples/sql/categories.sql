-- Sketches with categories, one per month: what was reported where?
--
--   ccbfsql -f examples/sql/categories.sql

CREATE TABLE reports AS
FROM (VALUES
  ('2018-10', 'theft',  -0.1419, 51.5152, 3),
  ('2018-10', 'noise',  -0.1412, 51.5158, 5),
  ('2018-10', 'theft',  -0.0876, 51.5079, 1),
  ('2018-11', 'theft',  -0.1415, 51.5155, 4),
  ('2018-11', 'noise',  -0.0872, 51.5074, 2),
  ('2018-12', 'theft',  -2.2426, 53.4808, 7)
) AS r(month, kind, lon, lat, times);

-- weight: the number of points of a row. category: the category of these points.
-- A query without a category counts all points (counters need totals: true for that).
CREATE TABLE months AS
SELECT month, ccbf_agg(lon, lat, 0.001, {category: kind, weight: times}) AS sketch
FROM reports
GROUP BY month;

SELECT month, ccbf_total(sketch) AS reports,
       ccbf_get(sketch, -0.1415, 51.5155, 'theft') AS theft_at_oxford_circus,
       ccbf_bbox_sum(sketch, -0.2, 51.4, 0.0, 51.6, 'noise') AS noise_in_london,
       ccbf_bbox_sum(sketch, -0.2, 51.4, 0.0, 51.6) AS anything_in_london
FROM months
ORDER BY month;

-- The quarter is the union of its months.
SELECT ccbf_bbox_sum(ccbf_union_agg(sketch), -5, 50, 2, 56, 'theft') AS theft_in_england
FROM months;
