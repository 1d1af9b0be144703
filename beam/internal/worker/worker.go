// Package worker lets a program be its own worker, for any portable runner that starts workers as
// processes (Beam's environment PROCESS), for example
//
//	COMMAND --id=ID --provision_endpoint=HOST:PORT
//
// In Beam's containers a separate program handles that call: it requests the remaining settings
// from the endpoint and starts the pipeline's program. Here both are the same program, so that
// workers need only one file.
package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	goruntime "runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// provision is the address from which a worker requests its settings. Runners start Beam's container
// with this flag, so it is defined here. Beam's own flags (-worker, -id, -control_endpoint and others)
// are for a worker that is started with all its settings.
var provision = flag.String("provision_endpoint", "", "set by a runner that starts this program as a worker")

func init() { flag.String("artifact_endpoint", "", "set by a runner; not used") }

// Init runs the worker that the flags request, after flag.Parse. It returns true if the program was
// a worker, whose work is done.
func Init(ctx context.Context) (bool, error) {
	if *provision != "" {
		return true, watch(ctx)
	}
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	// Beam would compile the program for its workers, which needs the sources and Go. This program
	// is used instead. Workers run Linux by default.
	if *jobopts.WorkerBinary == "" && goruntime.GOOS == "linux" {
		*jobopts.WorkerBinary = self
	}
	if strings.EqualFold(*jobopts.EnvironmentType, "process") && *jobopts.EnvironmentConfig == "" {
		config, err := json.Marshal(map[string]string{"command": self})
		if err != nil {
			return false, err
		}
		*jobopts.EnvironmentConfig = string(config)
	}
	return false, nil
}

// watch runs the worker in a child process, as Beam's container does. If the child is killed, watch
// removes its files and tells the runner.
func watch(ctx context.Context) error {
	// Prism 2.77 puts quotes around the ID, which are removed here, as no shell does.
	id := strings.Trim(flag.Lookup("id").Value.String(), "'")
	ctx = grpcx.WriteWorkerID(ctx, id)
	info, err := tools.ProvisionInfo(ctx, *provision)
	if err != nil {
		return fmt.Errorf("requesting the settings of worker %s from the runner at %s: %w", id, *provision, err)
	}
	control := cmp.Or(info.GetControlEndpoint().GetUrl(), flag.Lookup("control_endpoint").Value.String())
	logging := cmp.Or(info.GetLoggingEndpoint().GetUrl(), flag.Lookup("logging_endpoint").Value.String())
	self, err := os.Executable()
	if err != nil {
		return err
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ccbf-worker-")
	if err != nil {
		return err
	}
	args := append([]string{"worker", dir, id, logging, control, info.GetStatusEndpoint().GetUrl(), options}, info.GetRunnerCapabilities()...)
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(syscall.SIGTERM) }, time.Second
	err = cmd.Run()
	_ = os.RemoveAll(dir) // now, because the runner may kill this process when it notices the end
	if err == nil || ctx.Err() != nil {
		return ctx.Err() // the run has ended, or a signal ends this process
	}
	err = fmt.Errorf("worker %s ended: %w", id, err)
	if info.GetMetadata()["runner"] == "prism" {
		// Prism waits forever for a worker that ended before it connected, or between the end of a
		// bundle and its last data. This process then cancels the run after the grace time. In all other
		// cases Prism ends the run and this process before.
		time.Sleep(grace)
		err = errors.Join(err, Cancel(ctx, control, id))
	}
	return err
}

// grace is the time in which Prism may notice by itself that a worker has ended.
const grace = 10 * time.Second

// Work runs the worker that watch starts, with the arguments after "worker". It calls end after the
// last step.
func Work(ctx context.Context, args []string, end func()) error {
	if len(args) < 6 {
		return errors.New("worker: -provision_endpoint is missing: a runner starts this command and sets it")
	}
	dir, id, logging, control, status := args[0], args[1], args[2], args[3], args[4]
	if err := os.Setenv("TMPDIR", dir); err != nil {
		return err
	}
	defer os.RemoveAll(dir) // the parent process may have been killed
	defer end()
	beam.Init()
	var o runtime.RawOptionsWrapper // address of the pipeline's log
	if err := json.Unmarshal([]byte(args[5]), &o); err != nil {
		return err
	}
	runtime.GlobalOptions.Import(o.Options)
	ctx, cancel := context.WithCancel(grpcx.WriteWorkerID(ctx, id))
	defer cancel() // steps that still run
	return harness.MainWithOptions(ctx, logging, control, harness.Options{StatusEndpoint: status, RunnerCapabilities: args[6:]})
}

// Cancel asks Prism to cancel the run of a worker. The worker's ID begins with the ID of the run.
// Prism's job service has the same address as its control service.
func Cancel(ctx context.Context, endpoint, id string) error {
	conn, err := grpcx.Dial(ctx, endpoint, time.Minute)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // the process ends
	run, _, _ := strings.Cut(id, "[")
	_, err = jobpb.NewJobServiceClient(conn).Cancel(ctx, &jobpb.CancelJobRequest{JobId: run})
	return err
}

// Serve starts workers in this process for runners on this machine that request them at a port
// (Beam's environment EXTERNAL). It returns when ctx ends.
func Serve(ctx context.Context, port string) error {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return fmt.Errorf("workers: %q is not a port: give a number from 1 to 65535", port)
	}
	beam.Init()
	if _, err := extworker.StartLoopback(ctx, int(n)); err != nil {
		return fmt.Errorf("workers: %w", err)
	}
	<-ctx.Done()
	return nil
}
