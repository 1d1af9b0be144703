package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/serve"
)

const serveUsage = `ccbfsql serve shows the sketches of a database on a map in the browser.

Usage: ccbfsql serve [flags] database
       ccbfsql serve [flags] points.parquet
       ccbfsql serve [flags] -table points database

The database is opened read-only. Every table and view of the schema main with a
column of sketches of points is a layer of the map.

From a file of points (Parquet, CSV, JSON, or a URL that DuckDB reads), or from a table of
points (-table), sketches are built first, grouped by its time column and by columns with few
values. Points are two columns of numbers or one of type GEOMETRY. The sketches are
discarded when the server stops, unless -save keeps them.`

const exportUsage = `ccbfsql export writes the map of a database as files for any web server.

Usage: ccbfsql export [flags] -o folder database
       ccbfsql export [flags] -single -o map.html database
       ccbfsql export [flags] -o folder points.parquet
       ccbfsql export [flags] -o folder -table points database

The page answers everything itself, from the sketches. Everyone who can read the files can read
all of them. With -single, one file opens from disk, without a web server. From points, sketches are built first, as ccbfsql serve does.`

// runMap runs ccbfsql serve or export, and returns its exit code. flags set o. A signal ends run.
func runMap(flags *flag.FlagSet, usage string, o *serve.Options, args []string, run func(ctx context.Context) error) int {
	if err := parseMap(flags, usage, o, args); err != nil {
		return usageCode(flags.Name(), err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", flags.Name(), err)
		return exitError
	}
	return exitOK
}

func parseMap(flags *flag.FlagSet, usage string, o *serve.Options, args []string) error {
	var words []string
	if err := eachWord(flags, args, usage, func(word string) { words = append(words, word) }); err != nil {
		return err
	}
	if folder := flags.Lookup("o"); folder != nil && folder.Value.String() == "" {
		return errors.New("nothing to write to: give -o folder, or -single -o map.html")
	}
	if least := flags.Lookup("at-least"); least != nil && least.Value.String() == "1" {
		return errors.New("-at-least is 1, must be from 2 on, or 0 for all squares")
	}
	return opened(o, words)
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

// exportFlags returns the flags of ccbfsql export, whose values go to e.
func exportFlags(e *serve.Export) *flag.FlagSet {
	flags := flag.NewFlagSet("ccbfsql export", flag.ContinueOnError)
	flags.StringVar(&e.Folder, "o", "", "`FOLDER` to write to, or file with -single; files of an export there are replaced")
	flags.BoolVar(&e.Single, "single", false, "write one HTML file, for up to 64 MiB of sketches, that opens from disk")
	flags.Uint64Var(&e.AtLeast, "at-least", 0, "fewest `POINTS` of a square that is shown, as ccbf_suppress(sketch, POINTS); 0: all squares")
	pointsFlags(flags, &e.Options)
	return flags
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

// opened checks the options, and sets the file to the only argument.
func opened(o *serve.Options, words []string) error {
	switch {
	case len(words) != 1:
		return fmt.Errorf("exactly one database is needed, %d were given", len(words))
	case o.Memory <= 0:
		return fmt.Errorf("-memory is %d, must be above 0", o.Memory)
	}
	o.File = words[0]
	if !o.IsPoints() && o.Points != (serve.Points{}) {
		return fmt.Errorf("-save, -x, -y, -res and -time are for files of points, for example points.parquet, or with -table; %s is read as a database", o.File)
	}
	if o.Points.Grain != "" && !slices.Contains(serve.Grains, o.Points.Grain) {
		return fmt.Errorf("-time is %q, must be one of %s", o.Points.Grain, strings.Join(serve.Grains, ", "))
	}
	if !(o.Points.Res >= 0) || math.IsInf(o.Points.Res, 0) {
		return fmt.Errorf("-res is %v, must be above 0", o.Points.Res)
	}
	if o.IsPoints() {
		return exists(o.File)
	}
	_, err := os.Stat(o.File)
	return err
}
