package sketches

// Beam's Prism runner has its workers in the process that starts it. So bundles can wait for each
// other, and results can be stored in a variable.

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

func init() { beam.RegisterDoFn(reflect.TypeFor[*collectFn]()) }

var (
	meetings sync.Map // name: *meeting
	results  sync.Map // name, "/", key: []byte
)

// meeting ends when the expected number of bundles has joined.
type meeting struct {
	sync.Mutex
	missing int
	all     chan struct{}
}

// meet calls n bundles to a meeting.
func meet(name string, n int) { meetings.Store(name, &meeting{missing: n, all: make(chan struct{})}) }

// join waits until all bundles of a meeting run. It returns an error if they do not run side by
// side.
func join(ctx context.Context, name string) error {
	v, ok := meetings.Load(name)
	if !ok {
		return fmt.Errorf("no meeting %q", name)
	}
	m := v.(*meeting)
	m.Lock()
	if m.missing--; m.missing == 0 {
		close(m.all)
	}
	m.Unlock()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	select {
	case <-m.all:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the bundles did not run side by side: %w", ctx.Err())
	}
}

type collectFn struct{ Name string }

// ProcessElement stores an element for collected.
func (f *collectFn) ProcessElement(k, blob []byte) {
	results.Store(f.Name+"/"+string(k), bytes.Clone(blob))
}

// collect stores a PCollection<KV<[]byte, []byte>> for collected.
func collect(s beam.Scope, name string, col beam.PCollection) {
	beam.ParDo0(s, &collectFn{name}, col)
}

// collected returns the stored elements of a name, by key.
func collected(name string) map[string][]byte {
	out := map[string][]byte{}
	results.Range(func(k, v any) bool {
		if key, ok := strings.CutPrefix(k.(string), name+"/"); ok {
			out[key] = v.([]byte)
		}
		return true
	})
	return out
}
