-- A lab of three sketches, step by step: the Bloom filter, the cuckoo filter and the
-- Count-Min Sketch. What is inside them can be seen at each step.
--
--   ccbfsql -f examples/sql/lab.sql

-- 1. Bloom filter: parameters. For n = 1000 keys and a false positive rate of 1% the
-- textbook says m = ceil(-n ln(epsilon) / ln(2)^2) bits and k = ceil(m ln(2) / n).
SELECT ceil(-1000 * ln(0.01) / ln(2) ** 2) AS m, ceil(ceil(-1000 * ln(0.01) / ln(2) ** 2) * ln(2) / 1000) AS k,
       i.bits, i.k AS hash_functions
FROM (SELECT bloom_info(bloom_empty({capacity: 1000, fpp: 0.01})) AS i);

-- Inserts into 16 bits, with 2 hash functions: each key sets at most 2 bits.
CREATE TABLE small AS
SELECT 0 AS step, ''::VARCHAR AS key, bloom_empty({bits: 16, k: 2}) AS s;
INSERT INTO small SELECT 1, 'oak', bloom_add(s, 'oak') FROM small WHERE step = 0;
INSERT INTO small SELECT 2, 'elm', bloom_add(s, 'elm') FROM small WHERE step = 1;
INSERT INTO small SELECT 3, 'ash', bloom_add(s, 'ash') FROM small WHERE step = 2;
SELECT step, key, array_to_string(list_transform(bloom_bits(s), lambda b: b::INT), '') AS bits FROM small ORDER BY step;

-- Keys that were added are always found. Some others are found too: false positives.
SELECT tree, tree IN ('oak', 'elm', 'ash') AS added, bloom_contains(s, tree) AS found
FROM small, (VALUES (1, 'oak'), (2, 'elm'), (3, 'ash'), (4, 'fir'), (5, 'yew'), (6, 'pine'), (7, 'larch'), (8, 'beech'), (9, 'maple')) t(n, tree)
WHERE step = 3 ORDER BY n;

-- The false positive rate of 1,000 keys in 9,586 bits, for k from 1 to 12: measured with
-- 100,000 absent keys, and predicted from the bits that are set. The best k is near 7.
CREATE TABLE swept AS
SELECT k, bloom_agg('key ' || i, {bits: 9586, k: k}) AS s FROM range(1000) a(i), range(1, 13) b(k) GROUP BY k;
SELECT k, count(*) FILTER (bloom_contains(s, 'absent ' || i)) AS wrong_of_100000, round(100000 * bloom_fpp(any_value(s))) AS promised
FROM swept, range(100000) t(i) GROUP BY k ORDER BY k;

-- 2. Cuckoo filter: buckets of one fingerprint, as on the slides. Each key has two
-- buckets; if both are taken, a fingerprint moves to its other bucket.
SELECT n AS keys, cuckoo_buckets(cuckoo_agg('key ' || i, {buckets: 8, slots: 1, fingerprint_bits: 8})) AS buckets
FROM range(1, 5) a(n), range(5) b(i) WHERE i < n GROUP BY n ORDER BY n;

-- Until it is full: after 500 moves without an empty bucket, or max_kicks, the filter
-- refuses a key. With more slots in a bucket it accepts far more keys. Each row is a filter of 256
-- slots, and the number of keys before the first that did not fit. (A key whose
-- fingerprint is there already takes no slot.)
CREATE TABLE filling AS
WITH RECURSIVE f(slots, n, s) AS (
  SELECT slots, 0, cuckoo_empty({buckets: 256 // slots, slots: slots}) FROM (VALUES (1), (2), (4), (8)) t(slots)
  UNION ALL
  SELECT slots, n + 1, TRY(cuckoo_add(s, 'key ' || n)) FROM f WHERE s IS NOT NULL)
SELECT slots, n, s FROM f;
SELECT slots, max(n) FILTER (s IS NOT NULL) AS keys, round(max(n) FILTER (s IS NOT NULL) / 256, 2) AS load FROM filling GROUP BY slots ORDER BY slots;

-- Deletion needs a multiset: a set would forget other keys with the same fingerprint.
CREATE TABLE trees AS
SELECT cuckoo_agg(tree, {buckets: 4, duplicates: true}) AS s FROM (VALUES ('oak'), ('elm'), ('oak')) t(tree);
SELECT cuckoo_count(s, 'oak') AS oaks, cuckoo_count(cuckoo_remove(s, 'oak'), 'oak') AS one_removed,
       cuckoo_contains(cuckoo_remove(cuckoo_remove(s, 'oak'), 'oak'), 'oak') AS still_there,
       cuckoo_contains(cuckoo_remove(s, 'oak'), 'elm') AS elm
FROM trees;

-- 3. Count-Min Sketch: a table of counters. A key counts in one counter of each row, and
-- the smallest of these is the estimate: never too low.
SELECT cms_table(s) AS counters, cms_get(s, 'oak') AS oak, cms_get(s, 'elm') AS elm, cms_get(s, 'fir') AS fir
FROM (SELECT cms_agg(tree, {width: 5, depth: 3}) AS s FROM (VALUES ('oak'), ('elm'), ('oak'), ('ash'), ('yew'), ('oak')) t(tree));

-- Its bound: with width = ceil(e / epsilon) and depth = ceil(ln(1 / delta)), a count is
-- too high by more than epsilon * total for at most a fraction delta of the keys.
CREATE TABLE words AS SELECT 'word ' || n AS word FROM (SELECT n, unnest(range(5000 // n)) FROM range(1, 5001) r(n));
SELECT i.width, i.depth, i.total, round(i.error_bound) AS bound, count(*) AS keys,
       count(*) FILTER (estimate < truth) AS too_low, count(*) FILTER (estimate > truth + i.error_bound) AS beyond_bound, floor(0.01 * count(*)) AS at_most
FROM (SELECT cms_info(s) AS i, cms_get(s, word) AS estimate, truth
      FROM (SELECT cms_agg(word, {epsilon: 0.002, delta: 0.01}) AS s FROM words), (SELECT word, count(*) AS truth FROM words GROUP BY word))
GROUP BY i ORDER BY i;

-- 4. A picture of any small sketch: write it to a file, and open that in a browser.
--
--   .mode list
--   .once filter.svg
--   SELECT sketch_svg(bloom_agg(i, {bits: 64, k: 3})) FROM range(5) t(i);
SELECT left(sketch_svg(s), 4) AS begins, length(regexp_extract_all(sketch_svg(s), '<rect')) AS bits FROM small WHERE step = 3;
