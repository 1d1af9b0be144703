// Package pipeline implements ccbf-pipeline: it turns points from files into a sketch
// per key in Parquet, and many sketches per key into one.
package pipeline

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Options say what to read, by which key, and where to write.
type Options struct {
	In  []string // globs of Parquet and CSV files
	Out string   // prefix of the names of the output files

	X, Y     string   // columns of the coordinates
	Keys     []string // columns that are part of the key
	Zoom     int      // of the quadkey that is part of the key, by the centre of the point's cell; below 0: none
	Time     string   // column whose Bucket is part of the key; empty: none
	Bucket   string   // year, month, day or hour
	Category string   // column of the category; empty: none
	Weight   string   // column with the number of points that a row represents; empty: one

	Sketch    ccbf.Params
	Files     int  // files to write
	Fanout    int  // of hot keys
	Overwrite bool // what earlier runs wrote under the same Out
}

// Flags defines the options of building sketches.
func (o *Options) Flags(f *flag.FlagSet) {
	o.fileFlags(f)
	f.StringVar(&o.X, "x", "lon", "column of the x coordinate or longitude")
	f.StringVar(&o.Y, "y", "lat", "column of the y coordinate or latitude")
	f.Var((*texts)(&o.Keys), "key", "columns that are part of the key, separated by commas")
	f.IntVar(&o.Zoom, "zoom", -1, "zoom of the quadkey that is part of the key, of the tile that holds the centre of a point's cell; -1: none")
	f.StringVar(&o.Time, "time", "", "column of the time whose bucket is part of the key")
	f.StringVar(&o.Bucket, "bucket", "day", "bucket of the time: year, month, day or hour")
	f.StringVar(&o.Category, "category", "", "column of the category")
	f.StringVar(&o.Weight, "weight", "", "column with the number of points that a row represents")

	p := &o.Sketch
	f.Float64Var(&p.Res, "res", 0, "edge of a cell, in the units of the coordinates (required)")
	f.Uint64Var(&p.Bytes, "bytes", 0, "maximum size of the body of a sketch in bytes (default 1048576)")
	f.BoolFunc("exact", "exact while the cells fit into bytes (default true)", func(s string) error {
		v, err := strconv.ParseBool(s)
		p.Dense = !v
		return err
	})
	f.IntVar(&p.K, "k", 0, "counters per cell (default 4)")
	f.Func("mode", "'mi' or 'standard' (default mi)", func(s string) error {
		switch s {
		case "mi":
			p.Mode = ccbf.MinimalIncrement
		case "standard":
			p.Mode = ccbf.Standard
		default:
			return sketch.OptionError("mode", "is '%s', must be 'mi' or 'standard'", s)
		}
		return nil
	})
	f.Func("overflow", "what a sketch becomes when its cells no longer fit: tree or counters (default tree; counters with -exact=false, -k, -mode standard, -layers, -counters, -levels)", func(s string) error {
		switch s {
		case "tree":
			p.Overflow = ccbf.ToTree
		case "counters":
			p.Overflow = ccbf.ToCounters
		default:
			return sketch.OptionError("overflow", "is '%s', must be 'tree' or 'counters'", s)
		}
		return nil
	})
	f.Func("layers", "bits per counter of each layer, separated by commas (default 4,8,16,32, in mode standard 8,16,32)", func(s string) (err error) {
		p.Widths, err = numbers(s, strconv.Atoi)
		return err
	})
	f.Func("counters", "number of counters of each layer, separated by commas, instead of -bytes", func(s string) (err error) {
		p.Counters, err = numbers(s, func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) })
		return err
	})
	f.IntVar(&p.Levels, "levels", 0, "number of levels of squares that sketches count in addition to cells when they are no longer exact")
	f.Uint64Var(&p.Seed, "seed", 0, "seed of the hash")
	f.BoolVar(&p.Totals, "totals", false, "with -category: also count each point without its category")
}

// CompactFlags defines the options of compaction.
func (o *Options) CompactFlags(f *flag.FlagSet) { o.fileFlags(f) }

func (o *Options) fileFlags(f *flag.FlagSet) {
	f.Var((*texts)(&o.In), "in", "files to read, separated by commas: names or globs (required)")
	f.StringVar(&o.Out, "out", "", "prefix of the names of the output files, for example out/2018-10 (required)")
	f.IntVar(&o.Files, "files", 4, "number of files to write")
	f.IntVar(&o.Fanout, "fanout", 0, "number of parts in which the sketches of a key are united first; for keys that occur on many workers")
	f.BoolVar(&o.Overwrite, "overwrite", false, "replace what an earlier run wrote under the same -out")
}

// texts is a flag of several values, which may be given again for more.
type texts []string

func (l *texts) String() string { return strings.Join(*l, ",") }

func (l *texts) Set(s string) error {
	*l = append(*l, strings.Split(s, ",")...)
	return nil
}

// numbers reads numbers with commas between.
func numbers[T any](s string, parse func(string) (T, error)) ([]T, error) {
	var out []T
	for _, text := range strings.Split(s, ",") {
		n, err := parse(text)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// maxFiles bounds the number of files, which stands in five digits of a name.
const maxFiles = 99999

func (o *Options) checkFiles() error {
	switch {
	case len(o.In) == 0:
		return errors.New("-in is missing: give the files to read, for example 'points/*.parquet'")
	case o.Out == "":
		return errors.New("-out is missing: give the prefix of the output files, for example out/2018-10")
	case strings.HasSuffix(o.Out, "/"):
		return fmt.Errorf("-out %s is a folder: give the prefix of the output files, for example %s2018-10", o.Out, o.Out)
	case o.Files < 1 || o.Files > maxFiles:
		return fmt.Errorf("-files is %d, must be from 1 to %d", o.Files, maxFiles)
	}
	return nil
}

// check validates everything that can be before a file is read.
func (o *Options) check() (ccbf.Config, error) {
	var none ccbf.Config
	if err := o.checkFiles(); err != nil {
		return none, err
	}
	if o.Zoom > grid.MaxZoom {
		return none, fmt.Errorf("-zoom is %d, must be from 0 to %d, or -1 for no quadkey", o.Zoom, grid.MaxZoom)
	}
	if _, ok := buckets[o.Bucket]; !ok && o.Time != "" {
		return none, fmt.Errorf("-bucket is %q, must be year, month, day or hour", o.Bucket)
	}
	seen := map[string]bool{sketchColumn: true}
	for _, c := range resultColumns {
		seen[c] = true
	}
	for _, c := range o.columns() {
		if seen[c.Name] {
			return none, fmt.Errorf("column %q would be written twice: rename one of the columns of the key", c.Name)
		}
		seen[c.Name] = true
	}
	p := o.Sketch
	p.Categories = o.Category != ""
	return p.Config()
}

// columns are those of the key, as they are written.
func (o *Options) columns() []Column {
	var out []Column
	for _, k := range o.Keys {
		out = append(out, Column{k, Text})
	}
	if o.Zoom >= 0 {
		out = append(out, Column{"quadkey", Text})
	}
	if o.Time != "" {
		kind := Date
		if o.Bucket == "hour" {
			kind = Timestamp
		}
		out = append(out, Column{o.Bucket, kind})
	}
	return out
}
