package shell

import (
	"context"
	"os"
	"os/signal"
	"sync"
)

// patience is how often Ctrl-C can be pressed during one statement before the process exits.
const patience = 3

const exitInterrupted = 130

// interrupts cancels the running statement at Ctrl-C.
type interrupts struct {
	signals chan os.Signal

	mu      sync.Mutex
	cancel  context.CancelFunc // Cancels the running statement; nil: no statement runs.
	pressed int                // How often Ctrl-C was pressed during the statement.
	idle    bool               // True: Ctrl-C between statements is ignored; false: it ends the process.
	pager   bool               // True: Ctrl-C is ignored, because a pager or a system command handles it.
}

func catchInterrupts() *interrupts {
	in := &interrupts{signals: make(chan os.Signal, 1)}
	signal.Notify(in.signals, os.Interrupt)
	go func() {
		for range in.signals {
			in.press()
		}
	}()
	return in
}

func (in *interrupts) stop() {
	signal.Stop(in.signals)
	close(in.signals)
}

// press handles one Ctrl-C.
func (in *interrupts) press() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.pager {
		return
	}
	in.pressed++
	switch {
	case in.cancel != nil && in.pressed < patience:
		in.cancel()
	case in.cancel == nil && in.idle:
	default:
		os.Exit(exitInterrupted)
	}
}

// during returns the context of a statement, which Ctrl-C cancels. The caller calls done when the
// statement ends.
func (in *interrupts) during() (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(context.Background())
	in.mu.Lock()
	defer in.mu.Unlock()
	in.cancel, in.pressed = cancel, 0
	return ctx, func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.cancel = nil
		cancel()
	}
}

// stayWhenIdle makes Ctrl-C between statements do nothing.
func (in *interrupts) stayWhenIdle() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.idle = true
}

// leaveAlone makes Ctrl-C do nothing in this process until back is called.
func (in *interrupts) leaveAlone() (back func()) {
	set := func(on bool) {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.pager = on
	}
	set(true)
	return func() { set(false) }
}
