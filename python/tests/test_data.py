"""Sketches in and out of DuckDB for Python: they are bytes everywhere."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import ccbfsql
import duckdb
import pytest

TEN = "SELECT ccbf_total(ccbf_agg(i, i, 1)) FROM range(10) t(i)"
POINTS = "CREATE TABLE points AS SELECT i % 3 AS g, i % 7 + 0.5 AS x, i % 5 + 0.5 AS y FROM range(1000) t(i)"
SKETCHES = "SELECT g, ccbf_agg(x, y, 1) AS s FROM points GROUP BY g ORDER BY g"
# What the sketches must say, counted in Python: of g = 0, 1, 2, and the points of all in one cell.
TOTALS = [sum(i % 3 == g for i in range(1000)) for g in range(3)]
CELL = sum(i % 7 == 2 and i % 5 == 4 for i in range(1000))


@pytest.fixture
def con():
    with ccbfsql.connect(config={"threads": "2"}) as con:
        con.execute(POINTS)
        yield con


def one(con, sql, parameters=None):
    """The only value of a statement."""
    ((value,),) = con.execute(sql, parameters or []).fetchall()
    return value


def check(sketches):
    """A relation of the sketches, wherever it comes from, answers as the points do."""
    assert sketches.order("g").project("ccbf_total(s)").fetchall() == [(n,) for n in TOTALS]
    assert sketches.aggregate("ccbf_get(ccbf_union_agg(s), 2.5, 4.5)").fetchall() == [(CELL,)]


def test_relations(con):
    sketches = con.sql("FROM points").aggregate("g, ccbf_agg(x, y, 1) AS s", "g")
    sketches.create("kept")
    check(con.sql("FROM kept"))
    assert sketches.aggregate("ccbf_total(ccbf_union_agg(s))").fetchall() == [(1000,)]
    assert sketches.filter("ccbf_total(s) > 333").project("g").fetchall() == [(0,)]
    joined = sketches.set_alias("a").join(sketches.set_alias("b"), "a.g = b.g + 1")
    assert joined.aggregate("sum(ccbf_total(ccbf_union(a.s, b.s)))::BIGINT").fetchall() == [(TOTALS[0] + 2 * TOTALS[1] + TOTALS[2],)]
    assert [type(row[1]) for row in sketches.fetchall()] == [bytes] * 3


def test_parameters(con):
    con.execute("CREATE TABLE kept (g BIGINT, s BLOB)")
    con.executemany("INSERT INTO kept VALUES (?, ?)", [list(row) for row in con.execute(SKETCHES).fetchall()])
    check(con.sql("FROM kept"))
    s = one(con, "SELECT ccbf_union_agg(s) FROM kept")
    assert one(con, "SELECT ccbf_get(?::BLOB, ?, ?)", [s, 2.5, 4.5]) == CELL
    assert one(con, "SELECT ccbf_get($s::BLOB, $x, $y)", {"s": s, "x": 2.5, "y": 4.5}) == CELL
    assert one(con, "SELECT ccbf_polygon_sum(?::BLOB, ?)", [s, "POLYGON ((2 4, 3 4, 3 5, 2 5, 2 4))"]) == CELL
    assert one(con, "SELECT ccbf_total(?::BLOB)", [None]) is None
    # A dict is a STRUCT of options.
    small = one(con, "SELECT ccbf_agg(x, y, 1, ?) FROM points", [{"bytes": 4096, "k": 3}])
    assert one(con, "SELECT (ccbf_info(?::BLOB)).max_bytes", [small]) == 4096
    with pytest.raises(duckdb.Error, match="bites"):
        con.execute("SELECT ccbf_agg(x, y, 1, ?) FROM points", [{"bites": 4096}])
    con.execute("PREPARE cell AS SELECT ccbf_get(s, $1, $2) FROM (SELECT ccbf_union_agg(s) AS s FROM kept)")
    assert con.execute("EXECUTE cell(2.5, 4.5)").fetchall() == [(CELL,)]


def test_arrow(con):
    arrow = pytest.importorskip("pyarrow")
    received = con.sql(SKETCHES).to_arrow_table()
    assert received.schema.field("s").type in (arrow.binary(), arrow.large_binary())
    check(con.sql("FROM received"))
    for kind in (arrow.binary(), arrow.large_binary()):
        other = arrow.table({"g": received["g"], "s": arrow.array(received["s"].to_pylist(), kind)})
        check(con.sql("FROM other"))
    batches = arrow.RecordBatchReader.from_batches(received.schema, received.to_batches(max_chunksize=1))
    con.execute("CREATE TABLE kept AS FROM batches")
    check(con.sql("FROM kept"))
    dictionary = arrow.table({"s": arrow.DictionaryArray.from_arrays([0, 1, 2, 0], received["s"].to_pylist())})
    assert con.sql("SELECT sum(ccbf_total(s))::BIGINT FROM dictionary").fetchall() == [(1000 + TOTALS[0],)]


def test_arrow_points(con):
    """Points in Arrow, with rows that are NULL."""
    arrow = pytest.importorskip("pyarrow")
    places = arrow.table({"x": [0.5, None, 0.5, 1.5] * 3000, "y": [0.5, 0.5, None, 0.5] * 3000})
    ((s,),) = con.sql("SELECT ccbf_agg(x, y, 1) FROM places").fetchall()
    assert con.execute("SELECT ccbf_total(?), ccbf_get(?, 0.5, 0.5)", [s, s]).fetchall() == [(6000, 3000)]


def test_pandas(con):
    pandas = pytest.importorskip("pandas")
    frame = con.sql(SKETCHES).df()
    assert isinstance(frame, pandas.DataFrame) and {type(bytes(s)) for s in frame["s"]} == {bytes}
    frame["s"] = frame["s"].map(bytes)
    check(con.sql("FROM frame"))
    con.register("registered", frame)
    check(con.sql("FROM registered"))
    places = pandas.DataFrame({"x": [0.5, 1.5, 1.5], "y": [0.5, 0.5, 0.5]})
    assert con.sql("SELECT ccbf_get(ccbf_agg(x, y, 1), 1.5, 0.5) FROM places").fetchall() == [(2,)]


def test_polars(con):
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")  # by which DuckDB passes frames to Polars
    frame = con.sql(SKETCHES).pl()
    assert frame.schema["s"] == polars.Binary
    assert {type(s) for s in frame["s"].to_list()} == {bytes}
    check(con.sql("FROM frame"))
    lazy = frame.lazy().filter(polars.col("g") > 0)
    assert con.sql("SELECT sum(ccbf_total(s))::BIGINT FROM lazy").fetchall() == [(TOTALS[1] + TOTALS[2],)]


def test_parquet(con, tmp_path):
    """Arrow and DuckDB read each other's files."""
    parquet = pytest.importorskip("pyarrow.parquet")
    file, again = str(tmp_path / "sketches.parquet"), str(tmp_path / "again.parquet")
    con.execute(f"COPY ({SKETCHES}) TO '{file}'")
    parquet.write_table(parquet.read_table(file), again)
    check(con.read_parquet(again))


