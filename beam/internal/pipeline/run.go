package pipeline

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/ccbfsql/ccbfsql/beam/internal/worker"
)

// Command runs the command ccbf-pipeline with the arguments after its name.
func Command(args []string, version string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	defer closeEngine()
	o, work, command := NewOptions(), Build, ""
	points := flag.NewFlagSet("", flag.ContinueOnError)
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
	default:
		define(points, &o.QueryOptions)
		o.defineSketch(points)
	}
	points.VisitAll(func(f *flag.Flag) { flag.Var(f.Value, f.Name, f.Usage) })
	define(flag.CommandLine, &o.FileOptions)
	flag.CommandLine.Init("ccbf-pipeline", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard) // an error does not print the list of all flags
	err := flag.CommandLine.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flag.CommandLine.SetOutput(os.Stdout)
		flag.Usage()
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w (ccbf-pipeline -help lists all options)", err)
	}
	if flag.NArg() > 0 {
		return fmt.Errorf("%q is not an option; the commands are version, workers PORT, and compact, which comes before all options", flag.Arg(0))
	}
	if is, err := worker.Init(ctx); is || err != nil {
		return err
	}
	if err := o.checkGiven(points); err != nil {
		return err
	}
	beam.Init()
	w := os.Stderr
	if o.Explain {
		w = os.Stdout
	}
	_, err = work(ctx, o, w)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("ended by a signal: no output file was completed (%w)", err)
	}
	return err
}

// Build runs the query over all files, on the runner that Beam's flags name, and writes the result.
// It writes its progress to w.
func Build(ctx context.Context, o *Options, w io.Writer) (*Summary, error) {
	p := &Plan{Options: *o}
	return p.run(ctx, w, func(context.Context, *sql.Conn, []string) error {
		if p.SQL == "" {
			return p.write()
		}
		return nil
	})
}

// Compact unites the rows of files that earlier runs wrote, so that each key has one row.
func Compact(ctx context.Context, o *Options, w io.Writer) (*Summary, error) {
	p := &Plan{Options: *o}
	p.SQL = "compact"
	return p.run(ctx, w, p.unionQuery)
}

// run plans a run, runs it and publishes its files.
func (p *Plan) run(ctx context.Context, w io.Writer, write func(context.Context, *sql.Conn, []string) error) (*Summary, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if *jobopts.Async {
		return nil, errors.New("-async: the command gives the files their names when the run has ended, so it must wait")
	}
	begin := time.Now()
	p.SQL, p.Final = strings.TrimRight(p.SQL, "; \n\t"), strings.TrimRight(p.Final, "; \n\t")
	var err error
	if p.Out, err = absolute(p.Out); err != nil {
		return nil, err
	}
	if _, err := p.earlier(ctx); err != nil {
		return nil, err
	}
	p.Folder = p.Out + runMark + strings.ToLower(rand.Text()[:12]) + "/"
	in, err := p.files(ctx)
	if err != nil {
		return nil, err
	}
	if p.CSV != "" && !slices.ContainsFunc(in, func(name string) bool { return formatOf(name) == "read_csv" }) {
		return nil, errors.New("-csv has no effect: no file of -in is CSV")
	}
	if err := p.fill(ctx, in, write); err != nil {
		return nil, err
	}
	if p.Explain {
		_, err := fmt.Fprintf(w, "-- for each of %d files, such as %s\n%s", len(in), in[0], step{Plan: p, Path: "result"}.statement("explain"))
		return &Summary{}, err
	}
	if err := reach(ctx, w); err != nil {
		return nil, err
	}
	s, err := p.execute(ctx, w, in)
	if err != nil {
		awaitSteps() // workers in this process may still write to the folder
		ctx := context.WithoutCancel(ctx)
		fs, failed := filesystem.New(ctx, p.Folder)
		if failed == nil {
			defer closing(fs)
			failed = remove(ctx, fs, p.Folder, nil)
		}
		return nil, errors.Join(err, failed)
	}
	s.report(w, p.Out+manifestSuffix, time.Since(begin))
	return s, nil
}

// endpointTime is the time in which a runner must answer: it may have been started a moment ago.
const endpointTime = 30 * time.Second

