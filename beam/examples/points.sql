-- Two years of points around Berlin, one file per year: the input of rollup.sql.
--
--   mkdir -p points && ccbfsql -f points.sql

CREATE TABLE points AS
SELECT 13.1 + (i * 7919 % 10007) / 10007 * 0.6 AS lon,
       52.3 + (i * 104729 % 10009) / 10009 * 0.4 AS lat,
       DATE '2017-01-01' + (i * 31 % 730)::INTEGER AS day
FROM range(200000) AS r(i);

COPY (FROM points WHERE year(day) = 2017) TO 'points/2017.parquet';
COPY (FROM points WHERE year(day) = 2018) TO 'points/2018.parquet';
