-- A table of sketches that stays fresh: new days, late rows, a day that is deleted.
--
--   ccbfsql -f examples/sql/refresh.sql

-- A week of rides through a town; the 10th of May arrives later, and some rows of the 9th
-- later still.
CREATE TABLE rides AS
SELECT DATE '2026-05-04' + (i % 7)::INTEGER AS day, 13.2 + 0.1 * (u + v + w) AS lon, 52.4 + 0.06 * (v + w + t) AS lat,
       i % 7 = 5 AND i % 11 = 0 AS late
FROM (SELECT i, hash(i, 1) % 10000 / 1e4 AS u, hash(i, 2) % 10000 / 1e4 AS v,
             hash(i, 3) % 10000 / 1e4 AS w, hash(i, 4) % 10000 / 1e4 AS t FROM range(20000) AS r(i));

-- One sketch per tile, over all days. The table days lists the days that are in.
CREATE TABLE tiles (tile VARCHAR PRIMARY KEY, sketch BLOB);
CREATE TABLE days (day DATE PRIMARY KEY);

CREATE MACRO sketches_of(first, last, are_late) AS TABLE
SELECT quadkey(lon, lat, 13, 0.002) AS tile, ccbf_agg(lon, lat, 0.002) AS sketch
FROM rides WHERE day BETWEEN first AND last AND late = are_late
GROUP BY ALL;

INSERT INTO tiles FROM sketches_of(DATE '2026-05-04', DATE '2026-05-09', false);
INSERT INTO days FROM range(DATE '2026-05-04', DATE '2026-05-10', INTERVAL 1 DAY);

-- The comparison below: the number of rides that should be counted, and of those that are.
CREATE MACRO check_table() AS TABLE
SELECT (SELECT sum(ccbf_total(sketch)) FROM tiles) AS counted,
       (SELECT count(*) FROM rides JOIN days USING (day) WHERE NOT late OR getvariable('late_in')) AS rides,
       (SELECT sum(ccbf_bbox_sum(sketch, 13.3, 52.44, 13.4, 52.5)) FROM tiles) AS in_a_box,
       (SELECT count(*) FROM rides JOIN days USING (day)
        WHERE (NOT late OR getvariable('late_in'))
          AND grid_center(grid_cell(lon, 0.002), 0.002) BETWEEN 13.3 AND 13.4 AND grid_center(grid_cell(lat, 0.002), 0.002) BETWEEN 52.44 AND 52.5) AS exact;
SET VARIABLE late_in = false;
FROM check_table();

-- A new day: sketches of tiles that exist are united, other tiles are inserted. The day and its
-- sketches are one transaction, so that a failed run adds nothing. A repeated run fails at the
-- primary key.
BEGIN;
INSERT INTO days VALUES (DATE '2026-05-10');
MERGE INTO tiles USING sketches_of(DATE '2026-05-10', DATE '2026-05-10', false) AS new ON tiles.tile = new.tile
WHEN MATCHED THEN UPDATE SET sketch = ccbf_union(tiles.sketch, new.sketch)
WHEN NOT MATCHED THEN INSERT VALUES (new.tile, new.sketch);
COMMIT;
FROM check_table();

-- Late rows of a day that is in: the same with ON CONFLICT. Group first: where one statement
-- has several rows of a key, DuckDB applies only one of them, silently.
INSERT INTO tiles FROM sketches_of(DATE '2026-05-09', DATE '2026-05-09', true)
ON CONFLICT DO UPDATE SET sketch = ccbf_union(sketch, excluded.sketch);
SET VARIABLE late_in = true;
FROM check_table();

-- A day that is deleted: its sketches are subtracted, tile by tile. The points must still
-- exist, or the day's sketches: only points that were added can be subtracted.
BEGIN;
DELETE FROM days WHERE day = DATE '2026-05-06';
MERGE INTO tiles USING (SELECT tile, ccbf_union_agg(sketch) AS sketch
                        FROM (FROM sketches_of(DATE '2026-05-06', DATE '2026-05-06', false)
                              UNION ALL FROM sketches_of(DATE '2026-05-06', DATE '2026-05-06', true))
                        GROUP BY tile) AS gone ON tiles.tile = gone.tile
WHEN MATCHED AND ccbf_total(tiles.sketch) = ccbf_total(gone.sketch) THEN DELETE
WHEN MATCHED THEN UPDATE SET sketch = ccbf_subtract(tiles.sketch, gone.sketch);
COMMIT;
FROM check_table();

-- The table has the same bytes as one that was built in one step.
SELECT count(*) AS tiles, count(*) FILTER (tiles.sketch = anew.sketch) AS equal
FROM tiles FULL JOIN (SELECT quadkey(lon, lat, 13, 0.002) AS tile, ccbf_agg(lon, lat, 0.002) AS sketch
                      FROM rides JOIN days USING (day) GROUP BY ALL) AS anew USING (tile);