// reach returns an error if the runner does not exist, or does not answer at -endpoint.
func reach(ctx context.Context, w io.Writer) error {
	name, endpoint := *runners.Runner, *jobopts.Endpoint
	switch name {
	case "direct", "DirectRunner", "dataflow", "DataflowRunner", "dot", "vet":
		return nil
	case "", "prism", "PrismRunner":
		if endpoint == "" { // in this process
			return nil
		}
	case "flink", "FlinkRunner", "spark", "SparkRunner", "portable", "PortableRunner", "universal":
		if endpoint == "" {
			return fmt.Errorf("-runner=%s: -endpoint is missing: give the address of the job server, for example localhost:8099", name)
		}
	default:
		return fmt.Errorf("-runner=%s: no such runner: give prism, spark, flink, dataflow, direct, or portable for another with a job server", name)
	}
	waits := time.AfterFunc(time.Second, func() {
		fmt.Fprintf(w, "Waiting up to %s for a runner to answer at -endpoint=%s\n", endpointTime, endpoint)
	})
	defer waits.Stop()
	conn, err := grpcx.Dial(ctx, endpoint, endpointTime)
	if err != nil {
		return fmt.Errorf("-endpoint=%s: no runner answers, after %s: start its job server first, or correct the address", endpoint, endpointTime)
	}
	return conn.Close()
}

// begunName is the name of a file in a run's folder that shows, before the run, that files can be
// written there.
const begunName = "begun"

// execute runs the pipeline and publishes its files.
func (p *Plan) execute(ctx context.Context, w io.Writer, in []string) (_ *Summary, err error) {
	if err := write(ctx, p.Folder+begunName, []byte("begun")); err != nil {
		return nil, fmt.Errorf("-out %s cannot be written: %w", p.Out, err)
	}
	pieces, err := p.pieces(ctx, in)
	if err != nil {
		return nil, err
	}
	if (*runners.Runner == "" || *runners.Runner == "prism") && *jobopts.Endpoint == "" && *jobopts.EnvironmentType == "" {
		*jobopts.EnvironmentType = "loopback" // Beam's own default
	}
	if !jobopts.IsLoopback() && *jobopts.WorkerBinary != "" {
		if p.Program, err = sumOf(*jobopts.WorkerBinary); err != nil {
			return nil, err
		}
	}
	pipe, s := beam.NewPipelineWithRoot()
	parts, reads := beam.ParDo2(s.Scope("Query"), &readFn{*p}, beam.Reshuffle(s, beam.CreateList(s, pieces)))
	if p.Fanout > 1 {
		parts = beam.ParDo(s.Scope("Merge"), &mergeFn{*p}, beam.GroupByKey(s, parts))
	}
	written := beam.ParDo(s.Scope("Write"), &writeFn{*p}, beam.GroupByKey(s, parts))
	beam.ParDo0(s.Scope("Summary"), &summaryFn{*p}, beam.Impulse(s), beam.SideInput{Input: beam.Flatten(s, reads, written)})
	done := make(chan struct{})
	go progress(w, done)
	err = beamx.Run(ctx, pipe)
	close(done)
	if err != nil {
		return nil, cause(err)
	}
	return p.publish(ctx)
}

// failed matches what a runner writes before a worker's own error: the name of the job, and the plan
// of the worker in brackets.
var failed = regexp.MustCompile(`(job \S+|\]) failed:\n`)

// cause returns the worker's own error if it ended the run, without the runner's prefix.
func cause(err error) error {
	text := err.Error()
	if at := failed.FindAllStringIndex(text, -1); at != nil {
		return errors.New(text[at[len(at)-1][1]:])
	}
	return err
}

// These counters are for progress messages of workers in this process. A repeated step counts
// again, so the result of a run is its Summary.
var rowsRead, bytesSent, partsUnited atomic.Int64

// progressEvery is the time between two progress messages.
const progressEvery = 5 * time.Second

// progress writes progress messages until done is closed.
func progress(w io.Writer, done <-chan struct{}) {
	if !jobopts.IsLoopback() {
		fmt.Fprintln(w, "The workers are other processes: the runner's web page shows their progress.")
		return
	}
	for tick := time.Tick(progressEvery); ; {
		select {
		case <-done:
			return
		case <-tick:
			fmt.Fprintf(w, "%d good rows read, %d bytes sent, %d parts united\n", rowsRead.Load(), bytesSent.Load(), partsUnited.Load())
		}
	}
}
