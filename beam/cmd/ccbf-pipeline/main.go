// Command ccbf-pipeline builds sketches of points in Parquet, CSV and JSON files, one per key, and
// writes them as Parquet files that DuckDB reads:
//
//	ccbf-pipeline -in 'points/*.parquet' -out out/2018 -zoom 8 -time at -bucket month -res 0.001
//	ccbf-pipeline compact -in 'out/*.manifest.json' -out compact/2018
//
// It runs in this process, on Beam's Prism runner. Beam's own flags select another: -runner=flink
// -endpoint=..., -runner=dataflow -project=... and so on. With -environment_type=PROCESS the runner
// starts this program as its workers.
package main

import (
	"fmt"
	"os"
	"runtime/debug"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3" // s3://; beamx has gs:// and local paths
	"github.com/ccbfsql/ccbfsql/beam/internal/pipeline"
)

// version is the version of the release, which the linker sets (-X).
var version = "development"

func main() {
	if info, ok := debug.ReadBuildInfo(); ok && version == "development" && info.Main.Version != "(devel)" {
		version = info.Main.Version // has the commit, if Go found one
	}
	if err := pipeline.Command(os.Args[1:], version); err != nil {
		fmt.Fprintln(os.Stderr, "ccbf-pipeline:", err)
		os.Exit(1)
	}
}
