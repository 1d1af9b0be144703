// Command soak runs a mixed load on several connections for a long time, and
// prints what the process holds in every minute.
package main

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/ccbfsql/ccbfsql/test/internal/load"
)

func main() {
	length := flag.Duration("for", time.Hour, "how long")
	every := flag.Duration("every", time.Minute, "between samples")
	seed := flag.Uint64("seed", 1, "of all chance")
	connections := flag.Int("connections", 8, "at once")
	flag.Parse()
	if err := run(*length, *every, *seed, *connections); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(length, every time.Duration, seed uint64, connections int) error {
	dir, err := os.MkdirTemp("", "soak")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	begin := time.Now()
	fmt.Printf("%s: seed %d, %d connections, %s\n\n%s\n", begin.UTC().Format("2006-01-02 15:04"), seed, connections, length, load.Header)
	var mu sync.Mutex // of the failures
	failed := 0
	var samples []load.Sample
	err = load.Soak(load.SoakOptions{
		Seed: seed, Connections: connections, Every: every, Dir: dir,
		Done:    func(int) bool { return time.Since(begin) >= length },
		Sampled: func(s load.Sample) { samples = append(samples, s); fmt.Println(s.Row()) },
		Failed: func(statement string, err error) {
			mu.Lock()
			defer mu.Unlock()
			failed++
			fmt.Fprintf(os.Stderr, "--- %v\n%s;\n", err, statement)
		},
	})
	if err != nil {
		return err
	}
	last := samples[len(samples)-1]
	slope, sigma := load.Growth(samples[len(samples)/3:])
	fmt.Printf("\n%d queries, %d failures; after the first third resident memory grows by %.1f MiB an hour, standard error %.1f\n",
		last.Queries, failed, slope/(1<<20), sigma/(1<<20))
	if failed > 0 {
		return fmt.Errorf("%d failures", failed)
	}
	// Memory that was lost with every query grows by more than chance, and by
	// more than a tenth of what is there.
	if slope > 4*sigma && slope*last.After.Hours() > 0.1*float64(last.Resident) {
		return fmt.Errorf("memory is not flat")
	}
	return nil
}
