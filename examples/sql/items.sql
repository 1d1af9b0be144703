-- Aggregates over given items, straight from a sketch (Cohen and Matias 2003, section 5.1):
-- the sketch is an index of how often each item occurs, so count, sum, avg, max and min
-- over any list of items need neither the table nor an index of it.
--
--   ccbfsql -f examples/sql/items.sql

-- Half a million sales of 20,000 articles, some of which sell much more than others.
CREATE TABLE sales AS
SELECT (20000 * pow((i * 7919 % 500000 + 0.5) / 500000, 3))::INT AS article FROM range(500000) t(i);

-- With minimal increase some counts depend on the order of the rows, and with several
-- threads the order differs between runs. One thread makes every run print the same.
SET threads = 1;
CREATE TABLE sketch AS SELECT sbf_agg(article, {capacity: 20000, method: 'mi'}) AS s FROM sales;

-- The items of the query: a campaign's articles, one of which nobody bought.
CREATE TABLE campaign AS SELECT unnest([3, 14, 159, 2653, 5897, 9323, 19990, 77777]) AS article;

WITH counts AS (SELECT article, sbf_get(s, article) AS n FROM campaign, sketch)
SELECT 'sketch' AS source, count(*) FILTER (n > 0) AS articles_sold, sum(n) AS sales, round(avg(n), 2) AS mean, max(n) AS most, min(n) AS least
FROM counts
UNION ALL
SELECT 'table', count(*) FILTER (n > 0), sum(n), round(avg(n), 2), max(n), min(n)
FROM (SELECT c.article, count(s.article) AS n FROM campaign c LEFT JOIN sales s USING (article) GROUP BY c.article)
ORDER BY source;

-- Over all articles: how often the sketch is right, and what it costs.
WITH truth AS (SELECT article, count(*) AS n FROM sales GROUP BY article)
SELECT count(*) AS articles, round(100.0 * avg((sbf_get(s, article) = n)::INT), 1) AS percent_exact,
       count(*) FILTER (sbf_get(s, article) < n) AS below, any_value(octet_length(s)) AS sketch_bytes
FROM truth, sketch;
