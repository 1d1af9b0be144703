"""The package itself: connect, load, show, and their errors."""

from pathlib import Path

import ccbfsql
import duckdb
import pytest

TEN = "SELECT ccbf_total(ccbf_agg(i, i, 1)) FROM range(10) t(i)"
# Two points in the west, in cells of 1; three in the east.
MONTHS = """CREATE TABLE months AS
SELECT month, ccbf_agg(x, y, 1) AS sketch
FROM (VALUES (1, 0.5, 0.5), (1, 0.6, 1.5), (2, 9.5, 0.5), (2, 9.5, 0.5), (2, 9.5, 1.5)) p(month, x, y) GROUP BY month"""


@pytest.fixture
def con():
    with ccbfsql.connect() as con:
        con.execute(MONTHS)
        yield con


def drawn(con, sql):
    """The picture that SQL makes."""
    return con.execute(sql).fetchall()[0][0]


def test_connect(tmp_path):
    file = tmp_path / "months.duckdb"
    with ccbfsql.connect(file) as con:
        con.execute(MONTHS)
        assert con.execute(TEN).fetchall() == [(10,)]
    with ccbfsql.connect(str(file), read_only=True, config={"threads": "1"}) as con:
        assert con.execute("SELECT sum(ccbf_total(sketch)) FROM months").fetchall() == [(5,)]
        assert con.execute("SELECT current_setting('threads')").fetchall() == [(1,)]
        with pytest.raises(duckdb.Error, match="read-only"):
            con.execute("DROP TABLE months")


def test_load():
    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as con:
        pending = con.execute("SELECT 42")
        ccbfsql.load(con)
        ccbfsql.load(con)
        assert pending.fetchall() == [(42,)]
        assert con.execute(TEN).fetchall() == [(10,)]


@pytest.mark.parametrize("con", ["x.duckdb", None])
def test_no_connection(con):
    with pytest.raises(ccbfsql.Error, match=f"ccbfsql.load: {con!r} is not a connection"):
        ccbfsql.load(con)
    with pytest.raises(ccbfsql.Error, match=f"{con!r} is not a connection"):
        ccbfsql.show(con, "months")


def test_unsigned():
    with duckdb.connect() as con, pytest.raises(ccbfsql.Error, match="ccbfsql.load: .*allow_unsigned_extensions"):
        ccbfsql.load(con)


@pytest.mark.parametrize("version", ["1.2.2", "0.10.3", "1.2.3.dev5"])
def test_too_old(monkeypatch, version):
    monkeypatch.setattr(duckdb, "__version__", version)
    with pytest.raises(ccbfsql.Error, match=f"ccbfsql.connect: DuckDB is {version}, but has to be 1.3 or newer"):
        ccbfsql.connect()


def test_no_extension(monkeypatch, tmp_path):
    monkeypatch.setattr(ccbfsql, "_EXTENSION", tmp_path / "none")
    with pytest.raises(ccbfsql.Error, match="install the wheel"):
        ccbfsql.connect()


def test_any_folder(monkeypatch, tmp_path):
    folder = tmp_path / "it's a folder"
    folder.mkdir()
    (folder / "ccbf.duckdb_extension").symlink_to(ccbfsql._EXTENSION)
    monkeypatch.setattr(ccbfsql, "_EXTENSION", folder / "ccbf.duckdb_extension")
    with ccbfsql.connect() as con:
        assert con.execute(TEN).fetchall() == [(10,)]


def test_show(con):
    """A table, a view, a query, a relation and a sketch are drawn as SQL draws them."""
    want = drawn(con, "SELECT ccbf_png(ccbf_union_agg(sketch)) FROM months")
    con.execute("CREATE VIEW quarter AS FROM months")
    (sketch,) = con.execute("SELECT ccbf_union_agg(sketch) FROM months").fetchall()[0]
    queries = "SELECT * FROM months", "FROM main.months;\n", "WITH m AS (FROM months)\nSELECT sketch FROM m -- all"
    for what in ("months", "main.months", "quarter", *queries, con.table("months"), sketch, memoryview(sketch)):
        picture = ccbfsql.show(con, what)
        assert picture == want
    assert picture._repr_png_() == want and repr(picture) == f"<PNG image, {len(want)} bytes>"
    assert ccbfsql.show(con, con.sql("FROM months WHERE month = 1")) == drawn(
        con, "SELECT ccbf_png(sketch) FROM months WHERE month = 1"
    )


def test_show_options(con):
    every = "SELECT ccbf_png(ccbf_union_agg(sketch), 0, 0, 5, 2, %s) FROM months"
    box = (0, 0, 5, 2)
    assert ccbfsql.show(con, "months", box=box) == drawn(con, every % "800")
    assert ccbfsql.show(con, "months", box=box, width=90, height=70) == drawn(con, every % "90, 70")
    assert ccbfsql.show(con, "months", box=box, palette="magma", label="Five") == drawn(
        con, every % "800, {palette: 'magma', label: 'Five'}"
    )
    with pytest.raises(duckdb.Error, match="palete"):
        ccbfsql.show(con, "months", palete="magma")


def test_show_without_sketches(con):
    con.execute("CREATE TABLE plain AS SELECT 1 AS a, 'x'::BLOB AS b")
    con.execute("CREATE TABLE keys AS SELECT cms_agg(i) AS counts FROM range(9) t(i)")
    con.execute("CREATE TABLE two AS SELECT sketch AS a, sketch AS \"b \"\"c\"\"\" FROM months")
    con.execute("CREATE TABLE points AS SELECT ccbf_empty(1) AS sketch")
    for what, column, message in [
        ("plain", None, "plain has no column with sketches of places.*its columns are a, b"),
        ("keys", None, r"keys has no column with sketches of places.*counts \(cms\)"),
        ("two", None, "two has several columns of sketches: name one, such as column='a'"),
        ("months", "sketches", "months has no column sketches: it has month, sketch"),
        ("months", "month", "column month of months has no sketches of places"),
        ("points", None, "the sketch has no points"),
        (con.sql("FROM months WHERE month = 3"), None, "the relation has no rows"),
        ("SELECT month FROM months", None, "SELECT month FROM months has no column with sketches"),
        (3, None, "3 is not the name of a table, a query, a relation or a sketch"),
    ]:
        with pytest.raises(ccbfsql.Error, match="ccbfsql.show: " + message):
            ccbfsql.show(con, what, column)
    assert ccbfsql.show(con, "two", 'b "c"') == ccbfsql.show(con, "months")
    assert ccbfsql.show(con, "two", 'B "C"') == ccbfsql.show(con, "months")  # SQL ignores case
    assert ccbfsql.show(con, "-- all\n(FROM months)") == ccbfsql.show(con, "/* all */ FROM months") == ccbfsql.show(con, "months")
    with pytest.raises(duckdb.CatalogException, match="mnths"):
        ccbfsql.show(con, "mnths")
    with pytest.raises(duckdb.CatalogException, match="mnths"):
        ccbfsql.show(con, "SELECT * FROM mnths")
    with pytest.raises(duckdb.Error):
        ccbfsql.show(con, "FROM months; DROP TABLE months")
    with pytest.raises(duckdb.Error, match="ccbf"):
        ccbfsql.show(con, b"no sketch")
    with pytest.raises(ccbfsql.Error, match="nothing to draw"):
        ccbfsql.show(con, "months", category=None)


def test_typed():
    assert (Path(ccbfsql.__file__).parent / "py.typed").exists()
