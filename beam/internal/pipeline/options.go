package pipeline

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Options say what to read, with which query, and where to write.
type Options struct {
	In  []string // files, globs and manifests
	Out string   // prefix of the names of the output
	CSV string   // options of read_csv

	SQL     string            // query over input; empty: the flags below write it
	Check   string            // expression of a row: NULL, or why the row is bad
	Final   string            // query over result, for each file written; empty: all of it
	Combine map[string]string // the aggregate that unites a column, where the query does not say

	X, Y     string   // columns of the coordinates
	Keys     []string // columns that are part of the key
	Zoom     int      // of the quadkey that is part of the key; below 0: none
	Time     string   // column whose Bucket is part of the key; empty: none
	Bucket   string   // year, month, day or hour
	Category string   // column of the category; empty: none
	Weight   string   // column with the number of points that a row represents; empty: one
	Res      string
	Sketch   map[string]string // options of ccbf_agg as SQL literals

	Files     int   // files to write
	Rows      int64 // rows of a Parquet file that one query reads
	Fanout    int   // parts in which the results of one file to write are united first
	MaxBad    int64 // bad rows that a run may have; below 0: any number beside a good row
	Overwrite bool
	Explain   bool
	Threads   int    // of DuckDB per worker; 0: DuckDB's default
	Memory    string // of DuckDB per worker; empty: DuckDB's default
}

// NewOptions are the defaults of the flags.
func NewOptions() *Options {
	return &Options{X: "lon", Y: "lat", Zoom: -1, Bucket: "day", Files: 4, Rows: 20_000_000, MaxBad: -1,
		Combine: map[string]string{}, Sketch: map[string]string{}}
}

// Flags defines the options of a run.
func (o *Options) Flags(f *flag.FlagSet) {
	o.CompactFlags(f)
	f.StringVar(&o.SQL, "sql", "", "aggregate query over input, for example \"SELECT k, ccbf_agg(lon, lat, 0.001) AS sketch FROM input GROUP BY ALL\"; the flags -x to -weight write one")
	f.StringVar(&o.Check, "check", "", "with -sql: expression that is NULL for good rows of input, and says what is wrong with others")
	f.StringVar(&o.X, "x", o.X, "column of the x coordinate or longitude")
	f.StringVar(&o.Y, "y", o.Y, "column of the y coordinate or latitude")
	f.Func("key", "columns that are part of the key, separated by commas", several(&o.Keys))
	f.IntVar(&o.Zoom, "zoom", o.Zoom, "zoom of the quadkey that is part of the key, of the tile that holds the centre of a point's cell; -1: none")
	f.StringVar(&o.Time, "time", "", "column of the time whose bucket, in UTC, is part of the key")
	f.StringVar(&o.Bucket, "bucket", o.Bucket, "bucket of the time: year, month, day or hour")
	f.StringVar(&o.Category, "category", "", "column of the category")
	f.StringVar(&o.Weight, "weight", "", "column with the number of points that a row represents")
	f.StringVar(&o.Res, "res", "", "edge of a cell, in the units of the coordinates (required without -sql)")
	for _, option := range ccbfOptions() {
		if option.PerRow { // category and weight
			continue
		}
		literal := "%s"
		switch option.Kind {
		case sketch.TextKind:
			literal = "'%s'"
		case sketch.WholesKind:
			literal = "[%s]"
		}
		keep := func(s string) error { o.Sketch[option.Name] = fmt.Sprintf(literal, s); return nil }
		usage := "option " + option.Name + " of ccbf_agg: " + option.Summary
		if option.Kind == sketch.FlagKind {
			f.BoolFunc(option.Name, usage, keep)
		} else {
			f.Func(option.Name, usage, keep)
		}
	}
}

// ccbfOptions are those of ccbf_agg. DuckDB says what is wrong with a value before the run.
func ccbfOptions() []sketch.Option {
	all := ccbfsql.Functions()
	return all[slices.IndexFunc(all, func(f ccbfsql.Function) bool { return f.Name == "ccbf_agg" })].Options
}

// CompactFlags defines the options of compaction.
func (o *Options) CompactFlags(f *flag.FlagSet) {
	f.Func("in", "files to read, separated by commas: names, globs, or manifests of earlier runs (required)", several(&o.In))
	f.StringVar(&o.Out, "out", "", "prefix of the names of the output, for example out/2018-10 (required)")
	f.StringVar(&o.CSV, "csv", "", "options of read_csv, for example \"delim=';', decimal_separator=','\"")
	f.Func("combine", "how a column is united, for example n=sum, where the query does not say: sum, min, max, or a union aggregate", func(s string) error {
		for _, one := range strings.Split(s, ",") {
			column, aggregate, ok := strings.Cut(one, "=")
			if !ok {
				return fmt.Errorf("%q is not COLUMN=AGGREGATE", one)
			}
			o.Combine[column] = aggregate
		}
		return nil
	})
	f.StringVar(&o.Final, "final", "", "query over result, run for each file written, for example \"SELECT *, ccbf_total(sketch) AS total FROM result\"")
	f.IntVar(&o.Files, "files", o.Files, "number of files to write")
	f.Int64Var(&o.Rows, "rows", o.Rows, "rows of a local Parquet file that one query reads: a larger file is several queries")
	f.IntVar(&o.Fanout, "fanout", 0, "number of parts in which the results of each file to write are united first; for very many input files")
	f.Int64Var(&o.MaxBad, "max-bad", o.MaxBad, "bad rows that a run may have; -1: any number, if there is a good row")
	f.BoolVar(&o.Overwrite, "overwrite", false, "replace what an earlier run wrote under the same -out")
	f.BoolVar(&o.Explain, "explain", false, "print the SQL and how each column is united, and read nothing but the columns of the first file")
	f.IntVar(&o.Threads, "threads", 0, "threads of DuckDB in each worker (default: the processors)")
	f.StringVar(&o.Memory, "memory", "", "memory limit of DuckDB in each worker, for example 4GB (default: 80% of the machine's)")
}

