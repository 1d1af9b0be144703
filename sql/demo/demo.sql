-- A million crimes of a quarter, one small sketch per month and category, and then
-- only the sketches.
--
--   make demo                                   runs this script
--   cd build/demo; ccbfsql demo.duckdb -f ../../sql/demo/demo.sql     does the same by hand
--
-- Everything is plain SQL. It writes three Parquet files into the current
-- folder, to weigh them, and keeps its tables in the database it is run on.

.print
.print 1. POINTS
.print What the police recorded in England, Wales and Northern Ireland from October to
.print December 2018: a row for each crime, with its month, its category and a place
.print (few records of London, Manchester and Leeds). Contains public sector information
.print licensed under the Open Government Licence v3.0, from data.police.uk.
.print

CREATE OR REPLACE TABLE points AS
SELECT lon, lat, (month || '-01')::DATE AS month, category
FROM '../../test/data/uk_crime_2018q4.parquet'
WHERE category IN ( -- the 14 of data.police.uk; 20 rows have other words there
  'Anti-social behaviour', 'Bicycle theft', 'Burglary', 'Criminal damage and arson', 'Drugs',
  'Other crime', 'Other theft', 'Possession of weapons', 'Public order', 'Robbery', 'Shoplifting',
  'Theft from the person', 'Vehicle crime', 'Violence and sexual offences');

SELECT count(*) AS crimes, count(DISTINCT month) AS months, count(DISTINCT category) AS categories,
       round(min(lon), 2) AS west, round(max(lon), 2) AS east, round(min(lat), 2) AS south, round(max(lat), 2) AS north
FROM points;

.print
.print 2. SKETCHES
.print One sketch for each month and category. It counts the crimes in every cell of
.print 0.001 degrees: 70 by 111 metres there.
.print

CREATE OR REPLACE TABLE crimes AS
SELECT month, category, ccbf_agg(lon, lat, 0.001) AS sketch
FROM points
GROUP BY ALL
ORDER BY ALL;

SELECT month, category, ccbf_total(sketch) AS crimes, (ccbf_info(sketch)).cells AS cells,
       octet_length(sketch) AS bytes, (ccbf_info(sketch)).encoding AS form
FROM crimes
ORDER BY crimes DESC, month
LIMIT 5;

.print
.print 3. WEIGHT
.print Three Parquet files, all with zstd: the points, the exact table of cells that a
.print plain GROUP BY makes, and the sketches.
.print

CREATE OR REPLACE TABLE cells AS
SELECT month, category, grid_cell(lon, 0.001)::INTEGER AS cx, grid_cell(lat, 0.001)::INTEGER AS cy, count(*)::UINTEGER AS n
FROM points
GROUP BY ALL;

COPY points TO 'points.parquet' (COMPRESSION zstd);
COPY (FROM cells ORDER BY month, category, cy, cx) TO 'cells.parquet' (COMPRESSION zstd); -- sorted: its smallest
COPY (FROM crimes ORDER BY month, category) TO 'crimes.parquet' (COMPRESSION zstd);

SELECT parse_filename(filename) AS file, rows, size AS bytes, round(size / (SELECT count(*) FROM cells), 2) AS bytes_per_cell
FROM read_blob(['points.parquet', 'cells.parquet', 'crimes.parquet'])
JOIN (VALUES ('points.parquet', (SELECT count(*) FROM points)),
             ('cells.parquet',  (SELECT count(*) FROM cells)),
             ('crimes.parquet', (SELECT count(*) FROM crimes))) AS r(file, rows)
  ON parse_filename(filename) = file
ORDER BY bytes DESC;

.print
.print From here on only the sketches are asked. What stands beside each answer is
.print counted from the points, to check it.
.print
.print 4. A PLACE
.print Where was most shoplifting in the quarter? Months unite to one sketch, which knows
.print its largest cells.
.print

WITH places AS (
  SELECT unnest(ccbf_top_k(ccbf_union_agg(sketch), -9, 49, 3, 62, 5), recursive := true)
  FROM crimes WHERE category = 'Shoplifting'
), truth AS (
  SELECT grid_cell(lon, 0.001) AS cx, grid_cell(lat, 0.001) AS cy, count(*) AS n FROM points WHERE category = 'Shoplifting' GROUP BY ALL
)
SELECT round(x, 4) AS lon, round(y, 4) AS lat, places.count AS sketch, n AS truth
FROM places JOIN truth ON cx = grid_cell(x, 0.001) AND cy = grid_cell(y, 0.001)
ORDER BY sketch DESC, lon;

.print
.print 5. A TOWN
.print How many crimes of each category are in a box around Sheffield? And in December?
.print

CREATE OR REPLACE TABLE boxes AS
FROM (VALUES
  ('Sheffield',      -1.600, 53.300, -1.300, 53.500),
  ('Bristol',        -2.700, 51.400, -2.500, 51.550),
  ('Belfast',        -6.050, 54.540, -5.800, 54.660),
  ('middle of Wales', -4.100, 52.100, -3.300, 52.600),
  ('the North Sea',   2.100, 53.000,  4.000, 55.000)
) AS b(box, xmin, ymin, xmax, ymax);

