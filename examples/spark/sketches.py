"""Builds sketches with SQL in Spark, without Beam: mapInArrow runs DuckDB with the extension.

    pip install pyspark==3.5.6 duckdb==1.5.6 pyarrow pandas
    spark-submit sketches.py 'points/*.parquet' out build/ccbf.duckdb_extension

Each task sketches its rows. Spark groups the sketches by key, and then they are united.
"""
import sys

import duckdb
import pyarrow as pa
from pyspark.sql import SparkSession

points, out, extension = sys.argv[1:]
BUILD = """SELECT month, quadkey(lon, lat, 8, 0.001) AS tile, ccbf_agg(lon, lat, 0.001) AS sketch,
                  count(*) AS n FROM input GROUP BY ALL"""
UNITE = "SELECT month, tile, ccbf_union_agg(sketch) AS sketch, sum(n)::BIGINT AS n FROM input GROUP BY ALL"


def run(sql):
    def task(batches):
        first = next(batches, None)
        if first is None:
            return
        rest = (b for part in ([first], batches) for b in part)
        con = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"})
        con.load_extension(extension)
        con.register("input", pa.RecordBatchReader.from_batches(first.schema, rest))
        yield from con.sql(sql).to_arrow_table().to_batches()
    return task


spark = SparkSession.builder.appName("sketches").getOrCreate()
schema = "month string, tile string, sketch binary, n bigint"
parts = spark.read.parquet(points).select("month", "lon", "lat").mapInArrow(run(BUILD), schema)
parts.repartition("month", "tile").mapInArrow(run(UNITE), schema).write.parquet(out)
