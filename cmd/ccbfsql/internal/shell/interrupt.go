package shell

import (
	"context"
	"os"
	"os/signal"
	"sync"
)

// patience is how often Ctrl-C may be pressed on one statement before the
// shell gives up waiting for it to end.
const patience = 3

const exitInterrupted = 130

// interrupts turns Ctrl-C into the cancellation of the running statement.
type interrupts struct {
	signals chan os.Signal

	mu      sync.Mutex
	cancel  context.CancelFunc // nil while nothing runs
	pressed int
	idle    bool // Ctrl-C between statements does nothing
	pager   bool // Ctrl-C is for the pager
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

// during gives the context of a statement, which ends with done.
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

// stayWhenIdle keeps Ctrl-C between statements from ending the program.
func (in *interrupts) stayWhenIdle() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.idle = true
}

// leaveAlone makes Ctrl-C do nothing here until back is called.
func (in *interrupts) leaveAlone() (back func()) {
	set := func(on bool) {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.pager = on
	}
	set(true)
	return func() { set(false) }
}
