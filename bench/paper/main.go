// Command paper runs the experiments of the papers that the families of
// sketches come from, and puts what was published beside what is measured here:
// docs/ACCURACY.md and its plots.
//
// An experiment is one file of this folder and one line in the list below.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// experiment is a section of the page.
type experiment struct {
	name, title string
	run         func(config, *section) error
}

// experiments in the order of the page.
var experiments = []experiment{
	{"rational", "Rational filters: what a fractional k does", rational},
	{"blocks", "Filters of blocks against standard ones", blocks},
	{"rates", "Rates of every filter against its formula", rates},
	{"variable-length", "Variable length: what it gains at equal bits", variableLength},
	{"variable-speed", "Variable length: what it costs in time", variableSpeed},
	{"spectral-table", "Spectral: table 1, what recurring minimum gains", spectralTable},
	{"spectral-methods", "Spectral: the methods over skew, gamma and k", spectralMethods},
	{"forest", "Spectral: the Forest Cover elevations", forest},
	{"spectral-below", "Spectral: how often recurring minimum is below the truth", spectralBelow},
	{"spectral-changes", "Spectral: deletions and a sliding window", spectralChanges},
	{"spectral-unbiased", "Spectral: the unbiased estimator", spectralUnbiased},
	{"encodings", "Spectral: the encodings of counters", encodings},
	{"range", "Spectral: sums over ranges", spectralRange},
	{"estimates", "CascadeCBF: polygon estimates of dense sketches", estimates},
	{"levels", "CascadeCBF: sums over squares, with levels and without", levels},
	{"cms", "Count-Min: the bound of its estimates", countMin},
}

// scale is how large the experiments are.
type scale int

const (
	tiny  scale = iota // for the tests: every row, no meaning
	quick              // two minutes for all
	full               // what stands in the page
)

func (s scale) String() string { return [...]string{"tiny", "quick", "full"}[s] }

// config is what all experiments share.
type config struct {
	scale scale
	data  string // folder with the real data
}

// pick is the value for the scale.
func pick[T any](c config, tiny, quick, full T) T { return [...]T{tiny, quick, full}[c.scale] }

func main() {
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "paper:", err)
		os.Exit(1)
	}
}

func command(args []string) error {
	flags := flag.NewFlagSet("paper", flag.ExitOnError)
	small := flags.Bool("quick", false, "smaller sizes and fewer seeds: two minutes for all")
	only := flags.String("only", "", "run these experiments alone, their names with commas between; with -out their sections are replaced")
	out := flags.String("out", "", "folder to write ACCURACY.md and accuracy/*.svg to; without it the text goes to the standard output, without plots")
	data := flags.String("data", filepath.Join("..", "..", "shared", "data"), "folder with the real data")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: paper [flags]")
		for _, e := range experiments {
			fmt.Fprintf(flags.Output(), "  %-18s %s\n", e.name, e.title)
		}
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	c := config{scale: full, data: *data}
	if *small {
		c.scale = quick
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	for _, e := range chosen {
		start := time.Now()
		s, err := e.section(c)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		fmt.Fprintf(os.Stderr, "%-18s %5.1f s\n", e.name, time.Since(start).Seconds())
		// Each as soon as it is there: what is done is not lost.
		if *out == "" {
			fmt.Println(s.markdown())
		} else if err := s.write(*out); err != nil {
			return err
		}
	}
	return nil
}

func choose(only string) ([]experiment, error) {
	if only == "" {
		return experiments, nil
	}
	var chosen []experiment
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(experiments, func(e experiment) bool { return e.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no experiment %q", name)
		}
		chosen = append(chosen, experiments[i])
	}
	slices.SortFunc(chosen, func(a, b experiment) int { return cmp.Compare(order(a.name), order(b.name)) })
	return chosen, nil
}

// order is an experiment's place in the page.
func order(name string) int {
	return slices.IndexFunc(experiments, func(e experiment) bool { return e.name == name })
}

func (e experiment) section(c config) (*section, error) {
	s := &section{name: e.name, title: e.title, scale: c.scale}
	return s, e.run(c, s)
}
