-- Two million points, one small sketch per map tile, and then only the sketches.
--
--   make demo                              runs this script
--   ccbfsql demo.duckdb -f demo.sql        does the same by hand
--
-- Everything is plain SQL. It writes three Parquet files into the current
-- folder, to weigh them, and keeps its tables in the database it is run on.

.print
.print 1. POINTS
.print Two million points around eighteen cities: dense in the middle, thin outside.
.print

CREATE OR REPLACE TABLE cities AS
FROM (VALUES
  -- name, longitude, latitude, thousands of points, spread in degrees
  ('Tokyo',          139.6917,  35.6895, 240, 0.22),
  ('Delhi',           77.2090,  28.6139, 210, 0.16),
  ('Shanghai',       121.4737,  31.2304, 180, 0.18),
  ('Sao Paulo',      -46.6333, -23.5505, 150, 0.18),
  ('Mexico City',    -99.1332,  19.4326, 150, 0.15),
  ('Cairo',           31.2357,  30.0444, 140, 0.12),
  ('Mumbai',          72.8777,  19.0760, 140, 0.12),
  ('Osaka',          135.5023,  34.6937, 120, 0.15),
  ('New York',       -74.0060,  40.7128, 120, 0.20),
  ('Buenos Aires',   -58.3816, -34.6037, 100, 0.17),
  ('Istanbul',        28.9784,  41.0082, 100, 0.14),
  ('Lagos',            3.3792,   6.5244,  90, 0.12),
  ('Los Angeles',   -118.2437,  34.0522,  80, 0.24),
  ('Paris',            2.3522,  48.8566,  60, 0.12),
  ('London',          -0.1276,  51.5074,  50, 0.15),
  ('Nairobi',         36.8219,  -1.2921,  30, 0.10),
  ('Madrid',          -3.7038,  40.4168,  25, 0.11),
  ('Sydney',         151.2093, -33.8688,  15, 0.16)
) AS c(city, lon, lat, thousands, spread);

-- hash() of a row's number is the same on every run: the points never change.
CREATE OR REPLACE MACRO uniform(i) AS (hash(i) >> 11) / 9007199254740992.0;

CREATE OR REPLACE TABLE points AS
WITH numbered AS (
  SELECT *, row_number() OVER (ORDER BY city, i) AS id
  FROM (SELECT *, unnest(range(thousands * 1000)) AS i FROM cities)
), polar AS (
  SELECT *, spread * -ln(1 - uniform(2 * id)) AS distance, 2 * pi() * uniform(2 * id + 1) AS angle
  FROM numbered
)
SELECT lon + distance * cos(angle) / cos(radians(lat)) AS lon,
       lat + distance * sin(angle) AS lat
FROM polar;

SELECT count(*) AS points, round(min(lon), 2) AS west, round(max(lon), 2) AS east,
       round(min(lat), 2) AS south, round(max(lat), 2) AS north
FROM points;

.print
.print 2. SKETCHES
.print One sketch for each web mercator tile of zoom 6. It counts the points in every
.print cell of 0.01 degrees, about a kilometre.
.print

CREATE OR REPLACE TABLE tiles AS
SELECT quadkey(lon, lat, 6) AS tile, ccbf_agg(lon, lat, 0.01) AS sketch
FROM points
GROUP BY tile;

SELECT tile, ccbf_total(sketch) AS points, (ccbf_info(sketch)).cells AS cells,
       octet_length(sketch) AS bytes, (ccbf_info(sketch)).encoding AS form
FROM tiles
ORDER BY points DESC
LIMIT 5;

.print
.print 3. WEIGHT
.print Three Parquet files, all with zstd: the points, the exact table of cells that a
.print plain GROUP BY makes, and the sketches.
.print

CREATE OR REPLACE TABLE cells AS
SELECT quadkey(lon, lat, 6) AS tile,
       floor(lon / 0.01)::INTEGER AS cx, floor(lat / 0.01)::INTEGER AS cy,
       count(*)::UINTEGER AS n
FROM points
GROUP BY ALL;

