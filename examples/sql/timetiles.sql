-- Time tiles: one sketch per day and map tile gives answers for any days and any area.
--
--   ccbfsql -f examples/sql/timetiles.sql

-- Three months of rides through a town, most of them in its centre.
CREATE TABLE rides AS
SELECT DATE '2026-01-01' + day::INTEGER AS day, 13.2 + 0.1 * (u + v + w) AS lon, 52.4 + 0.06 * (v + w + t) AS lat
FROM (SELECT i % 90 AS day, hash(i, 1) % 10000 / 1e4 AS u, hash(i, 2) % 10000 / 1e4 AS v,
             hash(i, 3) % 10000 / 1e4 AS w, hash(i, 4) % 10000 / 1e4 AS t FROM range(60000) AS r(i));

CREATE TABLE tiles AS
SELECT day, quadkey(lon, lat, 11, 0.002) AS tile, ccbf_agg(lon, lat, 0.002) AS sketch
FROM rides
GROUP BY ALL;

-- For the exact result: the number of rides per cell and day.
CREATE TABLE cells AS
SELECT day, grid_cell(lon, 0.002) AS x, grid_cell(lat, 0.002) AS y, count(*) AS n
FROM rides
GROUP BY ALL;

SELECT (SELECT count(*) FROM tiles) AS sketches, (SELECT sum(octet_length(sketch)) FROM tiles) AS bytes,
       (SELECT count(*) FROM cells) AS rows_of_cells, (SELECT count(*) FROM rides) AS rides;

-- Two areas, given by their corners. The park is not convex.
CREATE TABLE areas AS
SELECT area, corners, 'POLYGON ((' || array_to_string([p[1] || ' ' || p[2] FOR p IN corners || corners[1:1]], ', ') || '))' AS polygon
FROM (VALUES ('park', [[13.3011, 52.4703], [13.3467, 52.4621], [13.3389, 52.4877], [13.3702, 52.5013], [13.3105, 52.5098]]),
             ('harbour', [[13.3601, 52.4607], [13.3997, 52.4509], [13.4103, 52.4811]])) AS a(area, corners);

CREATE TABLE spans AS
FROM (VALUES ('a day', DATE '2026-02-14', DATE '2026-02-14'), ('a week', DATE '2026-02-09', DATE '2026-02-15'),
             ('the quarter', DATE '2026-01-01', DATE '2026-03-31')) AS s(span, first, last);

-- The cells whose centre is in an area: a line from the centre to the east crosses
-- the edges an odd number of times.
CREATE TABLE inside AS
WITH edges AS (
  SELECT area, corners[i][1] AS x0, corners[i][2] AS y0, corners[i % len(corners) + 1][1] AS x1, corners[i % len(corners) + 1][2] AS y1
  FROM (SELECT area, corners, unnest(range(1, len(corners) + 1)) AS i FROM areas))
SELECT area, x, y
FROM (SELECT DISTINCT x, y, grid_center(x, 0.002) AS lon, grid_center(y, 0.002) AS lat FROM cells), edges
GROUP BY ALL
HAVING count(*) FILTER ((y0 > lat) <> (y1 > lat) AND lon < x0 + (lat - y0) * (x1 - x0) / (y1 - y0)) % 2 = 1;

-- One way is to merge the sketches and query the union, another is to query each and
-- add up. Both are shown beside the exact result.
SELECT span, area,
       ccbf_polygon_sum(ccbf_union_agg(sketch), any_value(polygon)) AS merged,
       sum(ccbf_polygon_sum(sketch, polygon)) AS summed,
       (SELECT sum(n) FROM cells JOIN inside USING (x, y) WHERE inside.area = areas.area AND day BETWEEN first AND last) AS exact
FROM spans JOIN tiles ON day BETWEEN first AND last, areas
GROUP BY span, first, last, area
ORDER BY last - first, area;

-- A sum takes almost no time for sketches whose bounding box lies elsewhere. As a
-- condition, ccbf_bbox_overlaps excludes them from any query.
SELECT day, count(*) AS tiles, ccbf_top_k(ccbf_union_agg(sketch), 13.3, 52.46, 13.34, 52.51, 1)[1].count AS most_rides_in_a_cell,
       (SELECT max(n) FROM cells WHERE cells.day = tiles.day AND x BETWEEN 6650 AND 6669 AND y BETWEEN 26230 AND 26254) AS exact
FROM tiles
WHERE ccbf_bbox_overlaps(sketch, 13.3, 52.46, 13.34, 52.51) AND day < DATE '2026-01-04'
GROUP BY day
ORDER BY day;

-- Seven days at a time: a window that moves over the days.
SELECT day, ccbf_polygon_sum(ccbf_union_agg(sketch) OVER (ORDER BY day ROWS 6 PRECEDING), polygon) AS rides_of_the_week,
       (SELECT sum(n) FROM cells JOIN inside USING (x, y) WHERE area = 'harbour' AND cells.day BETWEEN d.day - 6 AND d.day) AS exact
FROM (SELECT day, ccbf_union_agg(sketch) AS sketch FROM tiles GROUP BY day) AS d, areas
WHERE area = 'harbour'
QUALIFY dayname(day) = 'Sunday'
ORDER BY day
LIMIT 5;
