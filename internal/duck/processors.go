package duck

import (
	"os"
	"runtime"
	"sync"
)

// processorsVariable is the environment variable that sets GOMAXPROCS.
const processorsVariable = "GOMAXPROCS"

// AddProcessor increases GOMAXPROCS by one, once, unless the environment sets it. Programs that
// only run DuckDB call it: the shell and the extension. Other programs set GOMAXPROCS themselves.
//
// A thread keeps its Go processor (P) after a callback until the next one. If all Ps are kept so,
// the runtime's monitor thread wakes up every 20 µs to take Ps from threads that are in DuckDB.
// With an idle P it does not, and sleeps for up to 10 ms. A million groups spent a sixteenth of
// their processor time on that. DuckDB's threads use the machine either way.
var AddProcessor = sync.OnceFunc(addProcessor)

// addProcessor is AddProcessor without the limit to one call.
func addProcessor() {
	if os.Getenv(processorsVariable) == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
}