// several takes a flag of several values, which may be given again for more.
func several(values *[]string) func(string) error {
	return func(s string) error {
		*values = append(*values, strings.Split(s, ",")...)
		return nil
	}
}

// maxFiles bounds the number of files, which stands in five digits of a name.
const maxFiles = 99999

func (o *Options) check() error {
	_, notNumber := strconv.ParseFloat(o.Res, 64)
	switch {
	case len(o.In) == 0:
		return errors.New("-in is missing: give the files to read, for example 'points/*.parquet'")
	case o.Out == "":
		return errors.New("-out is missing: give the prefix of the output, for example out/2018-10")
	case strings.HasSuffix(o.Out, "/"):
		return fmt.Errorf("-out %s is a folder: give the prefix of the output, for example %s2018-10", o.Out, o.Out)
	case strings.ContainsAny(o.Out, "*?[\\"):
		return fmt.Errorf("-out %s is a glob: give the prefix of the output", o.Out)
	case o.Files < 1 || o.Files > maxFiles:
		return fmt.Errorf("-files is %d, must be from 1 to %d", o.Files, maxFiles)
	case o.Rows < 1:
		return fmt.Errorf("-rows is %d, must be at least 1", o.Rows)
	case o.Fanout < 0 || o.Fanout > maxFiles:
		return fmt.Errorf("-fanout is %d, must be from 0 to %d", o.Fanout, maxFiles)
	case o.SQL != "" && (o.Res != "" || len(o.Sketch) > 0 || len(o.Keys) > 0 || o.Zoom >= 0 || o.Time != "" || o.Category != "" || o.Weight != ""):
		return errors.New("-sql says all that -res, -key, -zoom, -time, -category, -weight and the options of ccbf_agg say: give one or the other")
	case o.SQL != "":
		return nil
	case o.Res == "":
		return errors.New("-res is missing: give the edge of a cell, or a query by -sql")
	case notNumber != nil:
		return fmt.Errorf("-res is %q, must be a number", o.Res)
	case o.Zoom > grid.MaxZoom:
		return fmt.Errorf("-zoom is %d, must be from 0 to %d, or -1 for no quadkey", o.Zoom, grid.MaxZoom)
	case o.Time != "" && !slices.Contains([]string{"year", "month", "day", "hour"}, o.Bucket):
		return fmt.Errorf("-bucket is %q, must be year, month, day or hour", o.Bucket)
	}
	return nil
}

// finalOfCCBF adds what selects the sketches that a question can meet.
const finalOfCCBF = "SELECT *, ccbf_total(sketch) AS total, UNNEST((ccbf_info(sketch)).bbox) FROM result"

// write fills in SQL, Check and Final from the other flags.
func (o *Options) write() {
	var columns, settings []string
	bad := "CASE "
	reject := func(condition, reason string) { bad += "WHEN " + condition + " THEN " + text(reason) + " " }
	// value is a column as a type, and rejects rows in which it has none.
	value := func(name, kind, what string) string {
		cast := fmt.Sprintf("TRY_CAST(%s AS %s)", quote(name), kind)
		reject(quote(name)+" IS NULL", name+" is NULL")
		reject(cast+" IS NULL", name+" is not "+what)
		return cast
	}
	x, y := value(o.X, "DOUBLE", "a number"), value(o.Y, "DOUBLE", "a number")
	reject(fmt.Sprintf("TRY(ccbf_cell_key(%s, %s, %s)) IS NULL", x, y, o.Res), "no cell at these coordinates")
	for _, k := range o.Keys {
		columns = append(columns, quote(k))
	}
	if o.Zoom >= 0 {
		tile := fmt.Sprintf("quadkey(%s, %s, %d, %s)", x, y, o.Zoom, o.Res)
		reject("TRY("+tile+") IS NULL", "no map tile at these coordinates")
		columns = append(columns, tile+" AS quadkey")
	}
	if o.Time != "" {
		kind := "DATE"
		if o.Bucket == "hour" {
			kind = "TIMESTAMP"
		}
		columns = append(columns, fmt.Sprintf("CAST(date_trunc('%s', %s) AS %s) AS %[1]q", o.Bucket, value(o.Time, "TIMESTAMP", "a time"), kind))
	}
	for _, name := range slices.Sorted(maps.Keys(o.Sketch)) {
		settings = append(settings, name+": "+o.Sketch[name])
	}
	if o.Category != "" {
		reject(quote(o.Category)+" IS NULL", o.Category+" is NULL")
		settings = append(settings, "category: "+quote(o.Category))
	}
	if o.Weight != "" {
		whole := value(o.Weight, "UBIGINT", "a whole number from 0")
		reject(whole+" <> "+quote(o.Weight), o.Weight+" is not a whole number from 0")
		settings = append(settings, "weight: "+whole)
	}
	call := fmt.Sprintf("ccbf_agg(%s, %s, %s", x, y, o.Res)
	if len(settings) > 0 {
		call += ", {" + strings.Join(settings, ", ") + "}"
	}
	columns = append(columns, call+") AS sketch")
	o.SQL = "SELECT " + strings.Join(columns, ", ") + " FROM input GROUP BY ALL"
	o.Check = bad + "END"
	if o.Final == "" {
		o.Final = finalOfCCBF
	}
}

// quote is a name in SQL.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// text is a VARCHAR in SQL.
func text(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
