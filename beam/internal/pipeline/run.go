package pipeline

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/ccbfsql/ccbfsql/beam/internal/worker"
)

// Build runs the query over all files, on the runner that Beam's flags name, and writes the
// result. It says how far it is on w.
func Build(ctx context.Context, o *Options, w io.Writer) (*Summary, error) {
	p := &Plan{Options: *o}
	return p.run(ctx, w, func(context.Context, *sql.Conn) error {
		if p.SQL == "" {
			p.write()
		}
		return nil
	})
}

// Compact unites the rows of files that earlier runs wrote, each key once.
func Compact(ctx context.Context, o *Options, w io.Writer) (*Summary, error) {
	p := &Plan{Options: *o}
	p.SQL = "compact"
	return p.run(ctx, w, p.writeUnion)
}

// run plans, runs and publishes.
func (p *Plan) run(ctx context.Context, w io.Writer, write func(context.Context, *sql.Conn) error) (*Summary, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if *jobopts.Async {
		return nil, errors.New("-async: the command gives the files their names when the run has ended, so it must wait")
	}
	begin := time.Now()
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
	if err := p.fill(ctx, in, write); err != nil {
		return nil, err
	}
	if p.Explain {
		p.explain(w, in)
		return &Summary{}, nil
	}
	s, err := p.execute(ctx, w, in)
	if err != nil {
		awaitSteps() // of workers in this process, which write there
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

// execute runs the pipeline and publishes what it wrote.
func (p *Plan) execute(ctx context.Context, w io.Writer, in []string) (_ *Summary, err error) {
	pieces, err := p.pieces(ctx, in)
	if err != nil {
		return nil, err
	}
	if !workersAreHere() && *jobopts.WorkerBinary != "" {
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
	beam.ParDo0(s.Scope("Summary"), &summaryFn{p.Folder}, beam.Impulse(s), beam.SideInput{Input: beam.Flatten(s, reads, written)})
	done := make(chan struct{})
	go progress(w, done)
	result, err := beamx.RunWithMetrics(ctx, pipe)
	close(done)
	if err == nil {
		err = notCancelled(ctx, result)
	}
	if err != nil {
		return nil, cause(err)
	}
	return p.publish(ctx)
}

// notCancelled is an error where somebody cancelled the run, which Beam 2.77 takes for its
// good end: it asks the runner's job service, where there is one, how the run ended.
func notCancelled(ctx context.Context, result beam.PipelineResult) error {
	if result == nil || result.JobID() == "" || *jobopts.Endpoint == "" || *runners.Runner == "dataflow" {
		return nil
	}
	err := worker.Jobs(ctx, *jobopts.Endpoint, func(jobs jobpb.JobServiceClient) error {
		end, err := jobs.GetState(ctx, &jobpb.GetJobStateRequest{JobId: result.JobID()})
		if s := end.GetState(); s == jobpb.JobState_CANCELLED || s == jobpb.JobState_CANCELLING {
			return fmt.Errorf("it was cancelled, by a user or because a worker was lost, which the runner's output names: no output file was completed")
		}
		return err
	})
	return named("how the run "+result.JobID()+" ended", err)
}

// failed is what the runner puts in front: the job, and the worker's plan.
var failed = regexp.MustCompile(`(job \S+|\]) failed:\n`)

// cause is what a worker said of its failure, where that is what ended the run:
// the runner puts its plan in front, and logs both.
func cause(err error) error {
	text := err.Error()
	if at := failed.FindAllStringIndex(text, -1); at != nil {
		return errors.New(text[at[len(at)-1][1]:])
	}
	return err
}
