package duck

import (
	"os"
	"runtime"
)

// processorsVariable sets how many processors Go's scheduler has.
const processorsVariable = "GOMAXPROCS"

// spareProcessor gives Go's scheduler a processor more than DuckDB has threads, where it has as many
// as those: by default both have the machine's.
//
// A thread keeps the processor of its last callback until the next one. Where every processor is kept
// so, the runtime's monitor thread takes them away from threads that are in DuckDB for longer than
// 20 µs, most of the time, and looks for such threads every 20 µs, in turn with threads that compute.
// Where one is free it leaves them alone, and sleeps for up to 10 ms. A sixteenth of the processor time
// of a million groups went that way. How many goroutines run at once hardly changes: DuckDB's threads
// have the machine.
func spareProcessor(threads int) {
	if os.Getenv(processorsVariable) == "" && runtime.GOMAXPROCS(0) == threads {
		runtime.GOMAXPROCS(threads + 1)
	}
}
