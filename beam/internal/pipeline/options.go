package pipeline

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Options describe a run: its input, its query and its output.
type Options struct {
	FileOptions
	QueryOptions
	Sketch map[string]string // options of ccbf_agg, as SQL literals
}

// FileOptions holds the flags that a run and a compaction share: input, output, limits and threads.
type FileOptions struct {
	In        []string          `flag:"in" usage:"files to read, separated by commas: names, globs, or manifests of earlier runs (required)"`
	Out       string            `flag:"out" usage:"prefix of the names of the output, for example out/2018-10 (required)"`
	CSV       string            `flag:"csv" usage:"options of read_csv, for example \"delim=';', decimal_separator=','\""`
	Combine   map[string]string `flag:"combine" usage:"aggregate that unites a column, for example n=sum, if the query does not determine it: sum, min, max, or a union aggregate"`
	Final     string            `flag:"final" usage:"query over result, run for each file written, for example \"SELECT *, ccbf_total(sketch) AS total FROM result\""`
	Files     int               `flag:"files" usage:"number of files to write"`
	Rows      int64             `flag:"rows" usage:"most rows of a local Parquet file that one query reads: several queries read a larger file"`
	Fanout    int               `flag:"fanout" usage:"number of parts in which the results of each file to write are united first; for very many input files"`
	MaxBad    int64             `flag:"max-bad" usage:"most bad rows of a successful run; -1: any number, if there is a good row"`
	Overwrite bool              `flag:"overwrite" usage:"replace the output of an earlier run with the same -out"`
	Explain   bool              `flag:"explain" usage:"print the SQL and how each column is united, and read nothing but the columns of the first file"`
	Threads   int               `flag:"threads" usage:"threads of DuckDB in each worker (default: the processors)"`
	Memory    string            `flag:"memory" usage:"memory limit of DuckDB in each worker, for example 4GB (default: 80% of the machine's)"`
}

// QueryOptions hold the query, or the columns of points from which write makes it.
type QueryOptions struct {
	SQL      string   `flag:"sql" usage:"aggregate query over input, for example \"SELECT k, ccbf_agg(lon, lat, 0.001) AS sketch FROM input GROUP BY ALL\"; the flags -x to -weight write one"`
	Check    string   `flag:"check" usage:"with -sql: expression that is NULL for good rows of input, and the reason for bad rows"`
	X        string   `flag:"x" usage:"column of the x coordinate or longitude"`
	Y        string   `flag:"y" usage:"column of the y coordinate or latitude"`
	Keys     []string `flag:"key" usage:"columns that are part of the key, separated by commas"`
	Zoom     int      `flag:"zoom" usage:"zoom of the quadkey that is part of the key, of the tile that holds the centre of a point's cell; -1: none"`
	Time     string   `flag:"time" usage:"column of the time whose bucket, in UTC, is part of the key"`
	Bucket   string   `flag:"bucket" usage:"bucket of the time: year, month, day or hour"`
	Category string   `flag:"category" usage:"column of the category"`
	Weight   string   `flag:"weight" usage:"column with the number of points that a row represents"`
	Res      string   `flag:"res" usage:"edge of a cell, in the units of the coordinates (required without -sql)"`
}

// NewOptions returns the defaults of the flags.
func NewOptions() *Options {
	return &Options{FileOptions{Files: 4, Rows: 20_000_000, MaxBad: -1, Combine: map[string]string{}},
		QueryOptions{X: "lon", Y: "lat", Zoom: -1, Bucket: "day"}, map[string]string{}}
}

// define defines a flag for each field of a struct. The field's value is the default.
func define(f *flag.FlagSet, options any) {
	v := reflect.ValueOf(options).Elem()
	for i := range v.NumField() {
		name, usage := v.Type().Field(i).Tag.Get("flag"), v.Type().Field(i).Tag.Get("usage")
		switch p := v.Field(i).Addr().Interface().(type) {
		case *string:
			f.StringVar(p, name, *p, usage)
		case *int:
			f.IntVar(p, name, *p, usage)
		case *int64:
			f.Int64Var(p, name, *p, usage)
		case *bool:
			f.BoolVar(p, name, *p, usage)
		case *[]string: // the flag may be repeated
			f.Func(name, usage, func(s string) error {
				*p = append(*p, strings.Split(s, ",")...)
				return nil
			})
		case *map[string]string:
			f.Func(name, usage, func(s string) error {
				for _, one := range strings.Split(s, ",") {
					column, value, ok := strings.Cut(one, "=")
					if !ok {
						return fmt.Errorf("%q is not COLUMN=AGGREGATE: write for example n=sum", one)
					}
					(*p)[column] = value
				}
				return nil
			})
		}
	}
}

// defineSketch defines a flag for each option of ccbf_agg. DuckDB checks the values before the run.
func (o *Options) defineSketch(f *flag.FlagSet) {
	all := ccbfsql.Functions()
	for _, option := range all[slices.IndexFunc(all, func(f ccbfsql.Function) bool { return f.Name == "ccbf_agg" })].Options {
		if option.PerRow { // category and weight have flags of their own
			continue
		}
		keep := func(s string) (err error) {
			switch option.Kind {
			case sketch.TextKind:
				s = text(s)
			case sketch.FlagKind:
				_, err = strconv.ParseBool(s)
				s = text(s) + "::BOOLEAN"
			case sketch.WholesKind:
				for _, one := range strings.Split(s, ",") {
					_, failed := strconv.ParseUint(one, 10, 64)
					err = cmp.Or(err, failed)
				}
				s = "[" + s + "]"
			default:
				_, err = strconv.ParseFloat(s, 64)
			}
			if err != nil {
				return fmt.Errorf("must be %s", option.Values())
			}
			o.Sketch[option.Name] = s
			return nil
		}
		usage := "option " + option.Name + " of ccbf_agg: " + option.Summary
		if option.Kind == sketch.FlagKind {
			f.BoolFunc(option.Name, usage, keep)
		} else {
			f.Func(option.Name, usage, keep)
		}
	}
}

