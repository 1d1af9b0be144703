-- Cells of other grids, such as geohashes, H3, S2 and A5, are keys: sketches count them, and
-- their parents are a prefix or arithmetic. No extension is needed.
--
--   ccbfsql -f examples/sql/cells.sql

-- The geohash of a place: five bits a letter, of longitude and latitude in turn.
CREATE MACRO geohash(lon, lat, letters) AS array_to_string([
  substr('0123456789bcdefghjkmnpqrstuvwxyz', 1 + list_sum([
    ((floor(if(i % 2 = 0, (lon + 180) / 360, (lat + 90) / 180) * (1::BIGINT << (i // 2 + 1)))::BIGINT & 1) << (4 - i % 5))
    FOR i IN range(5 * l, 5 * l + 5)])::BIGINT, 1)
  FOR l IN range(0, letters)], '');

SELECT geohash(-5.6, 42.6, 5) AS leon, geohash(10.40744, 57.64911, 11) AS jutland;

CREATE TABLE reports AS
FROM (VALUES
  ('theft', -0.1419, 51.5152), ('theft', -0.1412, 51.5158), ('noise', -0.1415, 51.5155), ('theft', -0.0876, 51.5079),
  ('noise', -0.0872, 51.5074), ('noise', -0.0871, 51.5075), ('theft', -2.2426, 53.4808), ('theft', -2.2430, 53.4810)
) AS r(kind, lon, lat);

-- A sketch for each kind counts geohashes of six letters. Counts of their parents, of
-- three letters, are sums over the geohashes that occur.
CREATE TABLE kinds AS SELECT kind, cms_agg(geohash(lon, lat, 6)) AS sketch FROM reports GROUP BY kind;
CREATE TABLE places AS SELECT DISTINCT geohash(lon, lat, 6) AS cell FROM reports;

SELECT kind, left(cell, 3) AS parent, sum(cms_get(sketch, cell)) AS reports
FROM kinds, places
GROUP BY ALL
ORDER BY ALL;

-- The parent of an H3 cell: another resolution in bits 52 to 55, and ones for the digits
-- below it. With DuckDB's extension h3 this is h3_cell_to_parent(cell, r).
CREATE MACRO h3_parent(cell, r) AS
  (cell & ~(15::UBIGINT << 52)) | (r::UBIGINT << 52) | ((1::UBIGINT << (3 * (15 - r))) - 1);

CREATE TABLE visits AS
FROM (VALUES (621942167844323327::UBIGINT, 3), (621941092518887423::UBIGINT, 2)) AS v(cell, times);

SELECT format('{:x}', h3_parent(cell, 7)) AS parent, sum(cms_get(sketch, cell)) AS visits
FROM visits, (SELECT cms_agg(cell, {weight: times}) AS sketch FROM visits)
GROUP BY ALL
ORDER BY ALL;

-- A cell of S2 or A5 ends with a one, and the larger the cell is, the higher is that bit:
-- 2 * (30 - level) for S2, 59 - 2 * resolution for A5, resolutions 2 to 29. A parent
-- has the bits above its own lowest one.
CREATE MACRO ancestor(cell, b) AS (cell >> (b + 1) << (b + 1)) | (1::UBIGINT << b);
CREATE MACRO s2_parent(cell, level) AS ancestor(cell, 2 * (30 - level));
CREATE MACRO a5_parent(cell, resolution) AS ancestor(cell, 59 - 2 * resolution);

-- Two places of London, as S2 cells of level 16 and as A5 cells of resolution 18.
CREATE TABLE stops AS
FROM (VALUES (5221390321455202304::UBIGINT, 7176244553362440192::UBIGINT, 3),
             (5221364465215209472::UBIGINT, 7176247607402954752::UBIGINT, 2)) AS v(s2, a5, times);

SELECT format('{:x}', s2_parent(s2, 12)) AS s2_parent, sum(cms_get(sketch, s2)) AS stops
FROM stops, (SELECT cms_agg(s2, {weight: times}) AS sketch FROM stops)
GROUP BY ALL
ORDER BY ALL;

SELECT format('{:x}', a5_parent(a5, 12)) AS a5_parent, sum(cms_get(sketch, a5)) AS stops
FROM stops, (SELECT cms_agg(a5, {weight: times}) AS sketch FROM stops)
GROUP BY ALL
ORDER BY ALL;

-- Converts the cells of a sketch of points to another grid, with a table of cells of both grids. Any tool
-- with functions for the other grid makes that table, once. A cell is assigned by its centre.
CREATE TABLE sketches AS SELECT ccbf_agg(lon, lat, 0.001) AS sketch FROM reports;

WITH cells AS (
  SELECT unnest(ccbf_cells(sketch), recursive := true) FROM sketches
), grid AS (
  SELECT DISTINCT grid_cell(lon, 0.001) AS cx, grid_cell(lat, 0.001) AS cy,
         geohash(grid_center(cx, 0.001), grid_center(cy, 0.001), 5) AS other
  FROM reports
)
SELECT other, sum(count) AS reports
FROM cells JOIN grid ON cx = grid_cell(x, 0.001) AND cy = grid_cell(y, 0.001)
GROUP BY other
ORDER BY other;
