-- Sliding windows: how often was each page viewed in the last seven days?
--
--   ccbfsql -f examples/sql/window.sql

-- Four weeks of page views. The page of the day gets most of them.
CREATE TABLE views AS
SELECT day, 'page ' || if(i % 3 = 0, day % 10, i * 31 % 400) AS page
FROM range(1, 29) AS d(day), range(2000) AS r(i);

-- One way: one sketch per day, and the union of seven of them as a window frame.
CREATE TABLE days AS
SELECT day, sbf_agg(page, {capacity: 500, method: 'ms'}) AS s FROM views GROUP BY day;
CREATE TABLE weeks AS
SELECT day, sbf_union_agg(s) OVER (ORDER BY day ROWS 6 PRECEDING) AS s FROM days;

SELECT day, sbf_get(s, 'page 4') AS page_4, truth
FROM weeks JOIN (
  SELECT d.day, count(*) AS truth FROM days AS d JOIN views AS v ON v.day BETWEEN d.day - 6 AND d.day
  WHERE page = 'page 4' GROUP BY d.day) USING (day)
WHERE day IN (7, 14, 16, 21, 28)
ORDER BY day;

-- Over all pages and days: counts are never too low; how often are they too high?
SELECT count(*) AS answers,
       count(*) FILTER (sbf_get(s, page) < n) AS too_low,
       count(*) FILTER (sbf_get(s, page) > n) AS too_high
FROM weeks JOIN (
  SELECT d.day, page, count(*) AS n FROM days AS d JOIN views AS v ON v.day BETWEEN d.day - 6 AND d.day
  GROUP BY d.day, page) USING (day);

-- The other way: one sketch. Add each new day, and remove the day that leaves the
-- window, page by page with its count.
CREATE TABLE leaving AS
SELECT page, count(*) AS n, row_number() OVER (ORDER BY page) AS i FROM views WHERE day = 1 GROUP BY page;

WITH RECURSIVE removed AS (
  SELECT 0::BIGINT AS i, sbf_union(w.s, d.s) AS s FROM weeks AS w, days AS d WHERE w.day = 7 AND d.day = 8
  UNION ALL
  SELECT removed.i + 1, sbf_remove(s, page, {weight: n}) FROM removed JOIN leaving ON leaving.i = removed.i + 1)
SELECT (SELECT s FROM removed ORDER BY i DESC LIMIT 1) = (SELECT s FROM weeks WHERE day = 8) AS same_as_the_union_of_days_2_to_8;
