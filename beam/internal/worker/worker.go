// Package worker makes a program the worker of any portable runner that starts its
// workers as processes (Beam's environment PROCESS), for example
//
//	COMMAND --id=ID --provision_endpoint=HOST:PORT
//
// In Beam's containers a separate program answers that call: it asks the endpoint for
// the rest and starts the program of the pipeline. Here that is the same program, so
// that one file on every machine is all that workers take.
package worker

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/artifact"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// Beam defines the flags of a worker that has been told everything (-worker, -id,
// -control_endpoint, ...), and its container's program those of one that has to ask.
var provision = flag.String("provision_endpoint", "", "set by a runner that starts this program as a worker")

func init() { flag.String("artifact_endpoint", "", "set by a runner; not used") }

// Init makes the program what its flags ask for. It stands between flag.Parse and
// beam.Init, which does not return in a worker.
func Init(ctx context.Context) error {
	endWithInput()
	if *provision == "" {
		return start()
	}
	return join(ctx)
}

// start fills in, for the program that starts a pipeline, that the workers are the same.
func start() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// Beam would compile the program's sources for workers, and neither they nor Go
	// need be here. Workers are Linux unless something else is said.
	if *jobopts.WorkerBinary == "" && runtime.GOOS == "linux" {
		*jobopts.WorkerBinary = self
	}
	if strings.EqualFold(*jobopts.EnvironmentType, "process") && *jobopts.EnvironmentConfig == "" {
		config, err := json.Marshal(map[string]string{"command": self})
		if err != nil {
			return err
		}
		*jobopts.EnvironmentConfig = string(config)
	}
	return nil
}

// endsEnv asks a worker to end with its standard input, which the process that started
// it holds open.
const endsEnv = "CCBF_WORKER_ENDS_WITH_INPUT"

// join asks the runner that started this process for the rest of Beam's flags, and runs
// the worker as a process of its own, as Beam's container does: of one that ends before
// its time somebody is there to tell the runner. It returns when that is done.
func join(ctx context.Context) error {
	// Prism 2.77 puts quotes around the ID, which no shell takes away.
	id := strings.Trim(flag.Lookup("id").Value.String(), "'")
	ctx = grpcx.WriteWorkerID(ctx, id)
	info, err := tools.ProvisionInfo(ctx, *provision)
	if err != nil {
		return fmt.Errorf("asking the runner at %s what worker %s is to do: %w", *provision, id, err)
	}
	control := cmp.Or(info.GetControlEndpoint().GetUrl(), flag.Lookup("control_endpoint").Value.String())
	logging := cmp.Or(info.GetLoggingEndpoint().GetUrl(), flag.Lookup("logging_endpoint").Value.String())
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := sameProgram(self, info); err != nil {
		return errors.Join(err, refuse(ctx, control, err))
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	cmd := exec.CommandContext(ctx, self, "--worker=true", "--id="+id, "--logging_endpoint="+logging, "--control_endpoint="+control,
		"--options="+options)
	// This process removes what a killed worker leaves there.
	dir, err := os.MkdirTemp("", "ccbf-worker-")
	if err != nil {
		return err
	}
	cmd.Env = append(os.Environ(), endsEnv+"="+dir, "TMPDIR="+dir, "PIPELINE_OPTIONS_FILE=", "STATUS_ENDPOINT="+info.GetStatusEndpoint().GetUrl(),
		"RUNNER_CAPABILITIES="+strings.Join(info.GetRunnerCapabilities(), " "))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	held, err := cmd.StdinPipe() // closed by the system when this process ends in whatever way
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	defer held.Close()                                  //nolint:errcheck // nothing is written
	cmd.Cancel, cmd.WaitDelay = held.Close, time.Second // the worker removes its folder also if this process is killed now
	err = cmd.Start()
	if err == nil {
		err = cmd.Wait()
	}
	_ = os.RemoveAll(dir) // now: the runner may kill this process when it hears of the end
	if ctx.Err() != nil {
		return ctx.Err() // asked to end
	}
	err = fmt.Errorf("worker %s (process %d) ended: %w", id, cmd.Process.Pid, cmp.Or(err, errors.New("nobody asked it to")))
	err = errors.Join(err, refuse(ctx, control, err))
	if info.GetMetadata()["runner"] == "prism" {
		// Prism ends this process with the run. While this one lives, it waits: of a worker
		// that had said that a bundle is done, and had not sent all of it.
		time.Sleep(grace)
		err = errors.Join(err, Cancel(ctx, control, id))
	}
	return err
}

// grace is how long Prism has to notice by itself that a worker has ended.
const grace = 10 * time.Second

// Cancel has Prism cancel the run of a worker, whose ID begins with the run's. Its job service
// is where it gives out work.
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

// endWithInput ends this process when the one that started it has ended.
func endWithInput() {
	if os.Getenv(endsEnv) == "" {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = os.RemoveAll(os.Getenv(endsEnv))
		os.Exit(1)
	}()
}

// Serve starts workers in this process for runners that ask for them at a port (Beam's
// environment EXTERNAL), of this machine only. It returns when the process is asked to end.
func Serve(ctx context.Context, port string) error {
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 || n > 65535 {
		return fmt.Errorf("workers: %q is not a port", port)
	}
	if _, err := extworker.StartLoopback(ctx, n); err != nil {
		return fmt.Errorf("workers: %w", err)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	<-ctx.Done()
	return nil
}

// sameProgram is an error where the pipeline was started by another program than this
// one, say of another version: workers that cut cells otherwise, or have other formats,
// would not be seen in the result.
func sameProgram(self string, info *fnpb.ProvisionInfo) error {
	for _, d := range info.GetDependencies() {
		if d.GetRoleUrn() != artifact.URNGoWorkerBinaryRole || d.GetTypeUrn() != artifact.URNFileArtifact {
			continue
		}
		_, want := artifact.MustExtractFilePayload(d)
		got, err := sum(self)
		if err != nil {
			return err
		}
		if want != "" && want != got {
			return fmt.Errorf("%s, which the runner starts as a worker, is not the program that started the pipeline (SHA-256 %.12s, not %.12s): put the same on all machines, or name the workers' with -worker_binary",
				self, got, want)
		}
	}
	return nil
}

func sum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // read only
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// refuse answers in the worker's place, with an error, what the runner asks: that ends
// the run and is read there. A worker that ends before it is connected, or at
// the moment that it is sent something, is waited for by Prism 2.77, forever.
func refuse(ctx context.Context, control string, cause error) error {
	conn, err := grpcx.Dial(ctx, control, time.Minute)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // the process ends
	stream, err := fnpb.NewBeamFnControlClient(conn).Control(ctx)
	if err != nil {
		return err
	}
	for {
		asked, err := stream.Recv()
		if err != nil {
			return nil // the runner has given the worker up, as it should
		}
		// Of a bundle that the worker had, it asks how far it is, or to split it.
		for _, id := range []string{asked.GetInstructionId(), asked.GetProcessBundleProgress().GetInstructionId(), asked.GetProcessBundleSplit().GetInstructionId()} {
			if id == "" {
				continue
			}
			if err := stream.Send(&fnpb.InstructionResponse{InstructionId: id, Error: cause.Error()}); err != nil {
				return nil
			}
		}
	}
}
