package pipeline

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/ccbfsql/ccbfsql/beam/internal/worker"
)

// Command is what the command ccbf-pipeline does, with the arguments after its name.
// Where a runner started it as a worker it does not return but with an error.
func Command(args []string, version string) error {
	o := NewOptions()
	work := Build
	if len(args) == 1 && (args[0] == "version" || args[0] == "-version" || args[0] == "--version") {
		fmt.Println("ccbf-pipeline", version)
		return nil
	}
	if len(args) > 0 && args[0] == "compact" {
		args, work = args[1:], Compact
		o.CompactFlags(flag.CommandLine)
	} else {
		o.Flags(flag.CommandLine)
	}
	workers, port := len(args) == 2 && args[0] == "workers", ""
	if workers {
		args, port = nil, args[1]
	}
	if err := flag.CommandLine.Parse(args); err != nil {
		return err
	}
	if flag.NArg() > 0 {
		return fmt.Errorf("%q is not an option; the commands are version, workers PORT, and compact, which comes before all options", flag.Arg(0))
	}
	ctx := context.Background()
	defer closeEngine()
	if workers {
		beam.Init()
		return worker.Serve(ctx, port)
	}
	if err := worker.Init(ctx); err != nil {
		return err
	}
	beam.Init() // does not return in a worker
	w := os.Stderr
	if o.Explain {
		w = os.Stdout
	}
	_, err := work(ctx, o, w)
	return err
}
