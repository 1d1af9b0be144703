package duck

import (
	"os"
	"runtime"
	"sync"
)

// processorsVariable sets how many processors Go's scheduler has.
const processorsVariable = "GOMAXPROCS"

var spareOnce sync.Once

// SpareProcessor gives Go's scheduler one processor more, once, unless the environment says how many it
// has. It is for programs that are all DuckDB's, the shell and the extension: what else a program does is
// its own to say.
//
// A thread keeps the processor of its last callback until the next one. Where every processor is kept
// so, the runtime's monitor thread takes them away from threads that are in DuckDB for longer than
// 20 µs, most of the time, and looks for such threads every 20 µs, in turn with threads that compute.
// Where one is free it leaves them alone, and sleeps for up to 10 ms. A sixteenth of the processor time
// of a million groups went that way. How many goroutines run at once hardly changes: DuckDB's threads
// have the machine.
func SpareProcessor() {
	spareOnce.Do(spareProcessor)
}

func spareProcessor() {
	if os.Getenv(processorsVariable) == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
}
