"""Measures ccbfsql beside the tools that people use for the same tasks, and writes docs/PEERS.md.

Run by make peers, which installs the peers (requirements.txt) into build/peers and builds
the extension. Every comparison runs its ways in turn and takes the median. The page's text is
page.txt beside this file. This program fills in figures and tables, and stops if a
result is wrong. Argument -quick: fewer points and rounds, and no page.
"""

import importlib.metadata
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from string import Template

import datasketches
import duckdb
import duckdb_extension_spatial
import numpy as np
import pandas as pd
import rbloom
from arro3.core import Array
from h3ronpy import change_resolution
from h3ronpy.vector import cells_to_coordinates, coordinates_to_cells
from probables import BloomFilter

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "build" / "peers-work"
QUICK = "-quick" in sys.argv
ROUNDS = 1 if QUICK else 5
CRIMES = ROOT / "test" / "data" / "uk_crime_2018q4.parquet"
COUNTRIES = ROOT / "test" / "data" / "ne_110m_countries.geojson"
EXTENSION = ROOT / "build" / "ccbf.duckdb_extension"
SPATIAL = next(Path(duckdb_extension_spatial.__file__).parent.glob("extensions/*/spatial.duckdb_extension"))
BOX = (-8.2, 49.8, 1.8, 55.8)  # area of the picture, in degrees: west, south, east, north
WIDTH, HEIGHT = 800, 800

figures = {}  # values for the placeholders of page.txt


def connect():
    con = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": 1})
    con.execute(f"LOAD '{SPATIAL}'")
    con.execute(f"LOAD '{EXTENSION}'")
    return con


def compare(ways, rounds=ROUNDS):
    """Runs the ways in turn, each `rounds` times, and returns the median seconds and last result of each."""
    times, answers = {name: [] for name in ways}, {}
    for _ in range(rounds):
        for name, way in ways.items():
            begin = time.perf_counter()
            answers[name] = way()
            times[name].append(time.perf_counter() - begin)
    return {name: statistics.median(t) for name, t in times.items()}, answers


def number(x):
    """Formats a number with three digits, or as a whole number with separators."""
    if isinstance(x, str):
        return x
    if isinstance(x, (int, np.integer)) or abs(x) >= 1000:
        return f"{round(x):,}"
    return f"{x:.3g}"


def percent(x):
    return number(100 * x) + "%"


def seconds(t):
    return f"{number(t)} s" if t >= 1 else f"{number(1000 * t)} ms"


