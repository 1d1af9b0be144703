-- Moving objects: a sketch counts them, but does not identify them.
--
--   ccbfsql -f examples/sql/movement.sql
--
-- A move takes points from one cell and adds them to another. A sketch can do this
-- while it is exact and, in mode 'standard', when it is dense. Here are both, s and
-- d, beside the exact table.

-- One ferry between three ports: 1, 2, 3, 2, 1 and so on.
CREATE TABLE ports AS FROM (VALUES (1, 10.05, 54.35), (2, 10.95, 54.65), (3, 12.15, 54.15)) AS p(port, lon, lat);
CREATE TABLE legs AS
SELECT i AS leg, a.lon AS x1, a.lat AS y1, b.lon AS x2, b.lat AS y2
FROM (SELECT i, [1, 2, 3, 2][(i - 1) % 4 + 1] AS here, [1, 2, 3, 2][i % 4 + 1] AS there FROM range(1, 43) AS r(i))
JOIN ports AS a ON a.port = here JOIN ports AS b ON b.port = there;

WITH RECURSIVE voyage AS (
  SELECT 0::BIGINT AS leg, ccbf_agg(lon, lat, 0.1) AS s,
         ccbf_agg(lon, lat, 0.1, {mode: 'standard', exact: false, bytes: 4096}) AS d
  FROM ports WHERE port = 1
  UNION ALL
  SELECT voyage.leg + 1, ccbf_move(s, x1, y1, x2, y2), ccbf_move(d, x1, y1, x2, y2, {weight: 1})
  FROM voyage JOIN legs ON legs.leg = voyage.leg + 1)
SELECT leg, [1, 2, 3, 2][leg % 4 + 1] AS port,
       list(port ORDER BY port) FILTER (ccbf_get(s, lon, lat) = 1) AS exact,
       list(port ORDER BY port) FILTER (ccbf_get(d, lon, lat) = 1) AS dense,
       any_value(ccbf_total(s)) AS ferries
FROM voyage, ports
WHERE leg < 5 OR leg = 42
GROUP BY leg
ORDER BY leg;

-- All points of a cell: the market closes, and everyone there goes to the square.
-- An exact sketch has their number. A dense one needs the number as an argument: its own count
-- may be too high, and moving too many points would make other cells wrong.
CREATE TABLE people AS
SELECT 8.0 + hash(i, 1) % 40 / 1000 AS x, 50.0 + hash(i, 2) % 40 / 1000 AS y FROM range(20000) AS r(i);

WITH before AS (
  SELECT ccbf_agg(x, y, 0.01) AS s, ccbf_agg(x, y, 0.01, {mode: 'standard', exact: false, bytes: 4096}) AS d,
         count(*) FILTER (grid_cell(x, 0.01) = 801 AND grid_cell(y, 0.01) = 5002) AS market,
         count(*) FILTER (grid_cell(x, 0.01) = 803 AND grid_cell(y, 0.01) = 5000) AS square
  FROM people),
after AS (
  SELECT ccbf_move(s, 8.015, 50.025, 8.035, 50.005) AS s, ccbf_move(d, 8.015, 50.025, 8.035, 50.005, {weight: market}) AS d, market, square
  FROM before)
SELECT place, ccbf_get(s, x, y) AS exact, ccbf_get(d, x, y) AS dense, truth, ccbf_total(s) AS all_exact, ccbf_total(d) AS all_dense
FROM after, LATERAL (VALUES ('market', 8.015, 50.025, 0), ('square', 8.035, 50.005, market + square)) AS p(place, x, y, truth)
ORDER BY place;

-- An inventory: 12 warehouses, roads between them, and 400 deliveries along the roads.
CREATE TABLE warehouses AS
SELECT i AS warehouse, 5.05 + hash(i, 7) % 100 / 10 AS x, 47.05 + hash(i, 8) % 70 / 10 AS y, 2000 + hash(i, 9) % 1000 AS stock
FROM range(12) AS r(i);
CREATE TABLE roads AS
SELECT row_number() OVER (ORDER BY a, b) - 1 AS road, a, b
FROM (SELECT i AS a, unnest([(i + 1) % 12, (i + 5) % 12, (i * 7 + 3) % 12]) AS b FROM range(12) AS r(i)) WHERE a <> b;
CREATE TABLE deliveries AS
SELECT i AS step, a, b, (1 + hash(i, 4) % 20)::BIGINT AS pieces
FROM range(1, 401) AS r(i) JOIN roads ON road = hash(i, 3) % (SELECT count(*) FROM roads);

CREATE TABLE followed AS
WITH RECURSIVE inventory AS (
  SELECT 0::BIGINT AS step, ccbf_agg(x, y, 0.1, {weight: stock}) AS s,
         ccbf_agg(x, y, 0.1, {weight: stock, mode: 'standard', exact: false, bytes: 4096}) AS d
  FROM warehouses
  UNION ALL
  SELECT deliveries.step, ccbf_move(s, f.x, f.y, t.x, t.y, {weight: pieces}), ccbf_move(d, f.x, f.y, t.x, t.y, {weight: pieces})
  FROM inventory JOIN deliveries ON deliveries.step = inventory.step + 1
  JOIN warehouses AS f ON f.warehouse = a JOIN warehouses AS t ON t.warehouse = b)
FROM inventory;

-- The exact table: what each warehouse has after each step.
CREATE TABLE stocks AS
SELECT step, warehouse, x, y,
       stock + sum(if(b = warehouse, pieces, 0) - if(a = warehouse, pieces, 0)) OVER (PARTITION BY warehouse ORDER BY step) AS stock
FROM warehouses, (FROM deliveries UNION ALL SELECT 0, NULL, NULL, 0);

SELECT count(*) AS answers,
       count(*) FILTER (ccbf_get(s, x, y) <> stock) AS exact_wrong,
       count(*) FILTER (ccbf_get(d, x, y) < stock) AS dense_too_low,
       count(*) FILTER (ccbf_get(d, x, y) > stock) AS dense_too_high
FROM followed JOIN stocks USING (step);

-- The stock in the south after a hundred deliveries, and at the end.
SELECT step, ccbf_polygon_sum(s, south) AS exact, ccbf_polygon_sum(d, south) AS dense,
       (SELECT sum(stock) FROM stocks WHERE stocks.step = followed.step AND y < 50) AS truth
FROM followed, (SELECT 'POLYGON ((4 46, 16 46, 16 50, 4 50, 4 46))' AS south)
WHERE step IN (100, 400)
ORDER BY step;
