package load

import (
	"strconv"
)

// areas returns a query that compares sums over boxes, polygons, rasters and places of sketches per
// group with the rows themselves.
func areas(d draw) string {
	r := d.One("1", "0.5", "2", "0.1", "3.0")
	xmin, ymin := d.Between(-8, 10), d.Between(-8, 10)
	names := []string{
		"table", d.One("t0", "t0", "t1"), "key", d.One("g", "h", "i % 3", "c", "1"), "r", r,
		// The edges end in .03, so that none passes through the centre of a cell.
		"xmin", strconv.Itoa(xmin) + ".03", "ymin", strconv.Itoa(ymin) + ".03",
		"xmax", strconv.Itoa(xmin+d.Between(1, 12)) + ".03", "ymax", strconv.Itoa(ymin+d.Between(1, 12)) + ".03",
		"options", d.One("", "", ", {bytes: 100000}", ", {bytes: 400}", ", {exact: false, bytes: 3000}", ", {exact: false, bytes: 5000, levels: 3}", ", {exact: false, mode: 'standard', bytes: 2000}"),
	}
	exact := names[len(names)-1] == "" || names[len(names)-1] == ", {bytes: 100000}"
	off := "<" // operator that finds wrong rows: the result is below the truth m
	if exact {
		off = "IS DISTINCT FROM"
	}
	ask := d.One(
		"ccbf_bbox_sum(s, $xmin, $ymin, $xmax, $ymax)",
		"ccbf_polygon_sum(s, 'POLYGON (($xmin $ymin, $xmax $ymin, $xmax $ymax, $xmin $ymax, $xmin $ymin))')",
		"list_sum(ccbf_raster(s, $xmin, $ymin, $xmax, $ymax, 3, 4))",
		"coalesce(list_sum(list_transform(ccbf_hotspots(s, $xmin, $ymin, $xmax, $ymax, 1), lambda o: o.count)), 0)",
		"coalesce(list_sum(list_transform(ccbf_top_k(s, $xmin, $ymin, $xmax, $ymax, 100000), lambda o: o.count)), 0)",
	)
	rows := "(SELECT x, y, $key AS key, (floor(x / $r) + 0.5) * $r AS cx, (floor(y / $r) + 0.5) * $r AS cy FROM $table)"
	if d.Chance(2) {
		// The query looks up each point in the sketch of its group. After a join, BLOBs arrive as
		// dictionary vectors.
		return fill(`SELECT count(*) AS n, count(*) FILTER (n `+off+` m OR NOT there) AS bad FROM (
  SELECT ccbf_get(s, x, y)::BIGINT AS n, ccbf_contains(s, x, y) AS there, sum(1) OVER (PARTITION BY p.key, cx, cy) AS m, x
  FROM `+rows+` p JOIN (SELECT key, ccbf_agg(x, y, $r$options) AS s FROM `+rows+` GROUP BY key) q ON p.key IS NOT DISTINCT FROM q.key
  WHERE x IS NOT NULL AND y IS NOT NULL)`+d.One("", " WHERE x > 1", " WHERE hash(x) % 3 > 0"), names...)
	}
	return fill(`SELECT count(*) AS n, count(*) FILTER (coalesce(`+ask+`, 0)::BIGINT `+off+` m) AS bad FROM (
  SELECT key, ccbf_agg(x, y, $r$options) AS s, count(*) FILTER (cx >= $xmin AND cx < $xmax AND cy >= $ymin AND cy < $ymax) AS m FROM `+rows+` GROUP BY key)`, names...)
}