def table(head, rows):
    lines = [head, [":--"] + ["--:"] * (len(head) - 1)] + [[number(x) for x in row] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def parquet_bytes(con, query, name):
    """Returns the size of a query's rows as Parquet with zstd: the smaller one of two versions."""
    sizes = []
    for version in ("v1", "v2"):
        file = WORK / f"{name}.parquet"
        con.execute(f"COPY ({query}) TO '{file}' (COMPRESSION zstd, PARQUET_VERSION {version})")
        sizes.append(file.stat().st_size)
    return min(sizes)


# --- Areas: DuckDB's spatial extension.


def districts(con, name, box):
    """Makes a table of 10,000 octagons that tile a box: 100 x 100 squares whose corners and middles of sides are moved."""
    xmin, ymin, xmax, ymax = box
    con.execute(f"""
        CREATE TABLE {name} AS
        WITH moved AS ( -- corners, and middles of sides, of which one of i and j is odd
          SELECT i, j,
                 {xmin} + ({xmax} - {xmin}) * (i + 0.5 * ((hash(i * 1000 + j) % 1000000) / 1e6 - 0.5)) / 200 AS x,
                 {ymin} + ({ymax} - {ymin}) * (j + 0.5 * ((hash(j * 1000 + i + 1000000) % 1000000) / 1e6 - 0.5)) / 200 AS y
          FROM range(201) a(i), range(201) b(j)
        ), outline AS (
          SELECT * FROM (VALUES (0, 0, 0), (1, 1, 0), (2, 2, 0), (3, 2, 1), (4, 2, 2), (5, 1, 2), (6, 0, 2), (7, 0, 1), (8, 0, 0)) o(n, di, dj)
        )
        SELECT a * 100 + b AS id, ST_GeomFromText('POLYGON ((' || string_agg(x || ' ' || y, ', ' ORDER BY n) || '))') AS geom
        FROM range(100) c(a), range(100) d(b), outline JOIN moved ON i = 2 * a + di AND j = 2 * b + dj
        GROUP BY id ORDER BY id""")


def areas(con):
    con.execute("CREATE TABLE sketch AS SELECT ccbf_agg(lon, lat, 0.001) AS s FROM points")
    con.execute("CREATE TABLE cells AS SELECT grid_cell(lon, 0.001)::INTEGER AS cx, grid_cell(lat, 0.001)::INTEGER AS cy, "
                "count(*)::UINTEGER AS n, ST_Point(grid_center(cx, 0.001), grid_center(cy, 0.001)) AS geom FROM points GROUP BY ALL")
    con.execute(f"""CREATE TABLE countries AS
        SELECT i AS id, ST_GeomFromGeoJSON(f ->> '$.geometry') AS geom
        FROM (SELECT unnest(features) AS f, generate_subscripts(features, 1) AS i
              FROM (SELECT (content::JSON -> '$.features')::JSON[] AS features FROM read_text('{COUNTRIES}')))""")
    districts(con, "districts", con.execute("SELECT min(lon), min(lat), max(lon), max(lat) FROM points").fetchone())
    districts(con, "blocks", (-0.5, 51.3, 0.3, 51.7))
    con.execute("CREATE TABLE indexed AS SELECT geom FROM points")
    begin = time.perf_counter()
    con.execute("CREATE INDEX tree ON indexed USING RTREE (geom)")
    indexed = time.perf_counter() - begin
    rows, ratios = [], {}
    for name, text in (("countries", "177 countries"), ("districts", "10,000 districts of all the country"), ("blocks", "10,000 blocks of London")):
        def join(points, count):
            return lambda: dict(con.execute(f"SELECT d.id, {count} FROM {points} p JOIN {name} d ON ST_Within(p.geom, d.geom) GROUP BY ALL").fetchall())
        times, answers = compare({
            "points": join("points", "count(*)"),
            "rtree": join("indexed", "count(*)"),
            "cells": join("cells", "sum(n)"),
            "sketch": lambda: dict(con.execute(f"SELECT id, ccbf_polygon_sum(s, geom) FROM sketch, {name}").fetchall()),
        })
        assert answers["rtree"] == answers["points"]
        sketch = {k: v for k, v in answers["sketch"].items() if v}
        # A centre on an outline may belong to both polygons or to neither, by the rules of each tool.
        assert sum(abs(sketch.get(k, 0) - answers["cells"].get(k, 0)) for k in sketch | answers["cells"]) <= 1e-3 * sum(sketch.values()), name
        wrong = sum(abs(sketch.get(k, 0) - answers["points"].get(k, 0)) for k in sketch | answers["points"]) / sum(answers["points"].values())
        ratios[name] = times["sketch"] / times["points"]
        rows.append([text, sum(answers["points"].values()), seconds(times["points"]), seconds(times["rtree"]), seconds(times["cells"]), seconds(times["sketch"]), ratios[name], percent(wrong)])
        figures[f"areas_wrong_{name}"] = percent(wrong)
        figures[f"areas_ratio_{name}"] = number(ratios[name])
    figures["areas"] = table(["areas", "points in them", "join of points", "with R-tree", "join of the table of cells", "`ccbf_polygon_sum`", "/ join of points", "sum of differences / points"], rows)
    figures["areas_promise"] = "kept" if ratios["districts"] <= 0.1 else "missed"

    # One polygon a query, in the order of a hash, from points with and without an R-tree.
    rebuild, _ = compare({
        "sketch": lambda: con.execute("SELECT octet_length(ccbf_agg(lon, lat, 0.001)) FROM points").fetchall(),
        "cells": lambda: con.execute("CREATE OR REPLACE TABLE exact AS SELECT grid_cell(lon, 0.001)::INTEGER AS cx, "
                                     "grid_cell(lat, 0.001)::INTEGER AS cy, count(*)::UINTEGER AS n FROM points GROUP BY ALL"),
    })
    con.execute("SET VARIABLE s = (SELECT s FROM sketch)")
    polygons = [t for (t,) in con.execute("SELECT ST_AsText(geom) FROM districts ORDER BY hash(id) LIMIT 20").fetchall()]
    def each(query):
        return lambda: [con.execute(query.replace("?", f"'{p}'")).fetchone()[0] for p in polygons]
    times, answers = compare({
        "scan": each("SELECT count(*) FROM points WHERE ST_Within(geom, ST_GeomFromText(?))"),
        "rtree": each("SELECT count(*) FROM indexed WHERE ST_Within(geom, ST_GeomFromText(?))"),
        "sketch": each("SELECT ccbf_polygon_sum(getvariable('s'), ?)"),
    })
    assert answers["scan"] == answers["rtree"]
    plans = [con.execute(f"EXPLAIN SELECT count(*) FROM indexed p {q}").fetchall()[0][1] for q in (
        f"WHERE ST_Within(geom, ST_GeomFromText('{polygons[0]}'))", "JOIN districts d ON ST_Within(p.geom, d.geom)")]
    assert "RTREE" in plans[0]
    operator = re.search(r"RTREE_\w+", plans[1])
    figures["rtree_in_join"] = f"uses it, as {operator[0]}" if operator else "does not use it: it makes an index of the other side in each query"
    figures["one_area"] = table(["one district a query", "time a district", "made once in"], [
        ["scan of the points", seconds(times["scan"] / len(polygons)), "-"],
        ["R-tree on the points", seconds(times["rtree"] / len(polygons)), seconds(indexed)],
        ["`ccbf_polygon_sum`", seconds(times["sketch"] / len(polygons)), seconds(rebuild["sketch"])]])
    figures["sketch_bytes"] = number(con.execute("SELECT octet_length(s) FROM sketch").fetchone()[0])
    figures["cells_bytes"] = number(parquet_bytes(con, "SELECT cx, cy, n FROM cells ORDER BY cy, cx", "cells"))
    figures["points_bytes"] = number(parquet_bytes(con, "SELECT lon, lat FROM points ORDER BY lat, lon", "points"))
    figures["sketch_built"], figures["cells_built"] = seconds(rebuild["sketch"]), seconds(rebuild["cells"])


# --- Cells: H3.

H3_PARENT = """CREATE OR REPLACE MACRO h3_parent(cell, r) AS
  (cell & ~(15::UBIGINT << 52)) | (r::UBIGINT << 52) | ((1::UBIGINT << (3 * (15 - r))) - 1)"""


def h3_cells(lon, lat, resolution):
    return coordinates_to_cells(Array.from_numpy(np.ascontiguousarray(lat)), Array.from_numpy(np.ascontiguousarray(lon)), resolution).to_numpy()


def h3(con):
    points = con.execute("SELECT lon, lat FROM points").df()
    lon, lat = points["lon"].to_numpy(), points["lat"].to_numpy()
    times, answers = compare({"ids": lambda: h3_cells(lon, lat, 10)})
    ids = pd.DataFrame({"cell": answers["ids"]})
    con.execute("CREATE TABLE h3 AS SELECT * FROM ids")
    built, _ = compare({
        "h3": lambda: con.execute("CREATE OR REPLACE TABLE h3_counts AS SELECT cell, count(*)::UINTEGER AS n FROM h3 GROUP BY cell"),
        "sketch": lambda: con.execute("CREATE OR REPLACE TABLE same AS SELECT ccbf_agg(lon, lat, 0.0014) AS s FROM points"),
        "table": lambda: con.execute("CREATE OR REPLACE TABLE same_cells AS SELECT grid_cell(lon, 0.0014)::INTEGER AS cx, "
                                     "grid_cell(lat, 0.0014)::INTEGER AS cy, count(*)::UINTEGER AS n FROM points GROUP BY ALL"),
    })
    rows = []
    for name, made, cells, size in (
        ("H3 cells of resolution 10, as a table", times["ids"] + built["h3"], con.execute("SELECT count(*) FROM h3_counts").fetchone()[0],
         parquet_bytes(con, "FROM h3_counts ORDER BY cell", "h3")),
        ("squares of 0.0014 degrees, as a table", built["table"], con.execute("SELECT count(*) FROM same_cells").fetchone()[0],
         parquet_bytes(con, "FROM same_cells ORDER BY cy, cx", "same")),
        ("squares of 0.0014 degrees, as a sketch", built["sketch"], con.execute("SELECT (ccbf_info(s)).cells FROM same").fetchone()[0],
         con.execute("SELECT octet_length(s) FROM same").fetchone()[0]),
    ):
        rows.append([name, cells, size, size / cells, seconds(made)])
    figures["h3"] = table(["counts", "cells", "bytes", "bytes a cell", "time"], rows)
    figures["h3_ids"], figures["h3_grouped"] = seconds(times["ids"]), seconds(built["h3"])
    figures["h3_bytes_ratio"] = number(rows[2][2] / rows[0][2])

    # Sums over districts: from H3 cells by their centres, and from trees (nested squares with counts) with enough bytes for the same error.
    truth = dict(con.execute("SELECT d.id, count(*) FROM points p JOIN districts d ON ST_Within(p.geom, d.geom) GROUP BY ALL").fetchall())
    total = sum(truth.values())
    def wrong(answer):
        return sum(abs(answer.get(k, 0) - truth.get(k, 0)) for k in answer.keys() | truth.keys()) / total
    trees = []
    size = 4096
    while size <= 2 << 20:
        s, n, encoding = con.execute(f"SELECT s, octet_length(s), (ccbf_info(s)).encoding FROM (SELECT ccbf_agg(lon, lat, 0.001, {{bytes: {int(size)}}}) AS s FROM points)").fetchone()
        trees.append((n, wrong(dict(con.execute("SELECT id, ccbf_polygon_estimate(?, geom).estimate FROM districts", [s]).fetchall())), encoding))
        if encoding == "exact":
            break
        size *= 2 ** 0.25
    rows = []
    for resolution in (6, 7, 8, 9, 10):
        coarse = pd.DataFrame({"cell": h3_cells(lon, lat, resolution)})
        counts = con.execute("SELECT cell, count(*)::UINTEGER AS n FROM coarse GROUP BY cell ORDER BY cell").df()
        places = cells_to_coordinates(Array.from_numpy(counts["cell"].to_numpy()))
        centres = pd.DataFrame({"n": counts["n"], "lon": places["lng"].to_numpy(), "lat": places["lat"].to_numpy()})
        error = wrong(dict(con.execute("SELECT d.id, sum(n) FROM centres p JOIN districts d ON ST_Within(ST_Point(lon, lat), d.geom) GROUP BY ALL").fetchall()))
        con.execute("CREATE OR REPLACE TABLE resolution AS FROM counts")
        n = parquet_bytes(con, "FROM resolution ORDER BY cell", "h3r")
        fit = next((t for t in trees if t[1] <= error), None)
        rows.append([resolution, percent(error), n] + ([fit[0], percent(fit[1]), fit[0] / n] if fit else ["none", "-", "-"]))
    figures["h3_trees"] = table(["H3 resolution", "its error", "its bytes", "sketch of no more error, bytes", "its error", "bytes / H3's"], rows)
    worse = [r for r in rows if r[5] != "-" and r[5] > 1]
    figures["h3_trees_lose"] = ("at resolutions " + ", ".join(str(r[0]) for r in worse)) if worse else "at no resolution"

    # The parents that the page prints, and counts through them.
    con.execute(H3_PARENT)
    con.execute("CREATE TABLE parents AS SELECT DISTINCT cell FROM h3")
    mine = con.execute("SELECT cell, h3_parent(cell, 7) AS parent FROM parents").df()
    assert (mine["parent"].to_numpy() == change_resolution(Array.from_numpy(mine["cell"].to_numpy()), 7).to_numpy()).all()
    con.execute("SET VARIABLE keyed = (SELECT cms_agg(cell) FROM h3)")
    keyed = con.execute("""SELECT parent, counted.n, exact.n
        FROM (SELECT h3_parent(cell, 7) AS parent, sum(cms_get(getvariable('keyed'), cell)) AS n FROM parents GROUP BY ALL) counted
        JOIN (SELECT h3_parent(cell, 7) AS parent, count(*) AS n FROM h3 GROUP BY ALL) exact USING (parent)""").fetchall()
    assert all(n >= exact for _, n, exact in keyed) and len(keyed) > 100

    # Cells of a sketch, to H3 through a join on their column and row.
    centres = con.execute("SELECT grid_center(cx, 0.001) AS x, grid_center(cy, 0.001) AS y, cx, cy FROM cells").df()
    centres["h3"] = h3_cells(centres["x"].to_numpy(), centres["y"].to_numpy(), 7)
    through = dict(con.execute("""
        WITH listed AS (SELECT unnest(ccbf_cells(s), recursive := true) FROM sketch)
        SELECT h3, sum(count) FROM listed JOIN centres ON cx = grid_cell(listed.x, 0.001) AND cy = grid_cell(listed.y, 0.001) GROUP BY h3""").fetchall())
    assert sum(through.values()) == len(points)


# --- Keys: datasketches.


def zipf(n, keys, seed):
    """Returns n keys. The k-th key occurs in proportion to 1/k."""
    weights = np.cumsum(1 / np.arange(1, keys + 1))
    return np.searchsorted(weights / weights[-1], np.random.default_rng(seed).random(n)).astype(np.int64)


def keys(con):
    sets = {"Zipf keys": zipf(200_000 if QUICK else 2_000_000, 200_000, 34),
            "cells of the crimes": con.execute("SELECT grid_cell(lon, 0.001) * 1000000 + grid_cell(lat, 0.001) AS k FROM points").df()["k"].to_numpy()}
    rows, frequent = [], []
    for name, stream in sets.items():
        frame = pd.DataFrame({"k": stream})
        con.execute("CREATE OR REPLACE TABLE stream AS SELECT k FROM frame")
        con.execute("CREATE OR REPLACE TABLE distinct_keys AS SELECT k, count(*) AS n FROM stream GROUP BY k ORDER BY n DESC, k")
        exact = con.execute("SELECT k, n FROM distinct_keys ORDER BY n DESC, k").df()
        true, top = exact["n"].to_numpy(), exact["k"].to_numpy()[:100]
        listed, items = stream.tolist(), exact["k"].tolist()

        def count_min():
            s = datasketches.count_min_sketch(5, 5_000)
            for k in listed:
                s.update(k)
            return s

        def frequent_items():
            s = datasketches.frequent_strings_sketch(12)
            for k in listed:
                s.update(str(k))
            return s

        their, theirs = compare({"cm": count_min, "fi": frequent_items}, 1 if QUICK else 3)
        size = len(theirs["cm"].serialize())
        size_fi = theirs["fi"].get_serialized_size_bytes()

        def agg(call):
            return lambda: con.execute(f"SELECT {call} FROM stream").fetchone()[0]

        def sbf_of(n):
            """Returns the call for a Spectral Bloom Filter of at most n bytes."""
            call = None
            for counters in np.geomspace(n / 8, 8 * n, 49).astype(int):
                c = f"sbf_agg(k, {{counters: {counters}, method: 'mi', encoding: 'steps'}})"
                if len(agg(c)()) > n:
                    break
                call = c
            return call

        def cms_of(n, options=""):
            probe = agg(f"cms_agg(k, {{width: 1000, depth: 5{options}}})")()
            return f"cms_agg(k, {{width: {int(1000 * n / len(probe))}, depth: 5{options}}})"

        calls = {"`cms_agg`": cms_of(size), "`cms_agg`, conservative": cms_of(size, ", conservative: true"), "`sbf_agg`, mi, steps": sbf_of(size)}
        times, sketches = compare({k: agg(v) for k, v in calls.items()} |
                                  {"table": lambda: con.execute("CREATE OR REPLACE TABLE exact_counts AS SELECT k, count(*)::UINTEGER AS n FROM stream GROUP BY k")})

        def top_of(n):
            """Returns the build of a list of frequent keys of about n bytes."""
            k = 1000
            for _ in range(3):
                k = int(k * n / len(agg(f"top_agg(k, {{k: {k}}})")()))
            return agg(f"top_agg(k, {{k: {k}}})")

        def record(label, bytes_, took, answers):
            over = answers - true
            assert (over >= 0).all(), label
            rows.append([f"{name}: {label}", bytes_, over.mean(), percent((over[:100] / true[:100]).mean()), seconds(took)])

        record("datasketches' Count-Min", size, their["cm"], np.array([theirs["cm"].get_estimate(k) for k in items]))
        for label in calls:
            get = "sbf_get" if label.startswith("`sbf") else "cms_get"
            answers = con.execute(f"SELECT {get}(?, k) AS a FROM distinct_keys ORDER BY n DESC, k", [sketches[label]]).df()["a"].to_numpy().astype(np.int64)
            record(label, len(sketches[label]), times[label], answers)
        record("DuckDB's exact table", parquet_bytes(con, "FROM exact_counts ORDER BY k", "counts"), times["table"], true)

        found = theirs["fi"].get_frequent_items(datasketches.frequent_items_error_type.NO_FALSE_NEGATIVES)
        estimates = {int(item): estimate for item, estimate, _, _ in found}
        best = [k for k, _ in sorted(estimates.items(), key=lambda e: -e[1])[:100]]
        frequent.append([f"{name}: datasketches' frequent items", size_fi, len(set(best) & set(top.tolist())),
                         percent(np.mean([abs(estimates.get(int(k), 0) - n) / n for k, n in zip(top, true)])), seconds(their["fi"])])
        took, made = compare({"top": top_of(size_fi), "cms": agg(cms_of(size_fi, ", conservative: true"))}, 1 if QUICK else 3)
        listed = con.execute("SELECT unnest(top_keys(?), recursive := true)", [made["top"]]).df().sort_values("low", ascending=False)
        bounds = {int(k): (low, high) for k, low, high in zip(listed["key"], listed["low"], listed["high"])}
        counts = dict(zip(exact["k"].tolist(), true.tolist()))
        assert all(low <= counts[k] <= high for k, (low, high) in bounds.items())
        frequent.append([f"{name}: `top_agg`", len(made["top"]), len({int(k) for k in listed["key"][:100]} & set(top.tolist())),
                         percent(np.mean([abs(sum(bounds.get(int(k), (0, 0))) / 2 - n) / n for k, n in zip(top, true)])), seconds(took["top"])])
        sketch = made["cms"]
        answers = con.execute("SELECT k, cms_get(?, k) AS a, n FROM distinct_keys ORDER BY a DESC, k LIMIT 100", [sketch]).df()
        of_top = con.execute("SELECT cms_get(?, k) AS a FROM distinct_keys ORDER BY n DESC, k LIMIT 100", [sketch]).df()["a"].to_numpy().astype(np.int64)
        frequent.append([f"{name}: `cms_agg`, conservative, all keys looked up", len(sketch), len(set(answers["k"].tolist()) & set(top.tolist())),
                         percent(((of_top - true[:100]) / true[:100]).mean()), seconds(took["cms"])])
        own = con.execute("SELECT approx_top_k(k, 100) FROM stream").fetchone()[0]
        frequent.append([f"{name}: DuckDB's `approx_top_k`", "-", len(set(own) & set(top.tolist())), "no counts", "-"])
    figures["count_min"] = table(["sketch", "bytes", "too much, mean of all keys", "of the 100 most frequent", "time"], rows)
    figures["frequent"] = table(["list of 100", "bytes", "of the true 100", "error of their counts", "time"], frequent)


# --- Sets: rbloom and pyprobables.


def sets(con):
    n = 20_000 if QUICK else 200_000
    con.execute(f"CREATE TABLE present AS SELECT 'key ' || i AS k FROM range({n}) r(i)")
    con.execute(f"CREATE TABLE absent AS SELECT 'none ' || i AS k FROM range({n}) r(i)")
    present, absent = ([k for (k,) in con.execute(f"SELECT k FROM {t}").fetchall()] for t in ("present", "absent"))

    def ours():
        con.execute(f"CREATE OR REPLACE TABLE filter AS SELECT bloom_agg(k, {{capacity: {n}, fpp: 0.01}}) AS s FROM present")

    def build_rbloom():
        b = rbloom.Bloom(n, 0.01)
        b.update(present)
        return b

    def build_probables():
        b = BloomFilter(est_elements=n, false_positive_rate=0.01)
        for k in present:
            b.add(k)
        return b

    built, made = compare({"bloom": ours, "rbloom": build_rbloom, "probables": build_probables,
                           "table": lambda: con.execute("CREATE OR REPLACE TABLE keys AS SELECT DISTINCT k FROM present")}, 1 if QUICK else 3)
    # The filter is a variable, because DuckDB copies a joined filter for each row that passes (docs/QUERIES.md).
    con.execute("SET VARIABLE filter = (SELECT s FROM filter)")
    def count(t):
        return con.execute(f"SELECT count(*) FROM {t} WHERE bloom_contains(getvariable('filter'), k)").fetchone()[0]
    asked, hits = compare({
        "bloom": lambda: count("absent"),
        "rbloom": lambda: sum(k in made["rbloom"] for k in absent),
        "probables": lambda: sum(made["probables"].check(k) for k in absent),
        "table": lambda: con.execute("SELECT count(*) FROM absent SEMI JOIN keys USING (k)").fetchone()[0],
    }, 1 if QUICK else 3)
    assert count("present") == n and hits["table"] == 0
    size = {"bloom": con.execute("SELECT octet_length(s) FROM filter").fetchone()[0], "rbloom": made["rbloom"].size_in_bits // 8,
            "probables": len(bytes(made["probables"])), "table": parquet_bytes(con, "FROM keys ORDER BY k", "keys")}
    text = {"bloom": "`bloom_agg`, `bloom_contains`", "rbloom": "rbloom", "probables": "pyprobables", "table": "DuckDB's table of keys, semi join"}
    for w in built:
        figures[f"filter_built_{w}"], figures[f"filter_asked_{w}"] = seconds(built[w]), seconds(asked[w])
    figures["filter_keys"] = number(n)
    figures["filters"] = table(["filter", "bytes", "rate of absent keys", "building", "looking up absent keys"],
                               [[text[w], size[w], percent(hits[w] / n), seconds(built[w]), seconds(asked[w])] for w in ("rbloom", "bloom", "probables", "table")])


# --- Pictures: datashader. Each way is a process of its own, for its peak of memory.


def drawing(way):
    """Draws the points of WORK/ten.parquet and prints the seconds of each step and the peak of memory in bytes."""
    file = str(WORK / "ten.parquet")
    begin = time.perf_counter()
    if way == "datashader":
        import datashader
        from datashader import transfer_functions
        con = duckdb.connect(config={"threads": 1})
        frame = con.execute(f"SELECT lon, lat FROM '{file}'").df()
        loaded = time.perf_counter()
        canvas = datashader.Canvas(WIDTH, HEIGHT, x_range=(BOX[0], BOX[2]), y_range=(BOX[1], BOX[3]))
        def draw():
            image = transfer_functions.shade(canvas.points(frame, "lon", "lat"), cmap=["#440154", "#21918c", "#fde725"], how="log")
            image.to_pil().save(WORK / "datashader.png")
    else:
        con = connect()
        con.execute(f"CREATE TABLE t AS SELECT ccbf_agg(lon, lat, 0.001, {{bytes: 67108864}}) AS s FROM '{file}'")
        loaded = time.perf_counter()
        def draw():
            png = con.execute(f"SELECT ccbf_png(s, {BOX[0]}, {BOX[1]}, {BOX[2]}, {BOX[3]}, {WIDTH}, {HEIGHT}) FROM t").fetchone()[0]
            (WORK / "ccbf.png").write_bytes(png)
    draw()
    first = time.perf_counter()
    times, _ = compare({"again": draw})
    # Not ru_maxrss, which begins with the memory of the process that started this one.
    peak = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(loaded - begin, first - loaded, times["again"], peak)


def pictures(con):
    n = 1_000_000 if QUICK else 10_000_000
    con.execute("CREATE TABLE ten AS " + " UNION ALL ".join(
        f"SELECT lon + 0.02 * ((hash(i, {r}) % 1000003) / 1000003.0 - 0.5) AS lon, lat + 0.02 * ((hash(i, {r + 100}) % 1000003) / 1000003.0 - 0.5) AS lat "
        "FROM (SELECT lon, lat, row_number() OVER () AS i FROM points)" for r in range(max(1, n // 1_000_000))) + f" LIMIT {n}")
    con.execute(f"COPY ten TO '{WORK / 'ten.parquet'}' (COMPRESSION zstd)")
    steps = {"datashader": [], "ccbf": []}
    for _ in range(1 if QUICK else 3):
        for way in steps:
            out = subprocess.run([sys.executable, __file__, "-draw", way], stdout=subprocess.PIPE, text=True, check=True).stdout
            steps[way].append([float(x) for x in out.split()])
    rows = []
    for way, text in (("datashader", "datashader, points of Parquet in a data frame"), ("ccbf", "`ccbf_agg` of the Parquet file, then `ccbf_png`")):
        load, first, again, peak = np.median(np.array(steps[way]), axis=0)
        rows.append([text, seconds(load), seconds(first), seconds(again), round(peak / 1e6)])
        figures[f"draw_{way}"] = seconds(again)
        figures[f"draw_all_{way}"] = seconds(load + first)
    figures["pictures"] = table(["way", "reading, or building", "first picture", "a further picture", "peak of the process, MB"], rows)
    s = con.execute("SELECT octet_length(s), (ccbf_info(s)).encoding FROM (SELECT ccbf_agg(lon, lat, 0.001, {bytes: 67108864}) AS s FROM ten)").fetchone()
    figures["ten_sketch"], figures["ten_form"], figures["ten_points"] = number(s[0]), s[1], number(n)
    figures["ten_frame"] = number(n * 16)
    con.execute("CREATE TABLE ten_cells AS SELECT grid_cell(lon, 0.001)::INTEGER AS cx, grid_cell(lat, 0.001)::INTEGER AS cy, count(*)::UINTEGER AS n FROM ten GROUP BY ALL")
    figures["ten_table"] = number(parquet_bytes(con, "FROM ten_cells ORDER BY cy, cx", "ten_cells"))
    side_by_side()


def side_by_side():
    import matplotlib
    matplotlib.use("agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(1, 2, figsize=(8, 4.3), dpi=100)
    for axis, (file, title) in zip(axes, (("datashader.png", "datashader, from the points"), ("ccbf.png", "ccbf_png, from the sketch"))):
        axis.imshow(pyplot.imread(WORK / file), aspect="auto")
        axis.set_title(title, fontsize=10)
        axis.set_axis_off()
        axis.set_facecolor("white")
    figure.tight_layout()
    target = WORK if QUICK else ROOT / "docs" / "pictures"
    figure.savefig(target / "peers.png", metadata={"Software": None})


# --- Cubes: as many check-ins as in the papers.


def cubes(con):
    n = 450_000 if QUICK else 4_500_000
    con.execute(f"CREATE TABLE checkins AS SELECT lon, lat, (hash(lon, lat) % 168)::UTINYINT AS hour_of_week FROM ten LIMIT {n}")
    built, _ = compare({
        "sketches": lambda: con.execute("CREATE OR REPLACE TABLE week AS SELECT hour_of_week, ccbf_agg(lon, lat, 0.001) AS s FROM checkins GROUP BY ALL"),
        "table": lambda: con.execute("CREATE OR REPLACE TABLE week_cells AS SELECT hour_of_week, grid_cell(lon, 0.001)::INTEGER AS cx, "
                                     "grid_cell(lat, 0.001)::INTEGER AS cy, count(*)::UINTEGER AS n FROM checkins GROUP BY ALL")}, 1 if QUICK else 3)
    sketches = con.execute("SELECT sum(octet_length(s)) FROM week").fetchone()[0]
    cells = parquet_bytes(con, "FROM week_cells ORDER BY hour_of_week, cy, cx", "week")
    figures["cubes_points"] = number(n)
    figures["cubes"] = table(["of " + number(n) + " points with an hour of the week", "bytes", "bytes a point", "building"], [
        ["168 sketches", sketches, sketches / n, seconds(built["sketches"])],
        ["exact table, in Parquet", cells, cells / n, seconds(built["table"])]])


def main():
    if "-draw" in sys.argv:
        return drawing(sys.argv[-1])
    WORK.mkdir(parents=True, exist_ok=True)
    con = connect()
    con.execute(f"CREATE TABLE points AS SELECT lon, lat, ST_Point(lon, lat) AS geom FROM '{CRIMES}'")
    for section in (areas, h3, keys, sets, pictures, cubes):
        begin = time.perf_counter()
        section(con)
        print(f"{section.__name__}: {time.perf_counter() - begin:.0f} s", flush=True)
    names = ["duckdb", "duckdb-extension-spatial", "h3ronpy", "datasketches", "datashader", "rbloom", "pyprobables"]
    figures["versions"] = ", ".join(f"{n} {importlib.metadata.version(n)}" for n in names)
    figures["ccbf_version"] = con.execute("SELECT ccbf_version()").fetchone()[0]
    figures["date"], figures["python"] = date.today().isoformat(), platform.python_version()
    models = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")] if os.path.exists("/proc/cpuinfo") else []
    figures["machine"] = f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores, {platform.system()}"
    figures["rounds"], figures["WIDTH"], figures["HEIGHT"] = ROUNDS, WIDTH, HEIGHT
    figures["h3_parent"] = H3_PARENT.replace("OR REPLACE ", "") + ";"
    page = Template((HERE / "page.txt").read_text()).substitute(figures)
    (WORK / "PEERS.md" if QUICK else ROOT / "docs" / "PEERS.md").write_text(page)


if __name__ == "__main__":
    main()
