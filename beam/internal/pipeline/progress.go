package pipeline

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
)

// counter counts for the runner's pages, and for the workers in this process. Neither is
// the result of a run: repeated steps count again. The summary is.
type counter struct {
	beam.Counter
	here atomic.Int64
}

func newCounter(name string) *counter { return &counter{Counter: beam.NewCounter("ccbf", name)} }

func (c *counter) add(ctx context.Context, n int64) {
	c.Inc(ctx, n)
	c.here.Add(n)
}

var (
	rowsCounter   = newCounter("good rows")
	sentCounter   = newCounter("bytes sent")
	unitedCounter = newCounter("parts united")
)

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

// progress says how far a run is until done is closed.
func progress(w io.Writer, done <-chan struct{}) {
	if !workersAreHere() {
		fmt.Fprintln(w, "The workers are other processes: the runner's web page shows their progress.")
		return
	}
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			fmt.Fprintf(w, "%d good rows read, %d bytes sent, %d parts united\n", rowsCounter.here.Load(), sentCounter.here.Load(), unitedCounter.here.Load())
		}
	}
}
