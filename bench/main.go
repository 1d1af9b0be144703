// Command bench measures ccbfsql: every figure as a ratio to something else
// measured in the same run, or with the unit that it is promised in.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// options are what all experiments share.
type options struct {
	rounds int
	quick  bool
	data   string // folder with the real data
}

// experiments in the order in which they run.
var experiments = []struct {
	name, what string
	run        func(options) error
}{
	{"uk", "ccbf_agg over the UK crimes against the exact GROUP BY", uk},
	{"zipf", "ccbf_agg over skewed points against the exact GROUP BY", zipf},
	{"groups", "a million groups of five points: time and memory", groups},
	{"kernel", "puts into the dense form against a plain loop", kernel},
	{"get", "lookups in a constant dense sketch", get},
	{"union", "union of a thousand dense sketches", union},
	{"polygons", "sums of all countries over the cities", polygons},
	{"levels", "sums over areas of dense sketches, with levels and without", levels},
	{"spatial", "many sketches and one area, beside the exact query", spatial},
	{"maps", "the largest cells of the UK, and pictures of it, from one sketch", maps},
	{"serve", "ccbfsql serve: tiles, and sums over areas", served},
	{"extension", "ccbf_agg through the loadable extension against the embedded host", extension},
	{"peers", "the families of keyed sketches against public Go libraries", peers},
}

func main() {
	if statements := os.Getenv(peakVariable); statements != "" {
		if err := measurePeak(strings.Split(statements, ";\n")); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	var o options
	flag.IntVar(&o.rounds, "rounds", 7, "rounds of each measurement")
	flag.BoolVar(&o.quick, "quick", false, "a tenth of the size")
	flag.StringVar(&o.data, "data", filepath.Join("..", "..", "shared", "data"), "folder with the real data")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: bench [flags] [experiment ...]")
		for _, e := range experiments {
			fmt.Fprintf(flag.CommandLine.Output(), "  %-10s %s\n", e.name, e.what)
		}
		flag.PrintDefaults()
	}
	flag.Parse()
	wanted := map[string]bool{}
	for _, name := range flag.Args() {
		wanted[name] = true
	}
	all := len(wanted) == 0
	for _, e := range experiments {
		if !all && !wanted[e.name] {
			continue
		}
		fmt.Printf("\n## %s: %s\n", e.name, e.what)
		if err := e.run(o); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", e.name, err)
			os.Exit(1)
		}
		delete(wanted, e.name)
	}
	for name := range wanted {
		fmt.Fprintf(os.Stderr, "bench: no experiment %q\n", name)
		os.Exit(2)
	}
}
