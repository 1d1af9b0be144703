-- How large will a join be? Bifocal sampling (Ganguly, Gibbons, Matias and
-- Silberschatz 1996) with a sketch in place of the index (Cohen and Matias 2003,
-- section 5.4): values that are frequent on both sides are estimated from two
-- samples; for all others a sample of one side looks up the other side's count.
--
--   ccbfsql -f examples/sql/bifocal.sql

-- Two tables of about 100,000 rows, skewed in different ways.
CREATE TABLE r AS
SELECT row_number() OVER () AS i, n AS a
FROM (SELECT n, unnest(range(greatest(10000 // n, 1))) FROM range(1, 12001) AS v(n));
CREATE TABLE s AS
SELECT row_number() OVER () AS i, n AS a
FROM (SELECT n, unnest(range(greatest(8000 // (1 + n // 3), 1))) FROM range(1, 9001) AS v(n));

-- One row in a hundred, drawn by a hash so that every run draws the same rows.
CREATE TABLE sample_r AS SELECT a FROM r WHERE md5_number_lower(i::VARCHAR) % 100 = 3;
CREATE TABLE sample_s AS SELECT a FROM s WHERE md5_number_lower(i::VARCHAR) % 100 = 3;

CREATE TABLE sketches AS
SELECT (SELECT sbf_agg(a, {capacity: 12000}) FROM r) AS of_r,
       (SELECT sbf_agg(a, {capacity: 12000}) FROM s) AS of_s;

-- A value is dense on a side if it occurs so often that a sample of one in a
-- hundred contains it a few times.
SET VARIABLE dense = 400;

CREATE TABLE parts AS
WITH
-- Dense in both: the counts of the samples, each about a hundredth of the exact count.
dense_dense AS (
  SELECT coalesce(sum(m * 100.0 * n * 100.0), 0) AS size
  FROM (SELECT a, count(*) AS m FROM sample_r GROUP BY a)
  JOIN (SELECT a, count(*) AS n FROM sample_s GROUP BY a) USING (a), sketches
  WHERE sbf_get(of_r, a) >= getvariable('dense') AND sbf_get(of_s, a) >= getvariable('dense')),
-- Sparse in r: every sparse row in the sample of r is looked up in the sketch of s.
sparse_any AS (
  SELECT coalesce(sum(sbf_get(of_s, a)) * 100.0, 0) AS size
  FROM sample_r, sketches WHERE sbf_get(of_r, a) < getvariable('dense')),
-- Dense in r and sparse in s: the other way round.
dense_sparse AS (
  SELECT coalesce(sum(sbf_get(of_r, a)) * 100.0, 0) AS size
  FROM sample_s, sketches
  WHERE sbf_get(of_s, a) < getvariable('dense') AND sbf_get(of_r, a) >= getvariable('dense'))
SELECT dense_dense.size AS dense_dense, sparse_any.size AS sparse_any, dense_sparse.size AS dense_sparse
FROM dense_dense, sparse_any, dense_sparse;

SELECT dense_dense::BIGINT AS dense_dense, sparse_any::BIGINT AS sparse_any, dense_sparse::BIGINT AS dense_sparse,
       (dense_dense + sparse_any + dense_sparse)::BIGINT AS estimate, truth,
       round((dense_dense + sparse_any + dense_sparse) / truth, 4) AS ratio
FROM parts, (SELECT count(*) AS truth FROM r JOIN s USING (a));

-- The input of the estimate: two samples and two sketches.
SELECT (SELECT count(*) FROM sample_r) + (SELECT count(*) FROM sample_s) AS sampled_rows,
       (SELECT count(*) FROM r) + (SELECT count(*) FROM s) AS all_rows,
       octet_length(of_r) + octet_length(of_s) AS sketch_bytes
FROM sketches;
