// Command differential runs random queries in child processes. It reports queries with a wrong
// result, queries that hang, and queries that end the process. With -for it runs them in one process for a
// long time, and prints its memory.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ccbfsql/ccbfsql/test/internal/load"
)

var (
	queries     = flag.Int("queries", 100000, "`number` of queries to run")
	seed        = flag.Uint64("seed", 1, "`seed` of the random queries")
	from        = flag.Int("from", 0, "`number` of the first query to run")
	connections = flag.Int("connections", 8, "most `connections` that query at once")
	patience    = flag.Duration("patience", 10*time.Minute, "end a process that reports nothing for this `time`")
	length      = flag.Duration("for", 0, "run queries in this process for this `time`, and print its memory after each batch")
	show        = flag.Bool("show", false, "print the SQL of query -from, and run nothing")
	child       = flag.Bool("child", false, "run the queries in this process and report as JSON")
)

// perProcess is the number of queries per process. Queries of one process can affect later ones.
const perProcess = 5000

func main() {
	flag.Parse()
	if *show {
		fmt.Print(options(*from, *from+1).Script(*from))
		return
	}
	run := runParent
	switch {
	case *child:
		run = runChild
	case *length > 0:
		run = soak
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "differential:", err)
		os.Exit(1)
	}
}

// options returns the options of a run with the queries a to b-1.
func options(a, b int) load.Options {
	return load.Options{Seed: *seed, From: a, To: b, Connections: *connections}
}

// runChild writes the events of a run as lines of JSON.
func runChild() error {
	out := json.NewEncoder(os.Stdout)
	var failed error
	err := options(*from, *from+*queries).Run(func(e load.Event) { failed = errors.Join(failed, out.Encode(e)) })
	return errors.Join(err, failed)
}

func runParent() error {
	begin := time.Now()
	var total load.Counts
	ended := 0 // number of processes that ended before their last query
	for a := *from; a < *from+*queries; {
		b := min((a/perProcess+1)*perProcess, *from+*queries)
		inFlight, text, err := watch(a, b, &total)
		if err != nil {
			return err
		}
		if text == "" {
			a = b
			continue
		}
		ended++
		fmt.Printf("--- process ended: %s\nqueries running then, of seed %d: %v\n", text, *seed, inFlight)
		for _, n := range inFlight {
			_, text, err := watch(n, n+1, &load.Counts{})
			if err != nil {
				return err
			}
			fmt.Printf("query %d alone: %s\n", n, cmp.Or(text, "nothing happens"))
			fmt.Print(options(n, n+1).Script(n))
			a = max(a, (n/load.PerDatabase+1)*load.PerDatabase)
		}
		if len(inFlight) == 0 {
			return fmt.Errorf("a process did not start: %s", text)
		}
	}
	took := time.Since(begin).Round(time.Second)
	fmt.Printf("%s: seed %d, %d queries from %d in %s: %d failures, %d processes ended early\n",
		begin.UTC().Format("2006-01-02"), *seed, total.Queries, *from, took, total.Failures, ended)
	fmt.Printf("%d rows judged; %d ended for DuckDB's memory_limit, %d cancelled and asked again; %v\n", total.Rows, total.NoMemory, total.Cancelled, total.Kinds)
	if total.Failures+ended > 0 {
		return fmt.Errorf("%d failures, %d processes ended early", total.Failures, ended)
	}
	return nil
}

// watch runs queries a to b-1 in a process. If it fails, text says how, and inFlight has the
// queries that were running.
func watch(a, b int, total *load.Counts) (inFlight []int, text string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	cmd := exec.Command(self, "-child", fmt.Sprint("-seed=", *seed), fmt.Sprint("-from=", a), fmt.Sprint("-queries=", b-a), fmt.Sprint("-connections=", *connections))
	var complaint strings.Builder
	cmd.Stderr = &complaint
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	stuck := false
	timer := time.AfterFunc(*patience, func() {
		stuck = true
		_ = cmd.Process.Signal(syscall.SIGQUIT) // Go then prints the stacks of its goroutines
	})
	running := map[int]int{} // running query by connection
	events := json.NewDecoder(pipe)
	for {
		var e load.Event
		if err = events.Decode(&e); err != nil {
			break
		}
		timer.Reset(*patience)
		switch {
		case e.Counts != nil:
			total.Add(*e.Counts)
			fmt.Fprintf(os.Stderr, "\r%d queries, %d failures ", total.Queries, total.Failures)
		case e.Failure != "":
			fmt.Printf("--- query %d of seed %d: %s\n%s", e.Number, *seed, e.Failure, e.Script)
		default:
			running[e.Connection] = e.Number
		}
	}
	ended := cmd.Wait()
	timer.Stop()
	if ended == nil && errors.Is(err, io.EOF) {
		return nil, "", nil
	}
	text = fmt.Sprint(cmp.Or(ended, err))
	if stuck {
		text = "said nothing for " + patience.String() + ", " + text
	}
	return slices.Sorted(maps.Values(running)), text + "\n" + head(complaint.String(), 60), nil
}

// head returns the first lines of a text.
func head(text string, lines int) string {
	all := strings.SplitAfter(text, "\n")
	return strings.Join(all[:min(lines, len(all))], "")
}
