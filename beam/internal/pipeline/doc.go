// Package pipeline implements ccbf-pipeline: one SQL query over many files, run by
// DuckDB on the workers of a cluster. Its SQL is in steps.sql, and in analyze.sql, which
// says how the columns of a query are united.
//
// # The life of a file
//
//  1. The client lists the files, each once under its absolute name, and reads the
//     columns of the first one. DuckDB's parser says what each column of the query is: a
//     key, a sketch, or a sum, minimum, maximum or count. Any other query is an error
//     here, because no union of its results over parts is its result over all.
//  2. It divides a large local Parquet file into ranges of rows.
//  3. A worker runs the query over the view input, which is one range. A file of another
//     file system is copied first, and CSV and JSON become a local Parquet file first. The rows of the
//     result leave it as Parquet, by the hash of their key: one file's sketches of a
//     key are one BLOB.
//  4. The runner brings the parts of one hash together. DuckDB unites them, by the
//     union aggregates, sum, min and max, and writes one Parquet file.
//  5. The last step writes a summary that names one complete file per hash.
//  6. When the runner reports success, the client gives those files their final names. It
//     removes the other files of its run, and writes the manifest with one rename.
//
// # Why nothing counts twice
//
// Each step is a function of its input: the same range gives the same rows with the same hashes. So
// a runner can repeat any step, at the same time or after it lost a worker, and uses the output of
// one attempt. Each attempt writes under its own name, which no glob of *.parquet matches. The
// summary names the attempts that the runner used. Readers see the manifest of the previous run or
// of this one, and never a part of a run.
//
// # Repeated steps
//
// The runner can repeat steps 3 to 5 any number of times. Prism repeats nothing: a failure ends the
// run. The client repeats nothing either. A run that it could not finish has no manifest, and its
// folder is removed.
package pipeline
