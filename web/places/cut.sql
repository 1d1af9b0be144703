-- Cuts the names of places out of a larger file of GeoNames (CC BY 4.0) for the map's
-- labels and its search. Run it with this project's shell, or DuckDB's, in the folder
-- that has that file:
--
--   ccbfsql -f .../web/places/cut.sql
--
-- A third decimal is 100 metres, which is closer than a place is one point. Sorted by
-- place, as lines that are near each other have much in common.

SET threads = 1;

COPY (SELECT replace(replace(name, E'\t', ' '), '"', '') AS name, country, printf('%.3f', lon) AS lon, printf('%.3f', lat) AS lat
      FROM 'geonames_cities.parquet'
      WHERE name <> '' AND country <> ''
      ORDER BY quadkey(lon, lat, 14), name)
TO 'places.tsv.gz' (FORMAT csv, DELIMITER E'\t', HEADER false, QUOTE '', ESCAPE '', COMPRESSION gzip);
