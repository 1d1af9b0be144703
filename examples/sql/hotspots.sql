-- Where is it busiest? The largest cells of a map, and a picture of it, from
-- sketches alone, without the points.
--
--   ccbfsql -f examples/sql/hotspots.sql

-- 300,000 sightings around seven towns, in kilometres; the hash is the seed.
CREATE TABLE towns AS
FROM (VALUES ('Alder', 20, 70, 90000, 2.5), ('Birch', 64, 78, 70000, 2.0), ('Cedar', 83, 45, 50000, 4.0),
             ('Dogwood', 47, 40, 40000, 1.2), ('Elm', 14, 22, 30000, 3.0), ('Fir', 66, 12, 15000, 0.8),
             ('Gorse', 90, 90, 5000, 0.5)) AS t(name, x, y, n, spread);
CREATE TABLE sightings AS
SELECT i % 24 AS hour, x + spread * d * cos(a) AS x, y + spread * d * sin(a) AS y
FROM (SELECT *, sqrt(-2 * ln((hash(name, i) % 1000000 + 1) / 1000001)) AS d, 2 * pi() * (hash(i, name) % 1000000) / 1e6 AS a
      FROM towns, range(n) AS r(i));

-- Two sketches per hour: an exact one, and one of 128 KiB of counters, with levels.
CREATE TABLE hours AS
SELECT hour, ccbf_agg(x, y, 0.5) AS exact, ccbf_agg(x, y, 0.5, {exact: false, mode: 'standard', bytes: 131072, levels: 7}) AS dense
FROM sightings GROUP BY hour;
CREATE TABLE day AS SELECT ccbf_union_agg(exact) AS exact, ccbf_union_agg(dense) AS dense FROM hours;
DROP TABLE sightings;

-- The busiest cells of the day, with their towns.
CREATE MACRO town(px, py) AS (SELECT arg_min(name, (x - px) ^ 2 + (y - py) ^ 2) FROM towns);
SELECT town(x, y) AS town, x, y, count
FROM (SELECT unnest(ccbf_top_k(exact, 0, 0, 100, 100, 8), recursive := true) FROM day)
ORDER BY count DESC, y, x;

-- Every cell with 500 or more sightings, per town. The sketch of counters finds
-- all of them, and some cells whose estimate is too high.
SELECT town(x, y) AS town, count(e.count) AS cells, sum(e.count) AS sightings,
       count(*) FILTER (d.count IS NULL) AS missing, count(*) FILTER (e.count IS NULL) AS too_many
FROM (SELECT unnest(ccbf_hotspots(exact, 0, 0, 100, 100, 500), recursive := true) FROM day) AS e
FULL JOIN (SELECT unnest(ccbf_hotspots(dense, 0, 0, 100, 100, 500), recursive := true) FROM day) AS d USING (x, y)
GROUP BY ALL ORDER BY sightings DESC;

-- In how many hours was a cell among the three busiest? There are 24 lists, one per hour.
SELECT town(x, y) AS town, x, y, count(*) AS hours
FROM (SELECT hour, unnest(ccbf_top_k(exact, 0, 0, 100, 100, 3), recursive := true) FROM hours)
GROUP BY ALL ORDER BY hours DESC, town, x, y LIMIT 5;

-- A picture: 50 x 25 pixels, north at the top, one character for every factor of six.
SELECT string_agg(' .:+#@'[1 + least(ceil(log(n + 1) / log(6)), 5)::INT], '' ORDER BY pixel) AS map
FROM (SELECT unnest(r) AS n, generate_subscripts(r, 1) - 1 AS pixel
      FROM (SELECT ccbf_raster(exact, 0, 0, 100, 100, 50, 25) AS r FROM day))
GROUP BY pixel // 50 ORDER BY pixel // 50;

-- Rasters add up: the hours make the day, pixel by pixel.
SELECT list_sum(ccbf_raster(exact, 0, 0, 100, 100, 50, 25)) AS sightings,
       ccbf_raster(exact, 0, 0, 100, 100, 50, 25) = (
         SELECT list(n ORDER BY pixel)
         FROM (SELECT pixel, sum(n) AS n
               FROM (SELECT unnest(r) AS n, generate_subscripts(r, 1) AS pixel
                     FROM (SELECT ccbf_raster(exact, 0, 0, 100, 100, 50, 25) AS r FROM hours))
               GROUP BY pixel)) AS hours_are_the_day
FROM day;