// checkGiven returns an error if a flag was given that has no effect. points defines the flags of the
// query.
func (o *Options) checkGiven(points *flag.FlagSet) (err error) {
	flag.Visit(func(f *flag.Flag) {
		switch {
		case err != nil || points.Lookup(f.Name) == nil || f.Name == "sql":
		case f.Name == "check" && o.SQL == "":
			err = errors.New("-check has no effect without -sql: the flags for points write their own")
		case f.Name != "check" && o.SQL != "":
			err = fmt.Errorf("-%s has no effect beside -sql, which replaces all flags for points: give -sql or these", f.Name)
		case f.Name == "bucket" && o.Time == "":
			err = errors.New("-bucket has no effect without -time: give the column of the time")
		}
	})
	return err
}

// maxFiles limits the number of files, which has five digits in their names.
const maxFiles = 99999

func (o *Options) check() error {
	res, notNumber := strconv.ParseFloat(o.Res, 64)
	switch {
	case len(o.In) == 0:
		return errors.New("-in is missing: give the files to read, for example 'points/*.parquet'")
	case o.Out == "":
		return errors.New("-out is missing: give the prefix of the output, for example out/2018-10")
	case strings.HasSuffix(o.Out, "/"):
		return fmt.Errorf("-out %s is a folder: give the prefix of the output, for example %s2018-10", o.Out, o.Out)
	case strings.ContainsAny(o.Out, "*?[\\"):
		return fmt.Errorf("-out %s is a glob: give the prefix of the output, without *, ? and [", o.Out)
	case o.Files < 1 || o.Files > maxFiles:
		return fmt.Errorf("-files is %d, must be from 1 to %d", o.Files, maxFiles)
	case o.Rows < 1:
		return fmt.Errorf("-rows is %d, must be at least 1", o.Rows)
	case o.Fanout < 0 || o.Fanout > maxFiles:
		return fmt.Errorf("-fanout is %d, must be from 0 to %d", o.Fanout, maxFiles)
	case partial.MatchString(o.SQL):
		return errors.New("-sql: at_least would suppress parts of a group: leave it out, and call ccbf_suppress in -final")
	case o.SQL != "":
		return nil
	case o.Res == "":
		return errors.New("-res is missing: give the edge of a cell, or a query by -sql")
	case notNumber != nil || !(res > 0 && res <= math.MaxFloat64):
		return fmt.Errorf("-res is %q, must be a number above 0", o.Res)
	case o.Zoom < -1 || o.Zoom > grid.MaxZoom:
		return fmt.Errorf("-zoom is %d, must be from 0 to %d, or -1 for no quadkey", o.Zoom, grid.MaxZoom)
	case o.Time != "" && !slices.Contains([]string{"year", "month", "day", "hour"}, o.Bucket):
		return fmt.Errorf("-bucket is %q, must be year, month, day or hour", o.Bucket)
	}
	return nil
}

// finalOfCCBF adds columns that select the sketches of an area.
const finalOfCCBF = "SELECT *, ccbf_total(sketch) AS total, UNNEST((ccbf_info(sketch)).bbox) FROM result"

// columnsOfCCBF are the columns that finalOfCCBF adds.
var columnsOfCCBF = []string{"total", "xmin", "ymin", "xmax", "ymax"}

// write sets SQL, Check and Final from the other flags.
func (p *Plan) write() error {
	used := [][2]string{{"x", p.X}, {"y", p.Y}, {"time", p.Time}, {"category", p.Category}, {"weight", p.Weight}}
	for _, key := range p.Keys {
		used = append(used, [2]string{"key", key})
	}
	for _, u := range used {
		if u[1] != "" && !has(p.Input, u[1]) {
			return fmt.Errorf("-%s %s: no such column: the file has %s", u[0], u[1], namesOf(p.Input))
		}
	}
	// Points are suppressed when all parts of a group are united.
	from, least := "result", p.Sketch[leastOption]
	if least != "" {
		from = "(SELECT * REPLACE (ccbf_suppress(sketch, " + least + ") AS sketch) FROM result)"
	}
	switch {
	case p.Final == "":
		p.Final = strings.Replace(finalOfCCBF, "result", from, 1)
		if i := slices.IndexFunc(p.Keys, func(k string) bool { return slices.Contains(columnsOfCCBF, strings.ToLower(k)) }); i >= 0 {
			return fmt.Errorf("-key %s: the result has a column of this name: rename one of them by -final", p.Keys[i])
		}
	case least != "":
		return errors.New("-at_least beside -final: call ccbf_suppress in -final")
	}
	p.SQL, p.Check = step{Plan: p}.statement("points"), step{Plan: p}.statement("check")
	return nil
}

// leastOption is the option of ccbf_agg that leaves out points. Parts of a group must keep theirs.
const leastOption = "at_least"

// partial matches leastOption in a query.
var partial = regexp.MustCompile(`(?i)\b` + leastOption + `['"]?\s*:`)

// Settings returns the options of ccbf_agg for a part of a group, in SQL.
func (o *Options) Settings() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(o.Sketch)) {
		if name != leastOption {
			out = append(out, name+": "+o.Sketch[name])
		}
	}
	if o.Category != "" {
		out = append(out, "category: "+quote(o.Category))
	}
	if o.Weight != "" {
		out = append(out, "weight: "+try(o.Weight, "UBIGINT"))
	}
	return strings.Join(out, ", ")
}
