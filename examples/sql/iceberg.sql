-- Ad-hoc iceberg queries: which items occur at least T times, if T is chosen
-- after the sketch was built? (Cohen and Matias 2003, section 5.2.)
--
--   ccbfsql -f examples/sql/iceberg.sql

-- 20,000 items; item n is sold about 40000 / n times, in 400,000 rows.
CREATE TABLE sales AS
SELECT 'item ' || n AS item
FROM (SELECT n, unnest(range(greatest(40000 // n, 1))) FROM range(1, 20001) AS r(n));

-- One scan builds the sketch, for any threshold.
CREATE TABLE iceberg AS
SELECT sbf_agg(item, {capacity: 20000, k: 5, method: 'ms'}) AS s FROM sales;

SELECT octet_length(s) AS sketch_bytes,
       (SELECT count(DISTINCT item) FROM sales) AS items,
       (SELECT count(*) FROM sales) AS rows
FROM iceberg;

-- Candidates at several thresholds. No item is missing; wrong candidates have
-- counters in common with frequent items.
CREATE TABLE truth AS SELECT item, count(*) AS n FROM sales GROUP BY item;

SELECT t AS threshold,
       count(*) FILTER (n >= t) AS in_truth,
       count(*) FILTER (sbf_get(s, item) >= t) AS by_sketch,
       count(*) FILTER (n >= t AND sbf_get(s, item) < t) AS missing,
       count(*) FILTER (n < t AND sbf_get(s, item) >= t) AS too_many
FROM truth, iceberg, (VALUES (1000), (100), (10), (3)) AS v(t)
GROUP BY t ORDER BY t DESC;

-- A second scan that counts only the candidates makes the result exact. It
-- groups a few items, while the plain query would group all of them.
SELECT item, count(*) AS n
FROM sales, iceberg
WHERE sbf_get(s, item) >= 5000
GROUP BY item HAVING count(*) >= 5000
ORDER BY n DESC;

-- Several scans with very small sketches, for a known threshold: items that are
-- light in one sketch need not be counted in the next, which therefore has fewer
-- collisions. Each has 256 counters, for 20,000 items.
SET VARIABLE t = 2000;
CREATE TABLE scan1 AS SELECT sbf_agg(item, {counters: 256, k: 1, method: 'ms'}) AS s FROM sales;
CREATE TABLE scan2 AS SELECT sbf_agg(item, {counters: 256, k: 2, method: 'ms', seed: 2}) AS s
FROM sales WHERE sbf_get((SELECT s FROM scan1), item) >= getvariable('t');
CREATE TABLE scan3 AS SELECT sbf_agg(item, {counters: 256, k: 3, method: 'ms', seed: 3}) AS s
FROM sales
WHERE sbf_get((SELECT s FROM scan1), item) >= getvariable('t')
  AND sbf_get((SELECT s FROM scan2), item) >= getvariable('t');

SELECT count(*) FILTER (n >= t) AS in_truth,
       count(*) FILTER (one) AS after_one_scan,
       count(*) FILTER (one AND two) AS after_two,
       count(*) FILTER (one AND two AND three) AS after_three,
       count(*) FILTER (n >= t AND NOT (one AND two AND three)) AS missing
FROM (SELECT n, getvariable('t') AS t,
             sbf_get((SELECT s FROM scan1), item) >= getvariable('t') AS one,
             sbf_get((SELECT s FROM scan2), item) >= getvariable('t') AS two,
             sbf_get((SELECT s FROM scan3), item) >= getvariable('t') AS three
      FROM truth);
