"""Sketches as table values in DuckDB: counts on a map, and of keys, in small BLOBs that merge.

    import ccbfsql

    con = ccbfsql.connect("crime.duckdb")
    con.sql("CREATE TABLE months AS "
            "SELECT month, ccbf_agg(lon, lat, 0.01) AS sketch FROM 'crime.parquet' GROUP BY month")
    con.sql("SELECT month, ccbf_bbox_sum(sketch, -1.6, 53.3, -1.3, 53.5) AS sheffield FROM months").show()
    ccbfsql.show(con, "months")  # a picture, in a notebook

Everything else is SQL: ``SELECT sketch_help('ccbf_agg')`` describes a function. A sketch is
``bytes`` in Python.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb

__all__ = ["Error", "Picture", "connect", "load", "show"]

_EXTENSION = Path(__file__).with_name("ccbf.duckdb_extension")
_OLDEST = (1, 3)


class Error(Exception):
    """An error of this package. Errors in SQL are DuckDB's own, ``duckdb.Error``."""


class Picture(bytes):
    """The bytes of a PNG image, which a notebook displays.

    ``pathlib.Path("map.png").write_bytes(picture)`` writes it to a file.
    """

    def _repr_png_(self) -> bytes:
        return bytes(self)

    def __repr__(self) -> str:
        return f"<PNG image, {len(self)} bytes>"


def connect(
    database: str | Path = ":memory:", read_only: bool = False, config: dict[str, Any] | None = None
) -> duckdb.DuckDBPyConnection:
    """Open a database as ``duckdb.connect`` does, with the functions of ccbfsql.

    The database allows unsigned extensions, as DuckDB's project has not signed this one.
    Raises ``Error`` as ``load`` does.
    """
    _check_version("connect")
    con = duckdb.connect(database, read_only, {**(config or {}), "allow_unsigned_extensions": "true"})
    try:
        load(con)
    except BaseException:
        con.close()
        raise
    return con


def load(con: duckdb.DuckDBPyConnection) -> None:
    """Load the functions into the database of a connection, for all of its connections.

    Loading again changes nothing. Raises ``Error`` if con is not a connection, if DuckDB is older than 1.3,
    if the database does not allow unsigned extensions, or if the package has no extension for this platform.
    """
    _check_version("load")
    if not hasattr(con, "cursor"):
        raise Error(f"ccbfsql.load: {con!r} is not a connection: pass that of ccbfsql.connect or duckdb.connect")
    if not _EXTENSION.exists():
        raise Error(f"ccbfsql.load: no {_EXTENSION}: install the wheel of ccbfsql for this platform")
    own = con.cursor()  # a pending result of con stays as it is
    try:
        if own.execute("SELECT current_setting('allow_unsigned_extensions')").fetchall() != [(True,)]:
            raise Error(
                "ccbfsql.load: the database does not allow unsigned extensions: open it with ccbfsql.connect, "
                'or with duckdb.connect(config={"allow_unsigned_extensions": "true"})'
            )
        own.execute(f"LOAD {_quoted(str(_EXTENSION), _TEXT)}")
    finally:
        own.close()


def show(
    con: duckdb.DuckDBPyConnection,
    what: str | bytes | duckdb.DuckDBPyRelation,
    column: str | None = None,
    *,
    box: tuple[float, float, float, float] | None = None,
    width: int = 800,
    height: int | None = None,
    **options: Any,
) -> Picture:
    """Draw the points of a sketch or of a table as a picture. A notebook displays it.

    ``what`` is the name of a table or view, a query, a relation such as ``con.sql(...)``, or a sketch. For a
    dataframe in a variable ``frame``, give the relation ``con.sql("FROM frame")``. All sketches
    in a column of a table, query or relation are united; ``column`` names it if several have sketches of places.

    ``box`` is (xmin, ymin, xmax, ymax), by default the box around all points. ``width`` and
    ``height`` are in pixels; without a height, it follows from the box. ``options`` are those of
    the SQL function ``ccbf_png``: palette, scale, label, category.

    Raises ``Error`` if there is no sketch of places to draw, and ``duckdb.Error`` if DuckDB refuses
    the table, the sketch or an option.
    """
    load(con)
    sketch = what if isinstance(what, (bytes, bytearray, memoryview)) else _united(con, what, column)
    own = con.cursor()
    try:
        if box is None:
            around = own.execute("SELECT (ccbf_info(?::BLOB)).bbox", [sketch]).fetchall()[0][0]
            if around is None:
                raise Error("ccbfsql.show: the sketch has no points: name a box")
            box = (around["xmin"], around["ymin"], around["xmax"], around["ymax"])
        sides = [int(side) for side in (width, height) if side is not None]
        arguments = [sketch, *box, *sides, *([options] if options else [])]
        marks = ", ".join("?" for _ in arguments[1:])
        picture = own.execute(f"SELECT ccbf_png(?::BLOB, {marks})", arguments).fetchall()[0][0]
    finally:
        own.close()
    if picture is None:  # as in SQL, where an argument is NULL
        raise Error("ccbfsql.show: nothing to draw: the category, or a number of the box, is None")
    return Picture(picture)


