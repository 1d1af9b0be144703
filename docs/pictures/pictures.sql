-- Draws the pictures of this folder that ccbf_png makes:
--
--   cd docs/pictures && ../../build/ccbfsql -f pictures.sql
--
-- Their data and licences: README.md.

CREATE TABLE uk AS
SELECT ccbf_agg(lon, lat, 0.01) AS exact,
  ccbf_agg(lon, lat, 0.01, {bytes: 57797 // 2}) AS tree_2,
  ccbf_agg(lon, lat, 0.01, {bytes: 57797 // 8}) AS tree_8,
  ccbf_agg(lon, lat, 0.01, {bytes: 57797 // 32}) AS tree_32,
  ccbf_agg(lon, lat, 0.01, {bytes: 57797 // 2, overflow: 'counters'}) AS counters_2,
  ccbf_agg(lon, lat, 0.01, {bytes: 57797 // 8, overflow: 'counters'}) AS counters_8,
  ccbf_agg(lon, lat, 0.01, {bytes: 57797 // 32, overflow: 'counters'}) AS counters_32
FROM '../../test/data/uk_crime_2018q4.parquet';

COPY (SELECT ccbf_png(exact, -8.4, 48.95, 2, 55.9, 480, 534, {label: 'Crimes recorded, October to December 2018', palette: 'ylorrd'}) FROM uk)
TO 'uk.png' (FORMAT BLOB);
COPY (SELECT ccbf_png(ccbf_agg(lon, lat, 0.001), -74.03, 40.68, -73.85, 40.83, 480, 528, {label: 'Yellow taxi pickups', palette: 'ylorrd'})
      FROM '../../test/data/nyc_taxi_pickups.parquet')
TO 'newyork.png' (FORMAT BLOB);
-- As in docs/MAPS.md.
COPY (SELECT ccbf_png(ccbf_agg(lon, lat, 0.001), -8.4, 49.8, 2, 55.9, 480, {label: 'Crimes recorded'})
      FROM '../../test/data/uk_crime_2018q4.parquet' WHERE month = '2018-10')
TO 'crimes.png' (FORMAT BLOB);

-- Fewer and fewer bytes.
COPY (SELECT ccbf_png(tree_2, -8.4, 48.95, 2, 55.9, 240, 267) FROM uk) TO 'uk-tree-2.png' (FORMAT BLOB);
COPY (SELECT ccbf_png(tree_8, -8.4, 48.95, 2, 55.9, 240, 267) FROM uk) TO 'uk-tree-8.png' (FORMAT BLOB);
COPY (SELECT ccbf_png(tree_32, -8.4, 48.95, 2, 55.9, 240, 267) FROM uk) TO 'uk-tree-32.png' (FORMAT BLOB);
COPY (SELECT ccbf_png(counters_2, -8.4, 48.95, 2, 55.9, 240, 267) FROM uk) TO 'uk-counters-2.png' (FORMAT BLOB);
COPY (SELECT ccbf_png(counters_8, -8.4, 48.95, 2, 55.9, 240, 267) FROM uk) TO 'uk-counters-8.png' (FORMAT BLOB);
COPY (SELECT ccbf_png(counters_32, -8.4, 48.95, 2, 55.9, 240, 267) FROM uk) TO 'uk-counters-32.png' (FORMAT BLOB);

-- Small trees beside the exact sketch, from afar.
CREATE TABLE pairs AS
SELECT 'uk' AS name, ccbf_agg(lon, lat, 0.001) AS exact, ccbf_agg(lon, lat, 0.001, {bytes: 20000}) AS tree
FROM '../../test/data/uk_crime_2018q4.parquet'
UNION ALL
SELECT 'cities', ccbf_agg(lon, lat, 0.01, {bytes: 4000000}), ccbf_agg(lon, lat, 0.01, {bytes: 20000})
FROM '../../test/data/geonames_cities.parquet'
UNION ALL
SELECT 'newyork', ccbf_agg(lon, lat, 0.0001), ccbf_agg(lon, lat, 0.0001, {bytes: 5000})
FROM '../../test/data/nyc_taxi_pickups.parquet';
SELECT name, octet_length(exact) AS exact_bytes, octet_length(tree) AS tree_bytes FROM pairs;

COPY (SELECT ccbf_png(exact, -8.4, 49.8, 2, 55.9, 360) FROM pairs WHERE name = 'uk') TO 'pair-uk-exact.png' (FORMAT BLOB);
COPY (SELECT ccbf_png(tree, -8.4, 49.8, 2, 55.9, 360) FROM pairs WHERE name = 'uk') TO 'pair-uk-tree.png' (FORMAT BLOB);
COPY (SELECT ccbf_png(exact, -180, -60, 180, 75, 360, 180) FROM pairs WHERE name = 'cities') TO 'pair-cities-exact.png' (FORMAT BLOB);
COPY (SELECT ccbf_png(tree, -180, -60, 180, 75, 360, 180) FROM pairs WHERE name = 'cities') TO 'pair-cities-tree.png' (FORMAT BLOB);
COPY (SELECT ccbf_png(exact, -74.03, 40.68, -73.85, 40.83, 360) FROM pairs WHERE name = 'newyork') TO 'pair-newyork-exact.png' (FORMAT BLOB);
COPY (SELECT ccbf_png(tree, -74.03, 40.68, -73.85, 40.83, 360) FROM pairs WHERE name = 'newyork') TO 'pair-newyork-tree.png' (FORMAT BLOB);
