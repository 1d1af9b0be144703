package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/ccbfsql/ccbfsql/beam/sketches"
)

// Build reads points and writes a sketch per key, on the runner that Beam's
// flags name. It says how far it is on w.
func Build(ctx context.Context, o *Options, w io.Writer) (Report, error) {
	if _, err := o.check(); err != nil {
		return nil, err
	}
	p := o.Sketch
	p.Categories = o.Category != ""
	fn, err := sketches.CCBF(p)
	if err != nil {
		return nil, err
	}
	return o.run(ctx, w, func(s beam.Scope) {
		points, bad := beam.ParDo2(s.Scope("Read"), &readFn{Options: *o}, pieces(s.Scope("List"), o.In))
		blobs := sketches.CombinePerKey(s, fn, points, o.combining()...)
		finish(s, o, writeSketches(s, o, o.columns(), blobs), writeBad(s, o, bad))
	})
}

// Compact reads files that Build or Compact wrote and writes one sketch per key:
// the union of all that have it.
func Compact(ctx context.Context, o *Options, w io.Writer) (Report, error) {
	if err := o.checkFiles(); err != nil {
		return nil, err
	}
	if err := o.checkApart(); err != nil {
		return nil, err
	}
	columns, err := columnsOf(ctx, o.In)
	if err != nil {
		return nil, err
	}
	return o.run(ctx, w, func(s beam.Scope) {
		blobs := beam.ParDo(s.Scope("Read"), &readSketchesFn{columns}, pieces(s.Scope("List"), o.In))
		united := sketches.UnionPerKey(s, blobs, o.combining()...)
		finish(s, o, writeSketches(s, o, columns, united))
	})
}

func (o *Options) combining() []sketches.Option {
	if o.Fanout <= 1 {
		return nil
	}
	return []sketches.Option{sketches.HotKeyFanout(o.Fanout)}
}

// run runs a pipeline with progress and a report, and leaves no unfinished file
// behind where it fails.
func (o *Options) run(ctx context.Context, w io.Writer, build func(beam.Scope)) (Report, error) {
	if err := o.checkOut(ctx); err != nil {
		return nil, err
	}
	begin, before := time.Now(), countedHere()
	p, s := beam.NewPipelineWithRoot()
	build(s)
	done := make(chan struct{})
	if workersAreHere() {
		go progress(w, done)
	} else {
		fmt.Fprintln(w, "The workers are other processes: the runner's web page shows their progress.")
	}
	result, err := beamx.RunWithMetrics(ctx, p)
	close(done)
	if err == nil {
		err = notCancelled(ctx, result)
	}
	if err != nil {
		return nil, errors.Join(cause(err), o.sweep(ctx))
	}
	report := reportOf(result, before)
	report.Write(w, time.Since(begin))
	if n := report["rows skipped"]; n > 0 {
		fmt.Fprintf(w, "Rows that are not points, and why: %s-bad-*.csv\n", o.Out)
	}
	return report, nil
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