_NAME, _TEXT = '"', "'"


def _quoted(text: str, mark: str) -> str:
    return mark + text.replace(mark, mark + mark) + mark


def _check_version(function: str) -> None:
    if tuple(int(n) for n in duckdb.__version__.split(".")[:2]) < _OLDEST:
        raise Error(
            f"ccbfsql.{function}: DuckDB is {duckdb.__version__}, but has to be 1.3 or newer: "
            "pip install --upgrade duckdb"
        )


def _united(con: duckdb.DuckDBPyConnection, what: str | duckdb.DuckDBPyRelation, column: str | None) -> bytes:
    """The union of all sketches in a column of a table, view or relation."""
    relation = _relation(con, what) if isinstance(what, str) else what
    if not isinstance(relation, duckdb.DuckDBPyRelation):
        raise Error(f"ccbfsql.show: {what!r} is not the name of a table, a query, a relation or a sketch")
    name = what if isinstance(what, str) else "the relation"
    columns = {c.lower(): c for c in relation.columns}
    if column is None:
        column = _column_of_places(relation, name)
    elif column.lower() not in columns:
        raise Error(f"ccbfsql.show: {name} has no column {column}: it has {', '.join(relation.columns)}")
    elif _families(relation).get(columns[column.lower()]) != "ccbf":
        raise Error(f"ccbfsql.show: column {column} of {name} has no sketches of places, which ccbf_agg makes")
    return relation.aggregate(f"ccbf_union_agg({_quoted(column, _NAME)})").fetchall()[0][0]


def _relation(con: duckdb.DuckDBPyConnection, what: str) -> duckdb.DuckDBPyRelation:
    """A table or view by its name, or a query."""
    begins = re.sub(r"^(\s|\(|--[^\n]*\n|/\*.*?\*/)+", "", what, flags=re.DOTALL)
    words = begins.lower().split()
    if len(words) > 1 and words[0] in ("select", "from", "with", "values", "pivot", "unpivot"):
        return con.sql(f"FROM ({what.strip().rstrip(';')}\n)")  # only a query, no other statement
    return con.table(what)


def _column_of_places(relation: duckdb.DuckDBPyRelation, name: str) -> str:
    """The one column that has sketches of places."""
    families = _families(relation)
    places = [c for c, f in families.items() if f == "ccbf"]
    if len(places) == 1:
        return places[0]
    if places:
        raise Error(f"ccbfsql.show: {name} has several columns of sketches: name one, such as column={places[0]!r}")
    if not relation.limit(1).fetchall():
        raise Error(f"ccbfsql.show: {name} has no rows")
    others = ", ".join(f"{c} ({f})" for c, f in families.items())
    raise Error(
        f"ccbfsql.show: {name} has no column with sketches of places, which ccbf_agg makes; "
        + (f"it has sketches of keys: {others}" if others else f"its columns are {', '.join(relation.columns)}")
    )


def _families(relation: duckdb.DuckDBPyRelation) -> dict[str, str]:
    """The columns that have sketches, each with the family of its first one."""
    families = {}
    for column, kind in zip(relation.columns, relation.types):
        c = _quoted(column, _NAME)
        if str(kind) == "BLOB":
            first = relation.filter(f"{c} IS NOT NULL").limit(1)
            for (family,) in first.project(f"TRY((sketch_info({c})).family)").fetchall():
                if family is not None:
                    families[column] = family
    return families
