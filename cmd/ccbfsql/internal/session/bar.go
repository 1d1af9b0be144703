package session

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/terminal"
	"github.com/charmbracelet/x/ansi"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

const (
	barAfter = 2 * time.Second // a statement that ends sooner shows no bar
	barEvery = 200 * time.Millisecond
	barWidth = 40
)

// Bar is a progress bar for a long statement on a terminal. It is a writer for the statement's result.
type Bar struct {
	To    io.Writer          // where Write writes
	stop  context.CancelFunc // ends the goroutine that draws
	ended chan struct{}      // closed by that goroutine when the bar is removed
}

// ShowProgress draws the progress of the running statement on w, if w is a terminal. The caller
// must call Stop.
func (s *Session) ShowProgress(w io.Writer) *Bar {
	ctx, stop := context.WithCancel(context.Background())
	p := &Bar{stop: stop, ended: make(chan struct{})}
	f, ok := w.(*os.File)
	if !ok || !terminal.Is(f) || os.Getenv("TERM") == "dumb" {
		close(p.ended)
		return p
	}
	go func() {
		defer close(p.ended)
		begin := time.Now()
		next := time.NewTimer(barAfter)
		defer next.Stop()
		for shown := false; ; {
			select {
			case <-ctx.Done():
				if shown {
					_, _ = io.WriteString(f, "\r"+ansi.EraseLineRight) // an error means that the terminal is gone
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
			_, _ = io.WriteString(f, "\r"+barLine(percent, time.Since(begin))+ansi.EraseLineRight)
			shown = true
		}
	}()
	return p
}

// barLine returns the bar with the time so far and, once some work is done, the remaining time.
func barLine(percent float64, elapsed time.Duration) string {
	times := elapsed.Round(time.Second).String()
	if percent >= 1 {
		left := time.Duration(float64(elapsed) * (100 - percent) / percent)
		times += ":" + left.Round(time.Second).String()
	}
	return fmt.Sprintf("%4.0f%% |%-*s|  [%s]", percent, barWidth, strings.Repeat("█", int(percent*barWidth/100)), times)
}

// Stop removes the bar. Further calls do nothing.
func (p *Bar) Stop() {
	p.stop()
	<-p.ended
}

// Write implements io.Writer. It removes the bar first.
func (p *Bar) Write(b []byte) (int, error) {
	p.Stop()
	return p.To.Write(b)
}