def test_threads(con):
    """Cursors of two databases, each in a thread of its own."""
    with ccbfsql.connect() as other:
        wrong = []

        def ask(cursor):
            for _ in range(20):
                if (n := one(cursor, TEN)) != 10:
                    wrong.append(n)

        threads = [threading.Thread(target=ask, args=(db.cursor(),)) for db in (con, other) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert wrong == []
    assert one(con, TEN) == 10  # the other database is closed


def spawned(pipe):
    with ccbfsql.connect() as con:
        pipe.send(one(con, TEN))


def test_spawn(con):
    here, there = multiprocessing.get_context("spawn").Pipe()
    child = multiprocessing.get_context("spawn").Process(target=spawned, args=(there,))
    child.start()
    there.close()  # so that the child's death ends recv
    assert here.recv() == 10
    child.join()
    assert child.exitcode == 0 and one(con, TEN) == 10


def run(program, *arguments):
    """Another Python with this path, as fork and exit are about whole processes."""
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=300)


def test_fork():
    """A child by fork has an error to read, and the parent goes on. In a process without pytest's threads."""
    done = run(f"""
import os, ccbfsql, duckdb
con = ccbfsql.connect(config={{"threads": "1"}})
ask = lambda: con.execute("{TEN}").fetchall()[0][0]
print(ask(), flush=True)
child = os.fork()
if child == 0:
    try:
        print(ask(), flush=True)
    except duckdb.Error as e:
        print("made by fork" in str(e), flush=True)
    os._exit(0)
print(os.waitpid(child, 0)[1], ask())
""")
    assert (done.returncode, done.stdout) == (0, "10\nTrue\n0 10\n"), done.stderr


@pytest.mark.parametrize("end", ["", "con.close()", "sys.exit(0)", "del con", "con.cursor().execute(TEN)", "other = ccbfsql.connect()"])
def test_exit(end):
    """The interpreter ends well, whatever is open."""
    done = run(f"import sys, ccbfsql\nTEN = '{TEN}'\ncon = ccbfsql.connect()\nprint(con.execute(TEN).fetchall())\n{end}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "[(10,)]\n", "")


def test_interrupt(con):
    """Ctrl-C while a thread runs a query: the main thread has its KeyboardInterrupt, and can end the query."""
    cursor, errors, over = con.cursor(), [], threading.Event()
    long = "SELECT ccbf_total(ccbf_agg(i % 5000, i % 7000, 1, {category: i % 3})) FROM range(100000000000) t(i)"

    def work():
        try:
            cursor.execute(long)
        except duckdb.Error as e:
            errors.append(str(e))
        over.set()

    thread = threading.Thread(target=work)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        while not one(con, "SELECT (ccbf_memory()).used > 0") and not errors:
            pass
        os.kill(os.getpid(), signal.SIGINT)
        # The kernel may give the signal to a thread of DuckDB. Then nothing wakes the main thread from a wait
        # without a limit. Not by join: an interrupted join takes the thread for ended (Python 3.11).
        while not over.wait(1):
            pass
    cursor.interrupt()
    thread.join()
    assert len(errors) == 1 and "INTERRUPT" in errors[0]
    assert one(con, TEN) == 10
