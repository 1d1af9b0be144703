package duck

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Instance is the registration of this process with one database. Its pages have its number.
type Instance struct {
	id   uint32
	live atomic.Int64 // number of pages of this instance
	// threads is the number of DuckDB's threads for queries when functions were last registered.
	threads atomic.Int32
	names   map[string]bool // names of registered functions; under the registry's lock
}

// instanceOf returns the instance with a number, or nil if its database was closed.
func instanceOf(id uint32) *Instance {
	all := registry.instances.Load()
	if i := int(id) - 1; all != nil && i >= 0 && i < len(*all) {
		return (*all)[i]
	}
	return nil
}

// instances is the lock of registry.instances. It is not the registry's own lock, as DuckDB may end
// an instance while that is locked.
var instances sync.Mutex

// newInstance returns a new instance with an unused number.
func newInstance() *Instance {
	instances.Lock()
	defer instances.Unlock()
	var all []*Instance
	if p := registry.instances.Load(); p != nil {
		all = slices.Clone(*p)
	}
	i := slices.Index(all, nil) // reuse the number of a database that was closed
	if i < 0 {
		i = len(all)
		all = append(all, nil)
	}
	in := &Instance{id: uint32(i + 1), names: make(map[string]bool)}
	all[i] = in
	registry.instances.Store(&all)
	return in
}

// endInstance ends an instance whose database DuckDB has closed. It drops the pages that its
// queries left, empties the caches, and makes the number available.
func endInstance(id uint32) {
	in := instanceOf(id)
	if in == nil {
		return
	}
	in.Release()
	emptyCaches()
	instances.Lock()
	defer instances.Unlock()
	all := slices.Clone(*registry.instances.Load())
	all[id-1] = nil
	registry.instances.Store(&all)
}

// tagName is the name of a function that each database gets. It shows which instance a database
// is, as the C API does not, and DuckDB refuses to register an aggregate twice. DuckDB also frees
// the function when the database is closed.
const tagName = "ccbf_registration"

var tagCalls struct {
	sync.Mutex
	asked uint64
	seen  map[uint64]*Instance
	// By instance number, its tag function. It is used again for a new instance with that number, as
	// overloads are never removed from the registry.
	functions map[uint32]*Function
}

// tagFunction returns the function tagName of an instance. Its result is true. It stores the
// instance under the number that is its first argument, and the number of threads in it.
func tagFunction(id uint32) *Function {
	tagCalls.Lock()
	defer tagCalls.Unlock()
	if f := tagCalls.functions[id]; f != nil {
		return f
	}
	f := &Function{
		Name:    tagName,
		Summary: "Tells ccbfsql that its functions are registered with this database.",
		Overloads: []Overload{{
			Params:   []Param{{"question", UBigInt}, {"threads", UBigInt}},
			Returns:  Boolean,
			Volatile: true, // otherwise DuckDB would call it only once for constant arguments
			Scalar: func(args *Rows, out *Result) error {
				in, ok, threads := instanceOf(id), Out[bool](out), Slice[uint64](args.Col(1))
				for i, q := range Slice[uint64](args.Col(0)) {
					ok[i] = args.Col(0).Valid(i)
					if !ok[i] {
						continue
					}
					tagCalls.Lock()
					if _, asked := tagCalls.seen[q]; asked {
						tagCalls.seen[q] = in
						if in != nil && args.Col(1).Valid(i) {
							in.threads.Store(int32(min(threads[i], math.MaxInt32)))
						}
					}
					tagCalls.Unlock()
				}
				return nil
			},
		}},
	}
	if tagCalls.functions == nil {
		tagCalls.functions = make(map[uint32]*Function)
	}
	tagCalls.functions[id] = f
	return f
}

// findInstance returns the instance of the database of a connection, or nil if this process has
// registered nothing there. The error says that another copy of ccbfsql has.
func findInstance(conn unsafe.Pointer) (*Instance, error) {
	tagCalls.Lock()
	tagCalls.asked++
	question := tagCalls.asked
	if tagCalls.seen == nil {
		tagCalls.seen = make(map[uint64]*Instance)
	}
	tagCalls.seen[question] = nil
	tagCalls.Unlock()

	ran := run(conn, fmt.Sprintf("SELECT %s(%d, TRY_CAST(current_setting('threads') AS UBIGINT))", tagName, question))

	tagCalls.Lock()
	in := tagCalls.seen[question]
	delete(tagCalls.seen, question)
	tagCalls.Unlock()
	if ran && in == nil {
		return nil, errors.New("another copy of ccbfsql (the loadable extension?) has already registered its functions with this database")
	}
	return in, nil
}

// Release drops the pages of this registration, and empties the caches if they hold much. Call it
// while none of its queries runs.
func (in *Instance) Release() {
	shrinkIdleCaches()
	if in == nil || in.live.Load() == 0 {
		return
	}
	eachLease(func(l *Lease) bool {
		if l.instance == in.id {
			forget(l)
		}
		return true
	})
}

// Pages returns the number of pages of this registration.
func (in *Instance) Pages() int64 { return in.live.Load() }
