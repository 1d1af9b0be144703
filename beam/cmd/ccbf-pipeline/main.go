// Command ccbf-pipeline makes sketches of points in Parquet and CSV files, one
// per key, and writes them as Parquet that DuckDB reads:
//
//	ccbf-pipeline -in 'points/*.parquet' -out out/2018 -zoom 8 -time at -bucket month -res 0.001
//	ccbf-pipeline compact -in 'out/*.parquet' -out compact/2018
//
// It runs in this process, on Beam's Prism runner, unless Beam's own flags name
// another: -runner=flink -endpoint=..., -runner=dataflow -project=... and so on. With
// -environment_type=PROCESS the runner starts workers by this program, too.
package main

import (
	"fmt"
	"os"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3" // s3://; gs:// and local paths come with beamx
	"github.com/ccbfsql/ccbfsql/beam/internal/pipeline"
)

// version is that of the release, by the linker's -X.
var version = "development"

func main() {
	if err := pipeline.Command(os.Args[1:], version); err != nil {
		fmt.Fprintln(os.Stderr, "ccbf-pipeline:", err)
		os.Exit(1)
	}
}
