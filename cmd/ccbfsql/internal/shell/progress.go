package shell

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

const (
	progressAfter = 2 * time.Second // a statement that is done sooner shows no bar
	progressEvery = 200 * time.Millisecond
	progressWidth = 40
)

// progress shows how far a long statement has come, below the prompt, until
// the first of its results is written.
type progress struct {
	done  chan struct{}
	ended chan struct{}
	once  sync.Once
}

// startProgress shows what the database says of the running statement. There
// is only something to see where errors go to a terminal.
func (sh *Shell) startProgress() *progress {
	p := &progress{done: make(chan struct{}), ended: make(chan struct{})}
	f, ok := sh.stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		close(p.ended)
		return p
	}
	newBar := func(predicts bool) *progressbar.ProgressBar {
		bar := progressbar.NewOptions(100,
			progressbar.OptionSetWriter(f), progressbar.OptionSetWidth(progressWidth),
			progressbar.OptionSetPredictTime(predicts), progressbar.OptionSetElapsedTime(true),
			progressbar.OptionClearOnFinish(), progressbar.OptionUseANSICodes(true))
		bar.StartWithoutRender()
		return bar
	}
	// How much is left can be told once something is done.
	bar, predicting := newBar(false), newBar(true)
	go func() {
		defer close(p.ended)
		next := time.NewTimer(progressAfter)
		defer next.Stop()
		for shown := false; ; {
			select {
			case <-p.done:
				if shown {
					_ = bar.Clear() // the terminal is gone, or it is not
				}
				return
			case <-next.C:
			}
			next.Reset(progressEvery)
			percent, known := sh.session.Progress()
			if !known { // or SET enable_progress_bar = false
				continue
			}
			if percent >= 1 {
				bar = predicting
			}
			if percent < 100 { // at the end the bar would go by itself
				_ = bar.Set(int(percent)) // an error says that it went back
			}
			bar.Describe("") // draws it, also where the number is the same
			shown = true
		}
	}()
	return p
}

// stop takes the bar away.
func (p *progress) stop() {
	p.once.Do(func() { close(p.done) })
	<-p.ended
}

// before is w, with the bar taken away before anything is written.
func (p *progress) before(w io.Writer) io.Writer { return &firstWrite{w, p} }

type firstWrite struct {
	io.Writer
	progress *progress
}

func (f *firstWrite) Write(b []byte) (int, error) {
	f.progress.stop()
	return f.Writer.Write(b)
}
