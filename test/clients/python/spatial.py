# Writes the squares of a sketch as a GeoPackage, by GDAL in DuckDB's extension spatial, and prints
# as JSON how many there are and how many points they have: by GROUP BY, without a sketch.
#
#   python3 spatial.py EXTENSION FILE
import json
import pathlib
import sys

import duckdb
import duckdb_extension_spatial

extension, file = sys.argv[1:]
spatial = next(pathlib.Path(duckdb_extension_spatial.__file__).parent.glob("extensions/*/*.duckdb_extension"))
con = duckdb.connect(config={"allow_unsigned_extensions": "true"})
con.load_extension(extension)
con.load_extension(str(spatial))
con.execute("CREATE TABLE p AS SELECT (hash(i) % 600) / 1000 - 1.5 AS x, (hash(i, 1) % 400) / 1000 + 53 AS y FROM range(5000) t(i)")
con.execute("CREATE TABLE s AS SELECT ccbf_agg(x, y, 0.05) AS sketch FROM p")
con.execute(f"COPY (SELECT unnest(ccbf_squares(sketch), recursive := true) FROM s) TO '{file}' (FORMAT gdal, DRIVER 'GPKG')")
cell = "SELECT grid_cell(x, 0.05) AS i, grid_cell(y, 0.05) AS j, count(*) AS n FROM p GROUP BY ALL"
touched = "grid_edge(i, 0.05) <= -1.11 AND grid_edge(i + 1, 0.05) >= -1.29 AND grid_edge(j, 0.05) <= 53.24 AND grid_edge(j + 1, 0.05) >= 53.11"
for where in ["true", touched]:
    print(json.dumps(con.execute(f"SELECT count(*), sum(n)::BIGINT FROM ({cell}) WHERE {where}").fetchone()))
