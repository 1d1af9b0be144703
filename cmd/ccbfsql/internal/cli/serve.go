package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/serve"
)

const serveUsage = `ccbfsql serve shows the sketches of a database on a map in the browser.

Usage: ccbfsql serve [flags] database
       ccbfsql serve [flags] points.parquet
       ccbfsql serve [flags] -table points database

The database is opened read-only. Every table and view with a column of sketches
of points is a layer of the map.

From a file of points (Parquet, CSV, JSON, or a URL that DuckDB reads), or from a table of
points (-table), sketches are built first, grouped by its time column and by columns with few
values. Points are two columns of numbers or one of type GEOMETRY. The sketches are
discarded when the server stops, unless -save keeps them.

Flags:
`

// serveMain runs ccbfsql serve and returns its exit code.
func serveMain(args []string) int {
	o, err := parseServe(args, os.Stdout)
	if err != nil {
		return usageCode("ccbfsql serve", err)
	}
	return untilStopped("ccbfsql serve", func(ctx context.Context) error { return serve.Run(ctx, o, os.Stdout) })
}

// serveFlags returns the flags of ccbfsql serve, whose values go to o.
func serveFlags(o *serve.Options) *flag.FlagSet {
	flags := flag.NewFlagSet("ccbfsql serve", flag.ContinueOnError)
	flags.StringVar(&o.Addr, "addr", "127.0.0.1:8080", "`HOST:PORT` to listen on; port 0: any free port")
	flags.Func("host", "`NAME` of the server, in addition to addresses, localhost and the host name; may be repeated", func(name string) error {
		o.Hosts = append(o.Hosts, name)
		return nil
	})
	flags.Func("cors", "`ORIGIN` whose pages may show the tiles, for example https://maps.example; may be repeated", func(origin string) error {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host {
			return fmt.Errorf("an origin is a scheme, a host and optionally a port, for example https://maps.example:8443, not %q", origin)
		}
		o.CORS = append(o.CORS, origin)
		return nil
	})
	flags.StringVar(&o.Basemap, "basemap", "", "`MAP` below the sketches: a .pmtiles file, its URL, or a tile URL with {z}, {x} and {y}, which the browser requests")
	flags.StringVar(&o.Points.Save, "save", "", "`DATABASE` in which to keep the sketches of a file of points")
	pointsFlags(flags, o)
	return flags
}

func parseServe(args []string, help io.Writer) (serve.Options, error) {
	var o serve.Options
	var words []string
	err := eachWord(serveFlags(&o), args, serveUsage, help, func(word string) { words = append(words, word) })
	if err != nil {
		return o, err
	}
	return o, opened(&o, words)
}

// pointsFlags adds the flags about files of points and about memory, which serve and export share.
func pointsFlags(flags *flag.FlagSet, o *serve.Options) {
	flags.Int64Var(&o.Memory, "memory", ccbfsql.MemoryLimit(), "maximum `BYTES` of sketches to hold in memory")
	flags.StringVar(&o.Points.Table, "table", "", "`TABLE` of points in the database, of which to build sketches")
	flags.StringVar(&o.Points.Grain, "time", "", "`PART` of the time column for each sketch: year, month, day or hour; by default chosen automatically")
	flags.StringVar(&o.Points.X, "x", "", "`COLUMN` of a file with the longitudes, or x")
	flags.StringVar(&o.Points.Y, "y", "", "`COLUMN` of a file with the latitudes, or y")
	flags.Float64Var(&o.Points.Res, "res", 0, "`SIDE` of a cell for a file of points, in its unit; 0: chosen automatically")
}

// opened checks the options, and sets the database or the file of points to the only argument.
func opened(o *serve.Options, words []string) error {
	switch {
	case len(words) != 1:
		return fmt.Errorf("exactly one database is needed, %d were given", len(words))
	case o.Memory <= 0:
		return fmt.Errorf("-memory is %d, must be above 0", o.Memory)
	}
	isPoints := serve.IsPoints(words[0]) || o.Points.Table != ""
	switch {
	case isPoints:
		o.Points.File = words[0]
	case o.Points != (serve.Points{}):
		return fmt.Errorf("-save, -x, -y, -res and -time are for files of points, for example points.parquet, or with -table; %s is read as a database", words[0])
	default:
		o.Database = words[0]
	}
	if o.Points.Grain != "" && !slices.Contains(serve.Grains, o.Points.Grain) {
		return fmt.Errorf("-time is %q, must be one of %s", o.Points.Grain, strings.Join(serve.Grains, ", "))
	}
	if !(o.Points.Res >= 0) || math.IsInf(o.Points.Res, 0) {
		return fmt.Errorf("-res is %v, must be above 0", o.Points.Res)
	}
	if isPoints && (strings.Contains(words[0], "://") || strings.Contains(words[0], "*")) {
		return nil // DuckDB reports whether the file exists
	}
	_, err := os.Stat(words[0])
	return err
}
