package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// guest is the loadable extension in a process without Go: the C host of the
// client tests.
type guest struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (g *guest) do(line string) (string, error) {
	if _, err := io.WriteString(g.in, line+"\n"); err != nil {
		return "", err
	}
	answer, err := g.out.ReadString('\n')
	return strings.TrimSuffix(answer, "\n"), err
}

// run runs a statement.
func (g *guest) run(statement string) error {
	answer, err := g.do("sql 1 " + statement)
	if err == nil && !strings.HasPrefix(answer, "=") {
		err = fmt.Errorf("%s\nin %s", answer, statement)
	}
	return err
}

// cpu is the processor time of the guest so far.
func (g *guest) cpu() (time.Duration, error) {
	answer, err := g.do("cpu")
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseFloat(answer, 64)
	return time.Duration(v * float64(time.Millisecond)), err
}

// ownCPU is the processor time of this program so far.
func ownCPU() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}

// spent is what a statement took by the clock and by the processor.
type spent struct{ clock, cpu sample }

func (s *spent) add(cpu func() (time.Duration, error), f func() error) error {
	c0, err := cpu()
	if err != nil {
		return err
	}
	start := time.Now()
	if err := f(); err != nil {
		return err
	}
	s.clock = append(s.clock, time.Since(start))
	c1, err := cpu()
	s.cpu = append(s.cpu, c1-c0)
	return err
}

// startGuest starts the C host with the DuckDB that is linked into this program.
func startGuest(version string) (*guest, func(), error) {
	root := ".."
	library, err := filepath.Glob(filepath.Join(root, "build", "clients", "node_modules", "duckdb-"+version, "node_modules", "@duckdb", "*", "libduckdb.*"))
	if err != nil || len(library) == 0 {
		return nil, nil, errors.Join(err, fmt.Errorf("no libduckdb %s (make clients)", version))
	}
	extension, err := filepath.Abs(filepath.Join(root, "build", "ccbf.duckdb_extension"))
	if err != nil {
		return nil, nil, err
	}
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, nil, err
	}
	program := filepath.Join(folder, "host")
	cc := exec.Command("cc", "-O1", "-o", program, filepath.Join(root, "internal", "clients", "c", "host.c"), "-ldl", "-lpthread")
	if out, err := cc.CombinedOutput(); err != nil {
		os.RemoveAll(folder)
		return nil, nil, fmt.Errorf("%w\n%s", err, out)
	}
	g := &guest{cmd: exec.Command(program, library[0])}
	g.cmd.Stderr = os.Stderr
	stop := func() {
		if g.in != nil {
			_ = g.in.Close() // the host ends by it
			_ = g.cmd.Wait()
		}
		os.RemoveAll(folder)
	}
	out, err := g.cmd.StdoutPipe()
	if err == nil {
		g.out = bufio.NewReader(out)
		g.in, err = g.cmd.StdinPipe()
	}
	if err == nil {
		err = g.cmd.Start()
	}
	if err == nil {
		_, err = g.do("open 1")
	}
	if err == nil {
		err = g.run("LOAD '" + extension + "'")
	}
	if err != nil {
		stop()
		return nil, nil, err
	}
	return g, stop, nil
}

// extension runs the same query through the extension and in this program, in
// turn, on the same version of DuckDB.
func extension(o options) error {
	db, err := open(2)
	if err != nil {
		return err
	}
	defer db.Close()
	var version string
	if err := db.QueryRow("SELECT version()").Scan(&version); err != nil {
		return err
	}
	g, stop, err := startGuest(strings.TrimPrefix(version, "v"))
	if err != nil {
		return fmt.Errorf("no client to run the extension in: %w", err)
	}
	defer stop()
	both := func(statement string) error { return errors.Join(run(db, statement), g.run(statement)) }
	data, err := filepath.Abs(o.data)
	if err != nil {
		return err
	}
	o.data = data // the guest may be elsewhere
	if err := both("CREATE TABLE uk AS " + crimes(o)); err != nil {
		return err
	}
	for _, threads := range []int{1, 2} {
		if err := both(fmt.Sprintf("SET threads = %d", threads)); err != nil {
			return err
		}
		for _, q := range []struct{ what, query string }{
			{"exact", "SELECT ccbf_agg(lon, lat, 0.001) AS s FROM uk"},
			{"dense", "SELECT ccbf_agg(lon, lat, 0.001, {exact: false}) AS s FROM uk"},
			{"by tile", "SELECT ccbf_agg(lon, lat, 0.001) AS s FROM uk GROUP BY quadkey(lon, lat, 10)"},
		} {
			query := "CREATE OR REPLACE TEMP TABLE s AS " + q.query
			var embedded, extension spent
			for range o.rounds + 1 {
				if err := embedded.add(ownCPU, func() error { return run(db, query) }); err != nil {
					return err
				}
				if err := extension.add(g.cpu, func() error { return g.run(query) }); err != nil {
					return err
				}
			}
			fmt.Printf("%-44s extension %v, embedded %v\n", fmt.Sprintf("UK, %s, %d threads", q.what, threads), extension.clock[1:], embedded.clock[1:])
			fmt.Printf("%-44s %s by the clock, %s of processor time; promised at most 1.10\n", "", ratio(extension.clock[1:], embedded.clock[1:]), ratio(extension.cpu[1:], embedded.cpu[1:]))
		}
	}
	return nil
}

// ratio compares round by round.
func ratio(a, b sample) string {
	var ratios []float64
	for i := range a {
		ratios = append(ratios, float64(a[i])/float64(b[i]))
	}
	slices.Sort(ratios)
	return fmt.Sprintf("ratio %.2f (%.2f to %.2f)", ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
}
