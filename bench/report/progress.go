package report

import (
	"fmt"
	"os"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress is a bar on the terminal. It shows steps as they become known:
// those that the experiment announces, or those of each Parallel in turn.
type progress struct {
	title string // without one nothing is shown

	mu        sync.Mutex
	bar       *progressbar.ProgressBar
	announced bool
}

// Steps announces how many steps the experiment has in all, each of them an
// item of Parallel or a call of Step.
func (s *Section) Steps(n int) {
	s.progress.begin(n)
	s.progress.announced = true
}

// Step says that one step is done.
func (s *Section) Step() {
	s.progress.mu.Lock()
	defer s.progress.mu.Unlock()
	if s.progress.bar != nil {
		_ = s.progress.bar.Add(1) // a bar that cannot be drawn changes nothing
	}
}

// Say writes a line to the terminal, for what the page does not keep.
func (s *Section) Say(format string, args ...any) {
	s.progress.mu.Lock()
	defer s.progress.mu.Unlock()
	if s.progress.bar != nil {
		_ = s.progress.bar.Clear()
	}
	if s.progress.title != "" {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}

// begin shows a bar of n steps.
func (p *progress) begin(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.title == "" || p.announced || !term.IsTerminal(int(os.Stderr.Fd())) {
		return
	}
	p.bar = progressbar.NewOptions(n, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetDescription(p.title),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())
}

// end removes the bar.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
