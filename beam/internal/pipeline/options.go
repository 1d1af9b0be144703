package pipeline

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/filters/grid"
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
	o.fileFlags(f)
	f.StringVar(&o.SQL, "sql", "", "aggregate query over input, for example \"SELECT k, ccbf_agg(lon, lat, 0.001) AS sketch FROM input GROUP BY ALL\"; the flags -x to -weight write one")
	f.StringVar(&o.Check, "check", "", "with -sql: expression that is NULL for good rows of input, and says what is wrong with others")
	f.Func("combine", "with -sql: how a column is united, for example n=sum: sum, min, max, or a union aggregate", func(s string) error {
		for _, one := range strings.Split(s, ",") {
			column, aggregate, ok := strings.Cut(one, "=")
			if !ok {
				return fmt.Errorf("%q is not COLUMN=AGGREGATE", one)
			}
			o.Combine[column] = aggregate
		}
		return nil
	})
	f.StringVar(&o.X, "x", o.X, "column of the x coordinate or longitude")
	f.StringVar(&o.Y, "y", o.Y, "column of the y coordinate or latitude")
	f.Var((*texts)(&o.Keys), "key", "columns that are part of the key, separated by commas")
	f.IntVar(&o.Zoom, "zoom", o.Zoom, "zoom of the quadkey that is part of the key, of the tile that holds the centre of a point's cell; -1: none")
	f.StringVar(&o.Time, "time", "", "column of the time whose bucket, in UTC, is part of the key")
	f.StringVar(&o.Bucket, "bucket", o.Bucket, "bucket of the time: year, month, day or hour")
	f.StringVar(&o.Category, "category", "", "column of the category")
	f.StringVar(&o.Weight, "weight", "", "column with the number of points that a row represents")
	f.StringVar(&o.Res, "res", "", "edge of a cell, in the units of the coordinates (required without -sql)")
	for _, option := range sketchOptions {
		keep := func(s string) error { o.Sketch[option.name] = fmt.Sprintf(option.literal, s); return nil }
		if option.name == "totals" {
			f.BoolFunc(option.name, "option totals of ccbf_agg", keep)
		} else {
			f.Func(option.name, "option "+option.name+" of ccbf_agg"+option.more, keep)
		}
	}
}

// sketchOptions are those of ccbf_agg that are flags of their own, with the SQL of their
// values. DuckDB says what is wrong with a value before the run.
var sketchOptions = []struct{ name, literal, more string }{
	{"bytes", "%s", ""},
	{"exact", "%s", ""},
	{"overflow", "'%s'", ""},
	{"k", "%s", ""},
	{"mode", "'%s'", ""},
	{"layers", "[%s]", ": whole numbers, separated by commas"},
	{"counters", "[%s]", ": whole numbers, separated by commas"},
	{"levels", "%s", ""},
	{"seed", "%s", ""},
	{"totals", "%s", ""},
}

// CompactFlags defines the options of compaction.
func (o *Options) CompactFlags(f *flag.FlagSet) { o.fileFlags(f) }

func (o *Options) fileFlags(f *flag.FlagSet) {
	f.Var((*texts)(&o.In), "in", "files to read, separated by commas: names, globs, or manifests of earlier runs (required)")
	f.StringVar(&o.Out, "out", "", "prefix of the names of the output, for example out/2018-10 (required)")
	f.StringVar(&o.CSV, "csv", "", "options of read_csv, for example \"delim=';', decimal_separator=','\"")
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

// texts is a flag of several values, which may be given again for more.
type texts []string

func (l *texts) String() string { return strings.Join(*l, ",") }

func (l *texts) Set(s string) error {
	*l = append(*l, strings.Split(s, ",")...)
	return nil
}

// maxFiles bounds the number of files, which stands in five digits of a name.
const maxFiles = 99999

func (o *Options) check() error {
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
	case o.SQL == "" && o.Res == "":
		return errors.New("-res is missing: give the edge of a cell, or a query by -sql")
	case o.SQL == "" && o.Zoom > grid.MaxZoom:
		return fmt.Errorf("-zoom is %d, must be from 0 to %d, or -1 for no quadkey", o.Zoom, grid.MaxZoom)
	}
	return nil
}

