-- How often does each word occur? A Count-Min Sketch answers from a fixed number
-- of counters: never too low, and nearly always too high by at most epsilon of the
-- total.
--
--   ccbfsql -f examples/sql/words.sql

-- Two days of log lines: word n occurs about 20000 / n times.
CREATE TABLE lines AS
SELECT if(i % 2 = 0, 'monday', 'tuesday') AS day, 'word' || n AS word
FROM (SELECT n, unnest(range(20000 // n)) AS i FROM range(1, 20001) AS r(n));

CREATE TABLE days AS
SELECT day, cms_agg(word, {epsilon: 0.0005, delta: 0.001}) AS sketch
FROM lines
GROUP BY day;

SELECT day, cms_info(sketch).total AS words, octet_length(sketch) AS bytes,
       cms_info(sketch).error_bound AS too_high_by_at_most
FROM days
ORDER BY day;

-- Both days together, beside the exact counts.
SELECT word, cms_get(sketch, word) AS estimate, truth
FROM (SELECT cms_union_agg(sketch) AS sketch FROM days),
     (SELECT word, count(*) AS truth FROM lines
      WHERE word IN ('word1', 'word2', 'word50', 'word2000', 'word20000') GROUP BY word)
ORDER BY truth DESC;

-- Pairs of equal words, one from each day: the size of a join without the join.
SELECT cms_join_size(a.sketch, b.sketch) AS estimate,
       (SELECT sum(m * t) FROM (SELECT count(*) FILTER (day = 'monday') AS m, count(*) FILTER (day = 'tuesday') AS t
                                FROM lines GROUP BY word)) AS truth
FROM days AS a, days AS b
WHERE a.day = 'monday' AND b.day = 'tuesday';
