package session

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/duckdb/duckdb-go/v2/mapping"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

const (
	barAfter = 2 * time.Second // a statement that ends sooner shows no bar
	barEvery = 200 * time.Millisecond
	barWidth = 40
)

// Bar is a progress bar for a long statement on a terminal.
type Bar struct {
	stop  context.CancelFunc // ends the goroutine that draws
	ended chan struct{}      // closed by that goroutine when the bar is removed
}

// ShowProgress draws the progress of the running statement on w, if w is a terminal. The caller
// must call Stop.
func (s *Session) ShowProgress(w io.Writer) *Bar {
	ctx, stop := context.WithCancel(context.Background())
	p := &Bar{stop, make(chan struct{})}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		close(p.ended)
		return p
	}
	newBar := func(predicts bool) *progressbar.ProgressBar {
		bar := progressbar.NewOptions(100,
			progressbar.OptionSetWriter(f), progressbar.OptionSetWidth(barWidth),
			progressbar.OptionSetPredictTime(predicts), progressbar.OptionSetElapsedTime(true),
			progressbar.OptionClearOnFinish(), progressbar.OptionUseANSICodes(true))
		bar.StartWithoutRender()
		return bar
	}
	// predicting is a bar that also shows the remaining time. It replaces bar once some work is done,
	// because only then the time can be predicted.
	bar, predicting := newBar(false), newBar(true)
	go func() {
		defer close(p.ended)
		next := time.NewTimer(barAfter)
		defer next.Stop()
		for shown := false; ; {
			select {
			case <-ctx.Done():
				if shown {
					_ = bar.Clear() // an error means that the terminal is gone
				}
				return
			case <-next.C:
			}
			next.Reset(barEvery)
			progress := mapping.QueryProgress(s.conn)
			percent, _, _ := mapping.QueryProgressTypeMembers(&progress)
			if percent < 0 { // DuckDB has no estimate yet, or the user has set enable_progress_bar to false
				continue
			}
			if percent >= 1 {
				bar = predicting
			}
			if percent < 100 { // at 100 the bar would disappear by itself
				_ = bar.Set(int(percent)) // an error means that the percentage went down
			}
			bar.Describe("") // draws the bar even if the percentage is the same
			shown = true
		}
	}()
	return p
}

// Stop removes the bar. Further calls do nothing.
func (p *Bar) Stop() {
	p.stop()
	<-p.ended
}

// Before returns a writer that removes the bar before the first write to w.
func (p *Bar) Before(w io.Writer) io.Writer { return &firstWrite{w, p} }

// firstWrite is a writer that removes the bar before it writes.
type firstWrite struct {
	io.Writer
	bar *Bar
}

func (f *firstWrite) Write(b []byte) (int, error) {
	f.bar.Stop()
	return f.Writer.Write(b)
}
