package duck

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/internal/memory"
)

// Instance is the registration of this process with one database. Its pages have its number.
type Instance struct {
	id uint32
	// threads is the number of DuckDB's threads for queries when functions were last registered.
	threads atomic.Int32
	names   map[string]bool // names of registered functions; under the registry's lock
}

var (
	instances    sync.Map      // of the *Instance of each open database, by its number as a uint32.
	lastInstance atomic.Uint32 // number of the newest instance; numbers are not used again.
)

// instanceOf returns the instance with a number, or nil if its database was closed.
func instanceOf(id uint32) *Instance {
	in, _ := instances.Load(id)
	found, _ := in.(*Instance)
	return found
}

// tagName is the name of a function that each database gets. It shows which instance a database
// is, as the C API does not, and DuckDB refuses to register an aggregate twice. DuckDB also frees
// the function when the database is closed.
const tagName = "ccbf_registration"

// asked is the question of findInstance, and the answer of the function tagName to it.
var asked struct {
	sync.Mutex
	question uint64
	instance *Instance
}

// tag is the function tagName. Where its first argument is the question of findInstance, it answers with
// the instance of its database, and stores the number of threads in it.
var tag = Function{
	Name:    tagName,
	Summary: "Tells ccbfsql that its functions are registered with this database.",
	Overloads: []Overload{{
		Params:   []Param{{Name: "question", Type: UBigInt}, {Name: "threads", Type: UBigInt}},
		Returns:  Boolean,
		Volatile: true, // otherwise DuckDB would call it only once for constant arguments
		Scalar: func(args *Rows, out *Result) error {
			asked.Lock()
			defer asked.Unlock()
			ok, threads := Out[bool](out), Slice[uint64](args.Col(1))
			for i, question := range Slice[uint64](args.Col(0)) {
				ok[i] = out.instance != nil && args.Col(0).Valid(i) && question == asked.question
				if !ok[i] {
					continue
				}
				asked.instance = out.instance
				if args.Col(1).Valid(i) {
					asked.instance.threads.Store(int32(min(threads[i], math.MaxInt32)))
				}
			}
			return nil
		},
	}},
}

// findInstance returns the instance of the database of a connection, or nil if this process has
// registered nothing there. The error says that another copy of ccbfsql has. The registry is locked.
func findInstance(conn unsafe.Pointer) (*Instance, error) {
	question := rand.Uint64()
	asked.Lock()
	asked.question, asked.instance = question, nil
	asked.Unlock()

	ran := run(conn, fmt.Sprintf("SELECT %s(%d, TRY_CAST(current_setting('threads') AS UBIGINT))", tagName, question))

	asked.Lock()
	defer asked.Unlock()
	if ran && asked.instance == nil {
		return nil, errors.New("another copy of ccbfsql (the loadable extension?) has already registered its functions with this database")
	}
	return asked.instance, nil
}

// Release drops the pages of this registration, and empties the cache if it holds much. Call it
// while none of its queries runs.
func (in *Instance) Release() { memory.Release(in.id) }