WITH truth AS (
  SELECT category, count(*) AS n, count(*) FILTER (WHERE month = '2018-12-01') AS december
  FROM points, boxes
  WHERE box = 'Sheffield' AND lon >= xmin AND lon < xmax AND lat >= ymin AND lat < ymax
  GROUP BY category
)
SELECT category,
       sum(ccbf_bbox_sum(sketch, xmin, ymin, xmax, ymax)) AS sketch, any_value(n) AS truth,
       sum(ccbf_bbox_sum(sketch, xmin, ymin, xmax, ymax)) FILTER (WHERE month = '2018-12-01') AS sketch_december,
       any_value(december) AS truth_december
FROM crimes JOIN truth USING (category), boxes
WHERE box = 'Sheffield'
GROUP BY category
ORDER BY sketch DESC
LIMIT 6;

.print
.print 6. ALL OF THEM
.print A sketch of everything is the union of the others: 42 of them in one.
.print

CREATE OR REPLACE TABLE quarter AS SELECT ccbf_union_agg(sketch) AS sketch FROM crimes;

SELECT box,
       (SELECT sum(ccbf_bbox_sum(sketch, xmin, ymin, xmax, ymax)) FROM crimes) AS from_42,
       ccbf_bbox_sum(sketch, xmin, ymin, xmax, ymax) AS from_one,
       (SELECT count(*) FROM points WHERE lon >= xmin AND lon < xmax AND lat >= ymin AND lat < ymax) AS truth
FROM boxes, quarter
ORDER BY from_one DESC;

.print
.print 7. POLYGONS
.print A cell counts as a whole, by its centre. So the sketch equals the exact count
.print of those cells, and differs from that of the points along the border.
.print

CREATE OR REPLACE TABLE polygons AS
FROM (VALUES
  ('Cornwall and Devon',   [-5.9123, -4.5301, -2.9012, -3.4511, -4.0213, -5.9123],    [50.0011, 51.2027, 50.7041, 50.1213, 49.9034, 50.0011]),
  ('Isle of Wight',        [-1.6013, -1.2921, -1.0411, -1.2512, -1.5813, -1.6013],    [50.6611, 50.7713, 50.6821, 50.5623, 50.6321, 50.6611]),
  ('centre of Newcastle',  [-1.6301, -1.5902, -1.5999, -1.6247, -1.6301],             [54.9834, 54.9818, 54.9651, 54.9657, 54.9834])
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
  WHERE inside((cx + 0.5) * 0.001, (cy + 0.5) * 0.001, lons, lats) GROUP BY polygon
), of_points AS (
  SELECT polygon, count(*) AS n FROM polygons, points
  WHERE lon BETWEEN list_min(lons) AND list_max(lons) AND inside(lon, lat, lons, lats) GROUP BY polygon
)
SELECT polygon, ccbf_polygon_sum(sketch, wkt(lons, lats)) AS sketch,
       of_cells.n AS truth_of_cells, of_points.n AS truth_of_points
FROM polygons JOIN of_cells USING (polygon) JOIN of_points USING (polygon), quarter
ORDER BY sketch DESC;

.print
.print 8. LESS ROOM
.print So far every answer was exact, because the cells fitted into the sketch. With
.print 64 KiB for all 283,000 of them they do not. A sketch then becomes a tree: it
.print counts squares of cells, large ones where crimes are few. Sums over areas stay
.print close, with bounds that always hold, and empty country stays empty. With
.print counters that cells share, an option, what is added to quiet cells adds up over
.print an area. These are estimates, above or below the truth; ccbf_bbox_sum and ccbf_get
.print never answer too little.
.print

CREATE OR REPLACE TABLE small AS
SELECT 'tree' AS form, ccbf_agg(lon, lat, 0.001, {bytes: 65536}) AS sketch FROM points
UNION ALL
SELECT 'counters', ccbf_agg(lon, lat, 0.001, {bytes: 65536, overflow: 'counters'}) FROM points;

SELECT form, octet_length(sketch) AS bytes,
       round((ccbf_error(sketch)).occupied_excess, 2) AS too_much_at_cells_with_points
FROM small;

WITH answers AS (
  SELECT box, form, ccbf_bbox_estimate(sketch, xmin, ymin, xmax, ymax) AS e FROM boxes, small
), truth AS (
  SELECT box, count(lon) AS n FROM boxes LEFT JOIN points ON lon >= xmin AND lon < xmax AND lat >= ymin AND lat < ymax GROUP BY box
)
SELECT box,
       any_value(round(e.estimate)::BIGINT) FILTER (WHERE form = 'tree') AS tree,
       any_value(e.low) FILTER (WHERE form = 'tree') AS low, any_value(e.high) FILTER (WHERE form = 'tree') AS high,
       any_value(round(e.estimate)::BIGINT) FILTER (WHERE form = 'counters') AS counters,
       any_value(n) AS truth
FROM answers JOIN truth USING (box)
GROUP BY box
ORDER BY truth DESC;
