-- Has this URL been seen before? A crawler's memory as one BLOB: no seen URL is
-- taken for new, and few new ones are taken for seen.
--
--   ccbfsql -f examples/sql/dedup.sql

-- Three days with 50,000 fetched URLs each; many occur again.
CREATE TABLE log AS
SELECT day, 'https://example.org/page/' || (i * (12 + day) % 71993) AS url
FROM range(1, 4) AS d(day), range(50000) AS r(i);

-- The URLs of the first two days: a filter for 100,000 URLs with 1% errors.
CREATE TABLE seen AS
SELECT bloom_agg(url, {capacity: 100000, fpp: 0.01}) AS s FROM log WHERE day <= 2;

SELECT octet_length(s) AS bytes,
       (SELECT sum(octet_length(url::BLOB)) FROM (SELECT DISTINCT url FROM log WHERE day <= 2)) AS bytes_of_the_urls,
       round((bloom_info(s)).cardinality) AS about_so_many_urls,
       (SELECT count(DISTINCT url) FROM log WHERE day <= 2) AS truth,
       round(bloom_fpp(s), 5) AS rate_of_errors_now
FROM seen;

-- Day 3: fetch the URLs that are certainly new.
CREATE TABLE day3 AS
SELECT DISTINCT url, url IN (SELECT url FROM log WHERE day <= 2) AS seen_before FROM log WHERE day = 3;

SELECT count(*) AS urls,
       count(*) FILTER (NOT bloom_contains(s, url)) AS fetched,
       count(*) FILTER (NOT seen_before) AS new,
       count(*) FILTER (NOT seen_before AND bloom_contains(s, url)) AS new_but_skipped,
       count(*) FILTER (seen_before AND NOT bloom_contains(s, url)) AS fetched_twice
FROM day3, seen;

-- Add the new day: the union is the filter of all three days.
UPDATE seen SET s = bloom_union(s, (SELECT bloom_agg(url, {capacity: 100000, fpp: 0.01}) FROM log WHERE day = 3));
SELECT s = (SELECT bloom_agg(url, {capacity: 100000, fpp: 0.01}) FROM log) AS same_as_built_at_once FROM seen;

-- A crawler that also forgets: a cuckoo filter with duplicates can remove URLs,
-- and always finds those that remain.
CREATE TABLE current AS
SELECT cuckoo_agg(url, {capacity: 60000, duplicates: true}) AS s FROM (SELECT DISTINCT url FROM log WHERE day = 1);

WITH RECURSIVE
gone AS (SELECT url, row_number() OVER (ORDER BY url) AS i FROM (SELECT DISTINCT url FROM log WHERE day = 1) LIMIT 100),
without AS (
  SELECT 0::BIGINT AS i, s FROM current
  UNION ALL
  SELECT without.i + 1, cuckoo_remove(s, gone.url) FROM without JOIN gone ON gone.i = without.i + 1)
SELECT count(*) FILTER (gone.url IS NULL AND NOT cuckoo_contains(s, u.url)) AS kept_but_missed,
       count(*) FILTER (gone.url IS NOT NULL) AS removed,
       count(*) FILTER (gone.url IS NOT NULL AND cuckoo_contains(s, u.url)) AS removed_but_still_found
FROM (SELECT s FROM without WHERE i = 100), (SELECT DISTINCT url FROM log WHERE day = 1) AS u LEFT JOIN gone USING (url);