// sets returns a query that checks unions of parts, and the whole minus a part, against the rows.
func sets(d draw) string {
	t := d.One("t0", "t0", "t1")
	m := d.Text(2, 5)
	by := d.One("", " GROUP BY g", " GROUP BY h, b", " GROUP BY ROLLUP (g, h)")
	ccbf := "ccbf_agg(x, y, 1" + d.One("", ", {bytes: 100000}", ", {exact: false, mode: 'standard', bytes: 3000}") + ")"
	key := d.One("k", "s", "day", "m")
	cms := "cms_agg(" + key + ", {width: " + d.Text(5, 50) + "})"
	bloom := "bloom_agg(" + key + ", {capacity: 60" + d.One("", ", variant: 'rational'") + "})"
	sbf := "sbf_agg(" + key + ", {capacity: 60})"
	var wrong string
	call := ccbf
	switch d.IntN(7) {
	case 0:
		wrong = "ccbf_union(a, b) IS DISTINCT FROM w OR ccbf_union(b, a) IS DISTINCT FROM w"
	case 1:
		wrong = "a IS NOT NULL AND b IS NOT NULL AND (ccbf_total(ccbf_subtract(w, a)) IS DISTINCT FROM ccbf_total(b) OR (ccbf_info(a)).exact AND ccbf_subtract(w, b) IS DISTINCT FROM a)"
	case 2:
		call = cms
		wrong = "cms_union(a, b) IS DISTINCT FROM w OR cms_union(b, a) IS DISTINCT FROM w"
	case 3:
		call = bloom
		wrong = "bloom_union(a, b) IS DISTINCT FROM w OR list_bool_or(list_transform(list_distinct(list_intersect(ka, kb)), lambda z: NOT bloom_contains(bloom_intersect(a, b), z)))"
	case 4:
		call = sbf
		wrong = "sbf_union(a, b) IS DISTINCT FROM w OR coalesce(list_bool_or(list_transform(hist(ka), lambda e: sbf_get(sbf_join(a, b), e.key) < e.value * len(list_filter(kb, lambda z: z = e.key)))), false)"
	case 5:
		call = cms
		wrong = "cms_join_size(a, b) < list_sum(list_transform(hist(ka), lambda e: e.value * len(list_filter(kb, lambda z: z = e.key))))"
	case 6: // one by one in a recursive query
		return fill(`WITH RECURSIVE rows AS (SELECT row_number() OVER (ORDER BY i) AS j, x, y FROM (FROM $t WHERE x IS NOT NULL AND y IS NOT NULL ORDER BY i LIMIT 40)),
r(j, s) AS (SELECT 0::BIGINT, ccbf_empty(1$o) UNION ALL SELECT rows.j, ccbf_add(r.s, rows.x, rows.y) FROM r JOIN rows ON rows.j = r.j + 1)
SELECT count(*) AS n, count(*) FILTER ((SELECT count(*) FROM rows) > 0 AND r.s IS DISTINCT FROM (SELECT ccbf_agg(x, y, 1$o ORDER BY j) FROM rows)) AS bad FROM (SELECT arg_max(s, j) AS s, max(j) AS j FROM r) r`,
			"t", t, "o", d.One("", ", {exact: false, mode: 'standard', bytes: 500}", ", {exact: false, bytes: 900}"))
	}
	valid := key + " IS NOT NULL"
	return fill(`SELECT count(*) AS n, count(*) FILTER ($wrong) AS bad FROM (
  SELECT $call FILTER (i % $m = 0) AS a, $call FILTER (i % $m > 0) AS b, $call AS w,
    coalesce(list($key) FILTER (i % $m = 0 AND $valid), []) AS ka, coalesce(list($key) FILTER (i % $m > 0 AND $valid), []) AS kb
  FROM $t$by)`, "wrong", wrong, "call", call, "m", m, "key", key, "valid", valid, "t", t, "by", by)
}

