-- Spectral Bloomjoin: a join between two databases that sends a sketch instead of
-- the rows (Cohen and Matias 2003, section 5.3). The two sites are two databases
-- attached to one session; the script counts the bytes that would cross the network.
--
--   ccbfsql -f examples/sql/bloomjoin.sql

ATTACH ':memory:' AS shop;
ATTACH ':memory:' AS warehouse;

-- The shop has 5,000 customers. The warehouse has 200,000 orders of 50,000
-- customers of many shops, a few of whom order a lot.
CREATE TABLE shop.customers AS
SELECT i * 10 AS customer, 'name ' || i AS name FROM range(5000) AS r(i);
CREATE TABLE warehouse.orders AS
SELECT i AS order_id, (50000 * pow(i / 200000, 3))::BIGINT AS customer, 'parcel ' || i AS content
FROM range(200000) AS r(i);

-- The query: which customers of the shop have at least 20 orders, and how many?
CREATE TABLE exact AS
SELECT customer, count(*) AS n
FROM shop.customers JOIN warehouse.orders USING (customer)
GROUP BY customer HAVING count(*) >= 20;

-- 1. The full join: the warehouse sends the customer of every order, 8 bytes each.
-- 2. A plain Bloomjoin: the shop sends a Bloom filter of its customers, the
--    warehouse sends back the orders that pass.
-- 3. A spectral Bloomjoin: the warehouse sends one sketch of its orders. The shop
--    multiplies it by its own sketch and looks up the counts. Nothing is sent back.
CREATE TABLE sent AS
WITH bloom AS MATERIALIZED (SELECT bloom_agg(customer, {capacity: 5000, fpp: 0.01}) AS s FROM shop.customers),
     theirs AS MATERIALIZED (SELECT sbf_agg(customer, {capacity: 30000, encoding: 'steps'}) AS s FROM warehouse.orders),
     ours AS MATERIALIZED (SELECT sbf_agg(customer, {capacity: 30000, encoding: 'steps'}) AS s FROM shop.customers)
SELECT (SELECT count(*) * 8 FROM warehouse.orders) AS full_join,
       (SELECT octet_length(s) FROM bloom)
       + (SELECT count(*) * 8 FROM warehouse.orders, bloom WHERE bloom_contains(s, customer)) AS plain_bloomjoin,
       (SELECT octet_length(s) FROM theirs) AS spectral_bloomjoin,
       (SELECT sbf_join(theirs.s, ours.s) FROM theirs, ours) AS product;

SELECT full_join, plain_bloomjoin, spectral_bloomjoin FROM sent;

-- The result at the shop. No customer is missing, but counts can be too high.
CREATE TABLE answer AS
SELECT customer, sbf_get(product, customer) AS n
FROM shop.customers, sent
WHERE sbf_get(product, customer) >= 20;

SELECT (SELECT count(*) FROM exact) AS in_truth,
       count(*) AS by_sketch,
       count(*) FILTER (exact.n IS NULL) AS too_many,
       count(*) FILTER (answer.n = exact.n) AS exactly_right,
       (SELECT count(*) FROM exact ANTI JOIN answer USING (customer)) AS missing
FROM answer LEFT JOIN exact USING (customer);

-- A sketch of half the size gives the same customers, but with more errors.
SELECT octet_length(s) AS bytes,
       count(*) FILTER (sbf_get(s, customer) >= 20) AS by_sketch,
       (SELECT count(*) FROM exact) AS in_truth
FROM shop.customers,
     (SELECT sbf_agg(customer, {capacity: 15000, encoding: 'steps'}) AS s FROM warehouse.orders)
GROUP BY s;
