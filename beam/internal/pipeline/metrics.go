package pipeline

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
)

// namespace is that of the counters among a runner's metrics.
const namespace = "ccbf"

// counter counts for the runner, which shows it wherever the workers are and
// drops what failed bundles counted, and for the workers in this process.
type counter struct {
	beam.Counter
	here atomic.Int64
}

// counters are all of this process by name.
var counters sync.Map

func newCounter(name string) *counter {
	c, ok := counters.Load(name)
	if !ok {
		c, _ = counters.LoadOrStore(name, &counter{Counter: beam.NewCounter(namespace, name)})
	}
	return c.(*counter)
}

// countedHere is what the workers in this process have counted since it began.
func countedHere() Report {
	r := Report{}
	counters.Range(func(name, c any) bool {
		r[name.(string)] = c.(*counter).here.Load()
		return true
	})
	return r
}

// Inc adds n.
func (c *counter) Inc(ctx context.Context, n int64) {
	c.Counter.Inc(ctx, n)
	c.here.Add(n)
}

// skippedPrefix begins the name of a counter of rows that are no points; what is
// wrong with them follows.
const skippedPrefix = "skipped: "

var (
	filesCounter    = newCounter("files read")
	pointsCounter   = newCounter("points read")
	skippedCounter  = newCounter("rows skipped")
	unitedCounter   = newCounter("sketches read")
	sketchesCounter = newCounter("sketches written")
	bytesCounter    = newCounter("bytes of sketches")
	outputCounter   = newCounter("files written")
)

// Report is what a pipeline counted, by name.
type Report map[string]int64

// reportOf reads the counters of a finished pipeline. A runner that does not
// wait for it, or does not report, gives none. Of Prism, whose workers are in this
// process, what they counted since before holds where it is more: where two bundles
// end before it knows what a counter is called, it forgets what one of them counted
// (Beam 2.77, metricsStore.unprocessedPayloads). Nothing is counted twice, as a bundle
// that fails ends Prism's run.
func reportOf(result beam.PipelineResult, before Report) Report {
	r := Report{}
	if result == nil {
		return r
	}
	ours := result.Metrics().Query(func(m metrics.SingleResult) bool { return m.Namespace() == namespace })
	for _, c := range ours.Counters() {
		r[c.Name()] += c.Result()
	}
	if runner := *runners.Runner; runner == "" || runner == "prism" {
		for name, n := range countedHere() {
			if n -= before[name]; n > r[name] {
				r[name] = n
			}
		}
	}
	return r
}

// Write writes the report as people read it.
func (r Report) Write(w io.Writer, took time.Duration) {
	if len(r) == 0 {
		fmt.Fprintln(w, "The runner reports no counters; see its web page.")
		return
	}
	line := func(name string) { fmt.Fprintf(w, "%16d  %s\n", r[name], name) }
	for _, c := range []string{"files read", "points read", "sketches read", "rows skipped"} {
		if _, ok := r[c]; ok {
			line(c)
		}
	}
	var skipped []string
	for name := range r {
		if strings.HasPrefix(name, skippedPrefix) {
			skipped = append(skipped, name)
		}
	}
	slices.Sort(skipped)
	for _, name := range skipped {
		line(name)
	}
	for _, c := range []string{"sketches written", "bytes of sketches", "files written"} {
		line(c)
	}
	fmt.Fprintf(w, "%15.1fs  in all\n", took.Seconds())
}

// progressEvery is how often a running pipeline says how far it is.
const progressEvery = 5 * time.Second

// workersAreHere is whether the workers are in this process, as those of Prism are
// where nothing else is said; its first run says loopback for the next.
func workersAreHere() bool {
	if kind := *jobopts.EnvironmentType; kind != "" {
		return strings.EqualFold(kind, "loopback")
	}
	return (*runners.Runner == "" || *runners.Runner == "prism") && *jobopts.Endpoint == ""
}

// progress says so until done is closed. It knows the workers of this process
// only: other runners show the same counters on their own pages.
func progress(w io.Writer, done <-chan struct{}) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	before := pointsCounter.here.Load()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		points := pointsCounter.here.Load()
		fmt.Fprintf(w, "%d points read (%.0f/s), %d rows skipped, %d sketches written\n", points,
			float64(points-before)/progressEvery.Seconds(), skippedCounter.here.Load(), sketchesCounter.here.Load())
		before = points
	}
}
