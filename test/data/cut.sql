-- Cuts the real data of this folder out of larger files. Run it in the folder that
-- has those, with this project's shell or with DuckDB's; the result is in its
-- subfolder cut, which must exist:
--
--   mkdir cut && ccbfsql -f .../test/data/cut.sql
--
-- Rows keep their order and numbers all their digits: docs/ACCURACY.md counts
-- points one by one in that order. Columns that nothing here reads are left out.
-- Parquet version 1 with zstd is the smallest for these: numbers of few decimals
-- come in runs, which the encodings of version 2 hide from zstd.

SET threads = 1;
SET preserve_insertion_order = true;

COPY (SELECT lon, lat, category, month FROM 'uk_crime_2018q4.parquet')
TO 'cut/uk_crime_2018q4.parquet' (COMPRESSION zstd, COMPRESSION_LEVEL 22);

COPY (SELECT lon, lat FROM 'nyc_taxi_pickups.parquet')
TO 'cut/nyc_taxi_pickups.parquet' (COMPRESSION zstd, COMPRESSION_LEVEL 22);

COPY (SELECT lon, lat, country FROM 'geonames_cities.parquet')
TO 'cut/geonames_cities.parquet' (COMPRESSION zstd, COMPRESSION_LEVEL 22);

COPY (SELECT elevation FROM 'covtype_elevation.parquet')
TO 'cut/covtype_elevation.parquet' (COMPRESSION zstd, COMPRESSION_LEVEL 22);

-- All as text: coordinates keep their digits.
COPY (SELECT Province, Country, Lat, Lon, "3/15/2020", "6/15/2020", "12/31/2020", "6/30/2021", "12/31/2021", "6/30/2022"
      FROM read_csv('jhu_covid19_confirmed_global.csv', header = true, all_varchar = true))
TO 'cut/jhu_covid19_confirmed_global.csv' (HEADER);

-- A country a line, and of its properties the two that name it. The CSV writer
-- is used as one that writes lines as they are.
COPY (SELECT line FROM (
        SELECT 0 AS i, '{"type": "FeatureCollection", "features": [' AS line
        UNION ALL
        SELECT i, '{"type": "Feature", "properties": {"NAME": ' || (f -> '$.properties.NAME') || ', "ISO_A3": ' || (f -> '$.properties.ISO_A3')
          || '}, "geometry": ' || (f -> '$.geometry') || '}' || if(i < count(*) OVER (), ',', '')
        FROM (SELECT unnest(features) AS f, generate_subscripts(features, 1) AS i
              FROM (SELECT (content::JSON -> '$.features')::JSON[] AS features FROM read_text('ne_110m_countries.geojson')))
        UNION ALL
        SELECT 1000, ']}')
      ORDER BY i)
TO 'cut/ne_110m_countries.geojson' (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER E'\x01');

-- A polygon a row: an island is one of its own. Four digits: the source has steps of 0.0036 degrees.
-- The source is countries-50m.json of the npm package world-atlas 2.0.2, a conversion of Natural
-- Earth, made GeoJSON by topo2geo of the npm package topojson-client 3.1.0.
COPY (SELECT country, regexp_replace(polygon, '(\.\d{4})\d+', '\1', 'g') AS polygon
      FROM (SELECT f ->> '$.properties.name' AS country,
              unnest(if(f ->> '$.geometry.type' = 'Polygon', [f -> '$.geometry.coordinates'], (f -> '$.geometry.coordinates')::JSON[]))::VARCHAR AS polygon
            FROM (SELECT unnest((content::JSON -> '$.features')::JSON[]) AS f FROM read_text('ne_50m_countries.geojson'))))
TO 'cut/ne_50m_countries.parquet' (COMPRESSION zstd, COMPRESSION_LEVEL 22);
