// Command ccbf-pipeline makes sketches of points in Parquet and CSV files, one
// per key, and writes them as Parquet that DuckDB reads:
//
//	ccbf-pipeline -in 'points/*.parquet' -out out/2018 -zoom 8 -time at -bucket month -res 0.001
//	ccbf-pipeline compact -in 'out/*.parquet' -out compact/2018
//
// It runs in this process, on Beam's Prism runner, unless Beam's own flags name
// another: -runner=flink -endpoint=..., -runner=dataflow -project=... and so on.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3" // s3://; gs:// and local paths come with beamx
	"github.com/ccbfsql/ccbfsql/beam/internal/pipeline"
)

// version is that of the release, by the linker's -X.
var version = "development"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ccbf-pipeline:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var o pipeline.Options
	work := pipeline.Build
	if len(args) == 1 && (args[0] == "version" || args[0] == "-version" || args[0] == "--version") {
		fmt.Println("ccbf-pipeline", version)
		return nil
	}
	if len(args) > 0 && args[0] == "compact" {
		args, work = args[1:], pipeline.Compact
		o.CompactFlags(flag.CommandLine)
	} else {
		o.Flags(flag.CommandLine)
	}
	if err := flag.CommandLine.Parse(args); err != nil {
		return err
	}
	if flag.NArg() > 0 {
		return fmt.Errorf("%q is no option; the only commands are compact, in front of all options, and version", flag.Arg(0))
	}
	beam.Init() // does not return where a runner started this program as a worker
	_, err := work(context.Background(), &o, os.Stderr)
	return err
}