// joins returns a query that uses sketches in conditions of joins and filters, and stores them in
// tables in between.
func joins(d draw) string {
	t, u := d.One("t0", "t1", "t2", "t3"), d.One("t0", "t1")
	key := d.One("k", "s", "day", "m", "h")
	names := []string{"t", t, "u", u, "key", key,
		"agg", d.One("bloom_agg($key, {capacity: 100})", "bloom_agg($key, {capacity: 100, variant: 'blocks'})"),
		"cbf", "cbf_agg($key, {capacity: 100, counter_bits: 16})", "cuckoo", "cuckoo_agg($key, {capacity: 200})"}
	switch d.IntN(5) {
	case 0:
		return fill(fill("SELECT count(*) AS n, count(*) FILTER (NOT bloom_contains(f, $key)) AS bad FROM $t, (SELECT $agg AS f FROM $u) WHERE $key IN (SELECT $key FROM $u)", names...), names...)
	case 1:
		return fill(fill("SELECT count(*) AS n, (SELECT count(*) FROM $t SEMI JOIN $u USING ($key)) - count(*) FILTER ($key IN (SELECT $key FROM $u)) AS bad FROM $t WHERE cbf_contains((SELECT $cbf FROM $u), $key)", names...), names...)
	case 2:
		return fill(fill("SELECT count(*) AS n, count(*) FILTER (NOT cuckoo_contains(f, $key)) AS bad FROM $t a JOIN (SELECT h AS oh, $cuckoo AS f FROM $t GROUP BY h) q ON a.h = q.oh WHERE a.$key IS NOT NULL", names...), names...)
	case 3: // smallest count of all existing parts
		return fill(`SELECT count(*) AS n, count(*) FILTER (have IS DISTINCT FROM want) AS bad FROM (
  SELECT coalesce((SELECT `+cellsList+` FROM (SELECT ccbf_intersect_agg(s) AS s FROM (SELECT h, ccbf_agg(x, y, 4) AS s FROM $t GROUP BY h))), []) AS have,
    (SELECT coalesce(list({x: x, y: y, n: n} ORDER BY x, y), []) FROM (SELECT x, y, min(n) AS n FROM (SELECT h, floor(x / 4)::BIGINT AS x, floor(y / 4)::BIGINT AS y, count(*) AS n FROM $t WHERE x IS NOT NULL AND y IS NOT NULL GROUP BY ALL)
      GROUP BY x, y HAVING count(*) = (SELECT count(DISTINCT h) FROM $t WHERE x IS NOT NULL AND y IS NOT NULL))) AS want)`, names...)
	}
	return fill(`WITH q AS MATERIALIZED (SELECT g, h, ccbf_agg(x, y, 0.5) AS s, count(*) FILTER (x IS NOT NULL AND y IS NOT NULL) AS n FROM $t GROUP BY CUBE (g, h)),
r AS (SELECT g, ccbf_union_agg(s) AS s, sum(n) AS n FROM q WHERE h IS NOT NULL GROUP BY g)
SELECT count(*) AS n, count(*) FILTER (coalesce(ccbf_total(s), 0) <> n) AS bad FROM (SELECT s, n FROM q UNION ALL SELECT s, n FROM r UNION ALL SELECT a.s, a.n FROM q a JOIN r b ON a.g = b.g AND a.s <> b.s)`, names...)
}

const cellsList = "list_sort(list_transform(ccbf_hotspots(s, -1e6, -1e6, 1e6, 1e6, 1), lambda o: {x: floor(o.x / 4)::BIGINT, y: floor(o.y / 4)::BIGINT, n: o.count::BIGINT}))"

// large returns a query that exceeds the memory of a limited database: DuckDB writes rows, sorted
// or partitioned, to temporary files and reads them again.
func large(d draw, windows bool) string {
	names := []string{"rows", d.Text(700000, 800000), "text", "'some text that takes room and more of it and more ' || i"}
	n := d.IntN(3)
	if n == 2 && !windows {
		n = 0
	}
	switch n {
	case 0: // rows in another order
		return fill(`SELECT count(*) AS n, count(*) FILTER (ccbf_total(s) <> m) AS bad FROM (
  SELECT ccbf_agg(x, y, 1) AS s, count(*) AS m FROM (SELECT i, hash(i) % 1000 AS x, i % 7 AS y, $text AS z FROM range($rows) t(i) ORDER BY hash(i) LIMIT 100000000) WHERE z > 'a' GROUP BY i % 100)`, names...)
	case 1: // many groups, and their sketches in another order
		return fill(`SELECT count(*) AS n, count(*) FILTER (ccbf_total(s) <> m OR z IS NULL) AS bad FROM (
  SELECT s, m, z FROM (SELECT ccbf_agg(i, i % 5, 1) AS s, count(*) AS m, min($text) AS z FROM range($rows) t(i) GROUP BY i // 3) ORDER BY hash(s) LIMIT 100000000)`, names...)
	}
	return fill(`SELECT count(z) AS n, count(*) FILTER ((cms_info(s)).total <> m OR z IS NULL) AS bad FROM (
  SELECT cms_agg(x, {width: 8, depth: 2}) OVER w AS s, sum(1) OVER w AS m, z FROM (SELECT i, hash(i) % 100 AS x, $text AS z FROM range($rows) t(i))
  WINDOW w AS (PARTITION BY i % 50000 ORDER BY i ROWS 3 PRECEDING))`, names...)
}
