package session

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

const (
	barAfter = 2 * time.Second // a statement that is done sooner shows no bar
	barEvery = 200 * time.Millisecond
	barWidth = 40
)

// Bar shows on a terminal how far a long statement has come.
type Bar struct {
	done  chan struct{}
	ended chan struct{}
	once  sync.Once
}

// ShowProgress shows what the database says of the running statement, if w is a terminal.
func (s *Session) ShowProgress(w io.Writer) *Bar {
	p := &Bar{done: make(chan struct{}), ended: make(chan struct{})}
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
	// How much is left can be told once something is done.
	bar, predicting := newBar(false), newBar(true)
	go func() {
		defer close(p.ended)
		next := time.NewTimer(barAfter)
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
			next.Reset(barEvery)
			percent, known := s.Progress()
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

// Stop takes the bar away.
func (p *Bar) Stop() {
	p.once.Do(func() { close(p.done) })
	<-p.ended
}

// Before is w, with the bar taken away before anything is written.
func (p *Bar) Before(w io.Writer) io.Writer { return &firstWrite{w, p} }

type firstWrite struct {
	io.Writer
	bar *Bar
}

func (f *firstWrite) Write(b []byte) (int, error) {
	f.bar.Stop()
	return f.Writer.Write(b)
}
