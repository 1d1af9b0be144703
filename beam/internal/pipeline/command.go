package pipeline

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/ccbfsql/ccbfsql/beam/internal/worker"
)

// Command is what the command ccbf-pipeline does, with the arguments after its name.
func Command(args []string, version string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	defer closeEngine()
	o, work, command := NewOptions(), Build, ""
	if len(args) > 0 {
		command = args[0]
	}
	switch command {
	case "version", "-version", "--version":
		fmt.Println("ccbf-pipeline", version)
		return nil
	case "workers":
		return worker.Serve(ctx, strings.Join(args[1:], " "))
	case "worker":
		return worker.Work(ctx, args[1:], closeEngine)
	case "compact":
		args, work = args[1:], Compact
		o.CompactFlags(flag.CommandLine)
	default:
		o.Flags(flag.CommandLine)
	}
	if err := flag.CommandLine.Parse(args); err != nil {
		return err
	}
	if flag.NArg() > 0 {
		return fmt.Errorf("%q is not an option; the commands are version, workers PORT, and compact, which comes before all options", flag.Arg(0))
	}
	if is, err := worker.Init(ctx); is || err != nil {
		return err
	}
	beam.Init()
	w := os.Stderr
	if o.Explain {
		w = os.Stdout
	}
	_, err := work(ctx, o, w)
	if ctx.Err() != nil {
		return fmt.Errorf("ended by a signal: no output file was completed (%w)", err)
	}
	return err
}