COPY points TO 'points.parquet' (COMPRESSION zstd);
COPY (FROM cells ORDER BY tile, cy, cx) TO 'cells.parquet' (COMPRESSION zstd); -- sorted: its smallest
COPY (FROM tiles ORDER BY tile) TO 'tiles.parquet' (COMPRESSION zstd);

SELECT parse_filename(filename) AS file, rows, size AS bytes, round(size / (SELECT count(*) FROM cells), 2) AS bytes_per_cell
FROM read_blob(['points.parquet', 'cells.parquet', 'tiles.parquet'])
JOIN (VALUES ('points.parquet', (SELECT count(*) FROM points)),
             ('cells.parquet',  (SELECT count(*) FROM cells)),
             ('tiles.parquet',  (SELECT count(*) FROM tiles))) AS r(file, rows)
  ON parse_filename(filename) = file
ORDER BY bytes DESC;

.print
.print From here on only the sketches are asked. What stands beside each answer is
.print counted from the points, to check it.
.print
.print 4. PLACES
.print How many points are in the square kilometre around the middle of a city? The
.print place names its tile, and the tile has the sketch.
.print

WITH truth AS (
  SELECT floor(lon / 0.01) AS cx, floor(lat / 0.01) AS cy, count(*) AS n FROM points GROUP BY ALL
)
SELECT city, tile, ccbf_get(sketch, lon, lat) AS sketch, n AS truth
FROM cities
JOIN tiles ON tile = quadkey(lon, lat, 6)
JOIN truth ON cx = floor(lon / 0.01) AND cy = floor(lat / 0.01)
ORDER BY sketch DESC
LIMIT 6;

.print
.print 5. BOXES
.print A box may lie across tiles: add up what each of them says. Or merge all tiles
.print into one sketch of the world with ccbf_union_agg, and ask that.
.print

CREATE OR REPLACE TABLE world AS SELECT ccbf_union_agg(sketch) AS sketch FROM tiles;

CREATE OR REPLACE TABLE boxes AS
FROM (VALUES
  ('Honshu',          133.00, 33.00, 142.00, 37.00),
  ('Manhattan',       -74.02, 40.70, -73.93, 40.83),
  ('Bosporus',         28.90, 40.95,  29.10, 41.15),
  ('Western Europe',  -10.00, 36.00,   8.00, 54.00),
  ('middle of the sea', -40.00, 30.00, -30.00, 40.00)
) AS b(box, xmin, ymin, xmax, ymax);

SELECT box,
       sum(ccbf_bbox_sum(tiles.sketch, xmin, ymin, xmax, ymax)) AS from_tiles,
       any_value(ccbf_bbox_sum(world.sketch, xmin, ymin, xmax, ymax)) AS from_world,
       (SELECT count(*) FROM points
        WHERE lon >= xmin AND lon < xmax AND lat >= ymin AND lat < ymax) AS truth
FROM boxes, tiles, world
GROUP BY ALL
ORDER BY from_world DESC;

.print
.print 6. POLYGONS
.print A cell counts as a whole, by its centre. So the sketch equals the exact count
.print of those cells, and differs from that of the points along the border.
.print

CREATE OR REPLACE TABLE polygons AS
FROM (VALUES
  ('Kanto triangle', [139.1234, 140.4321, 139.9012, 139.1234],           [35.2013, 35.4027, 36.3041, 35.2013]),
  ('Nile delta',     [29.9123, 31.0321, 32.4043, 31.2511, 29.9123],      [31.0211, 31.6013, 31.2321, 29.9123, 31.0211]),
  ('Paris',          [2.2241, 2.3522, 2.4699, 2.4115, 2.2987, 2.2241],   [48.8534, 48.9018, 48.8711, 48.8157, 48.8203, 48.8534])
) AS p(polygon, lons, lats);

-- The same polygon as text, for the sketch, and as a test of one place: does a
-- ray from it cross the outline an odd number of times?
CREATE OR REPLACE MACRO wkt(lons, lats) AS
  'POLYGON ((' || array_to_string([lon || ' ' || lats[i] FOR lon, i IN lons], ', ') || '))';
