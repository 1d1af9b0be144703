package cli

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/serve"
)

const exportUsage = `ccbfsql export writes the map of a database as files for any web server.

Usage: ccbfsql export [flags] -o folder database
       ccbfsql export [flags] -single -o map.html database
       ccbfsql export [flags] -o folder points.parquet
       ccbfsql export [flags] -o folder -table points database

The page answers everything itself, from the sketches. Everyone who can read the files can read
all of them. With -single, one file opens from disk, without a web server. From points, sketches are built first, as ccbfsql serve does.

Flags:
`

// exportMain runs ccbfsql export and returns its exit code.
func exportMain(args []string) int {
	e, err := parseExport(args, os.Stdout)
	if err != nil {
		return usageCode("ccbfsql export", err)
	}
	return untilStopped("ccbfsql export", func(ctx context.Context) error { return e.Write(ctx, os.Stdout) })
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

func parseExport(args []string, help io.Writer) (serve.Export, error) {
	var e serve.Export
	var words []string
	if err := eachWord(exportFlags(&e), args, exportUsage, help, func(word string) { words = append(words, word) }); err != nil {
		return e, err
	}
	if e.Folder == "" {
		return e, errors.New("no folder to write to: give -o site")
	}
	return e, opened(&e.Options, words)
}
