-- Time as an axis: one sketch per map tile, with the day as its category, answers for any days and
-- any area: a table of weeks, a plot, two periods compared.
--
--   ccbfsql -f examples/sql/time.sql

-- Half a year of rides through a town: fewer on Sundays, and a new line in the east from April on.
CREATE TABLE rides AS
SELECT day, if(day >= DATE '2026-04-01' AND t < 0.25, 13.44 + 0.02 * u, 13.2 + 0.1 * (u + v + w)) AS lon, 52.4 + 0.06 * (v + w + t) AS lat
FROM (SELECT DATE '2026-01-01' + (i % 181)::INTEGER AS day, hash(i, 1) % 10000 / 1e4 AS u, hash(i, 2) % 10000 / 1e4 AS v,
             hash(i, 3) % 10000 / 1e4 AS w, hash(i, 4) % 10000 / 1e4 AS t FROM range(90000) AS r(i))
WHERE dayname(day) <> 'Sunday' OR u < 0.5;

CREATE TABLE tiles AS
SELECT quadkey(lon, lat, 11, 0.002) AS tile, ccbf_agg(lon, lat, 0.002, {category: day}) AS sketch
FROM rides
GROUP BY tile;

SET VARIABLE east = 'POLYGON ((13.4301 52.4301, 13.4701 52.4301, 13.4701 52.5601, 13.4301 52.5601, 13.4301 52.4301))';

-- All days, a month, and a list of days.
SELECT sum(ccbf_polygon_sum(sketch, getvariable('east'))) AS rides,
       sum(ccbf_polygon_sum(sketch, getvariable('east'), {lo: DATE '2026-05-01', hi: DATE '2026-05-31'})) AS in_may,
       sum(ccbf_polygon_sum(sketch, getvariable('east'), [DATE '2026-05-02', DATE '2026-05-03'])) AS a_weekend
FROM tiles;

-- The days of an area in one walk over it, added up to weeks, with a plot: the new line shows.
SELECT date_trunc('week', day.category::DATE)::DATE AS week, sum(day.total) AS rides, bar(rides, 0, 900, 30) AS plot
FROM (SELECT unnest(ccbf_categories(sketch, getvariable('east'))) AS day FROM tiles)
GROUP BY week
ORDER BY week;

-- By weekday.
SELECT isodow(day.category::DATE) AS number, any_value(dayname(day.category::DATE)) AS weekday, sum(day.total) AS rides, bar(rides, 0, 3000, 30) AS plot
FROM (SELECT unnest(ccbf_categories(sketch, getvariable('east'))) AS day FROM tiles)
GROUP BY number
ORDER BY number;

-- Two periods, place by place: the busiest cells before and after, then the cells that gained
-- most. A union has the days of all its parts, so two queries on it select the two periods.
SELECT period, place.count, round(place.x, 3) AS lon, round(place.y, 3) AS lat
FROM (SELECT period, unnest(ccbf_top_k(ccbf_union_agg(sketch), 3, days)) AS place
      FROM tiles, (VALUES ('first quarter', {lo: DATE '2026-01-01', hi: DATE '2026-03-31'}),
                          ('second quarter', {lo: DATE '2026-04-01', hi: DATE '2026-06-30'})) AS p(period, days)
      GROUP BY period, days)
ORDER BY period, place.count DESC;

CREATE TABLE quarters AS
SELECT quarter(day) AS quarter, ccbf_agg(lon, lat, 0.002) AS sketch FROM rides GROUP BY quarter;

SELECT round(cell.x, 3) AS lon, round(cell.y, 3) AS lat, cell.count AS more
FROM (SELECT unnest(ccbf_difference(b.sketch, a.sketch)) AS cell
      FROM quarters AS a, quarters AS b WHERE a.quarter = 1 AND b.quarter = 2)
ORDER BY more DESC, lon, lat
LIMIT 3;

-- Day and hour in one category, selected by one of them or by both. The sketch
-- stores no field names: a field of the query selects the part of the category that has its type.
CREATE TABLE hours AS
SELECT ccbf_agg(lon, lat, 0.002, {category: {day: day, hour: hash(lat) % 24}}) AS sketch FROM rides;

SELECT ccbf_polygon_sum(sketch, getvariable('east'), {day: {lo: DATE '2026-05-01', hi: DATE '2026-05-31'}}) AS in_may,
       ccbf_polygon_sum(sketch, getvariable('east'), {hour: [22, 23, 0, 1]}) AS at_night,
       ccbf_polygon_sum(sketch, getvariable('east'), {day: {lo: DATE '2026-05-01', hi: DATE '2026-05-31'}, hour: [22, 23, 0, 1]}) AS both_of_them
FROM hours;

-- The hours of one day: a cast parses the text of a category.
SELECT (part.category::STRUCT(day DATE, hour INTEGER)).hour AS hour, part.total AS rides
FROM (SELECT unnest(ccbf_categories(sketch, getvariable('east'), {day: DATE '2026-05-02'})) AS part FROM hours)
ORDER BY hour
LIMIT 3;

-- The exact counts, for the area, the month of May and the night.
SELECT count(*) AS rides, count(*) FILTER (month(day) = 5) AS in_may, count(*) FILTER (hash(lat) % 24 IN (22, 23, 0, 1)) AS at_night,
       count(*) FILTER (month(day) = 5 AND hash(lat) % 24 IN (22, 23, 0, 1)) AS both_of_them
FROM rides
WHERE grid_center(grid_cell(lon, 0.002), 0.002) BETWEEN 13.4301 AND 13.4701 AND grid_center(grid_cell(lat, 0.002), 0.002) BETWEEN 52.4301 AND 52.5601;