CREATE OR REPLACE MACRO inside(x, y, lons, lats) AS
  list_sum([((lats[i] > y) <> (lats[i + 1] > y)
             AND x < lons[i] + (y - lats[i]) / (lats[i + 1] - lats[i]) * (lons[i + 1] - lons[i]))::INTEGER
            FOR i IN range(1, len(lons))]) % 2 = 1;

WITH of_cells AS (
  SELECT polygon, sum(n) AS n FROM polygons, cells
  WHERE inside((cx + 0.5) * 0.01, (cy + 0.5) * 0.01, lons, lats) GROUP BY polygon
), of_points AS (
  SELECT polygon, count(*) AS n FROM polygons, points
  WHERE lon BETWEEN list_min(lons) AND list_max(lons) AND inside(lon, lat, lons, lats) GROUP BY polygon
)
SELECT polygon, ccbf_polygon_sum(sketch, wkt(lons, lats)) AS sketch,
       of_cells.n AS truth_of_cells, of_points.n AS truth_of_points
FROM polygons JOIN of_cells USING (polygon) JOIN of_points USING (polygon), world
ORDER BY sketch DESC;

.print
.print 7. LESS ROOM
.print So far every answer was exact, because the cells fitted into the sketch. With
.print 64 KiB for all 210,000 of them they do not. A sketch then becomes a tree: it
.print counts squares of cells, large ones where points are few. Sums over areas stay
.print close, with bounds that always hold, and empty country stays empty. With
.print counters that cells share, an option, busy cells come out well, and what is
.print added to quiet ones adds up over an area. Neither answers too little.
.print

CREATE OR REPLACE TABLE small AS
SELECT 'tree' AS form, ccbf_agg(lon, lat, 0.01, {bytes: 65536}) AS sketch FROM points
UNION ALL
SELECT 'counters', ccbf_agg(lon, lat, 0.01, {bytes: 65536, overflow: 'counters'}) FROM points;

SELECT form, octet_length(sketch) AS bytes,
       round((ccbf_error(sketch)).occupied_excess, 2) AS too_much_at_cells_with_points
FROM small;

-- Each answer of the tree, of the counters, and the truth.
WITH asked AS (
  SELECT city, lon, lat FROM cities
  WHERE city IN ('Tokyo', 'Cairo', 'New York', 'Paris', 'Madrid', 'Sydney')
), truth AS (
  SELECT city,
         count(*) FILTER (WHERE floor(p.lon / 0.01) = floor(a.lon / 0.01) AND floor(p.lat / 0.01) = floor(a.lat / 0.01)) AS centre,
         count(*) FILTER (WHERE floor(p.lon / 0.01) = floor((a.lon + 0.4) / 0.01) AND floor(p.lat / 0.01) = floor(a.lat / 0.01)) AS quiet,
         count(*) FILTER (WHERE p.lon >= a.lon - 0.1 AND p.lon < a.lon + 0.1 AND p.lat >= a.lat - 0.1 AND p.lat < a.lat + 0.1) AS box
  FROM asked a, points p
  GROUP BY city
)
SELECT city,
       ccbf_get(tree.sketch, lon, lat) AS centre, ccbf_get(counters.sketch, lon, lat) AS counters, t.centre AS truth,
       ccbf_get(tree.sketch, lon + 0.4, lat) AS quiet, ccbf_get(counters.sketch, lon + 0.4, lat) AS counters, t.quiet AS truth,
       round((ccbf_bbox_estimate(tree.sketch, lon - 0.1, lat - 0.1, lon + 0.1, lat + 0.1)).estimate)::BIGINT AS box,
       round((ccbf_bbox_estimate(counters.sketch, lon - 0.1, lat - 0.1, lon + 0.1, lat + 0.1)).estimate)::BIGINT AS counters, t.box AS truth
FROM asked JOIN truth t USING (city), small AS tree, small AS counters
WHERE tree.form = 'tree' AND counters.form = 'counters'
ORDER BY t.centre DESC;