// finalOfCCBF adds what selects the sketches that a question can meet.
const finalOfCCBF = "SELECT *, ccbf_total(sketch) AS total, UNNEST((ccbf_info(sketch)).bbox) FROM result"

// write fills in SQL, Check and Final from the other flags, for the columns of input.
func (o *Options) write(input []Column) error {
	if o.SQL != "" {
		return nil
	}
	if _, err := strconv.ParseFloat(o.Res, 64); err != nil {
		return fmt.Errorf("-res is %q, must be a number", o.Res)
	}
	types := map[string]string{}
	names := make([]string, 0, len(input))
	for _, c := range input {
		types[c.Name] = c.Type
		names = append(names, c.Name)
	}
	var bad strings.Builder
	var missing error
	// value is a column as a type, and notes when it has none.
	value := func(name, kind, what string) string {
		have, ok := types[name]
		if !ok {
			missing = errors.Join(missing, fmt.Errorf("no column %q among %s", name, strings.Join(names, ", ")))
		}
		column := quote(name)
		fmt.Fprintf(&bad, "WHEN %s IS NULL THEN %s ", column, text(name+" is NULL"))
		if have == kind {
			return column
		}
		cast := fmt.Sprintf("TRY_CAST(%s AS %s)", column, kind)
		fmt.Fprintf(&bad, "WHEN %s IS NULL THEN %s ", cast, text(name+" is "+what))
		return cast
	}
	x, y := value(o.X, "DOUBLE", "not a number"), value(o.Y, "DOUBLE", "not a number")
	fmt.Fprintf(&bad, "WHEN TRY(ccbf_cell_key(%s, %s, %s)) IS NULL THEN 'no cell at these coordinates' ", x, y, o.Res)
	var columns, settings []string
	for _, k := range o.Keys {
		if types[k] == "" {
			missing = errors.Join(missing, fmt.Errorf("no column %q among %s", k, strings.Join(names, ", ")))
		}
		columns = append(columns, quote(k))
	}
	if o.Zoom >= 0 {
		tile := fmt.Sprintf("quadkey(%s, %s, %d, %s)", x, y, o.Zoom, o.Res)
		fmt.Fprintf(&bad, "WHEN TRY(%s) IS NULL THEN 'no map tile at these coordinates' ", tile)
		columns = append(columns, tile+" AS quadkey")
	}
	if o.Time != "" {
		kind, ok := map[string]string{"year": "DATE", "month": "DATE", "day": "DATE", "hour": "TIMESTAMP"}[o.Bucket]
		if !ok {
			return fmt.Errorf("-bucket is %q, must be year, month, day or hour", o.Bucket)
		}
		columns = append(columns, fmt.Sprintf("CAST(date_trunc('%s', %s) AS %s) AS %q", o.Bucket, value(o.Time, "TIMESTAMP", "not a time"), kind, o.Bucket))
	}
	for _, option := range sketchOptions {
		if v, ok := o.Sketch[option.name]; ok {
			settings = append(settings, option.name+": "+v)
		}
	}
	if o.Category != "" {
		if value(o.Category, types[o.Category], ""); types[o.Category] != "" {
			settings = append(settings, "category: "+quote(o.Category))
		}
	}
	if o.Weight != "" {
		w := value(o.Weight, "UBIGINT", "not a whole number from 0")
		fmt.Fprintf(&bad, "WHEN %s <> %s THEN %s ", w, quote(o.Weight), text(o.Weight+" is not a whole number from 0"))
		settings = append(settings, "weight: "+w)
	}
	if missing != nil {
		return missing
	}
	call := fmt.Sprintf("ccbf_agg(%s, %s, %s", x, y, o.Res)
	if len(settings) > 0 {
		call += ", {" + strings.Join(settings, ", ") + "}"
	}
	columns = append(columns, call+") AS sketch")
	o.SQL = "SELECT " + strings.Join(columns, ", ") + " FROM input GROUP BY ALL"
	o.Check = "CASE " + bad.String() + "END"
	if o.Final == "" {
		o.Final = finalOfCCBF
	}
	return nil
}

// quote is a name in SQL.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// text is a VARCHAR in SQL.
func text(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
