package pipeline

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
)

// Build runs the query over all files, on the runner that Beam's flags name, and writes the
// result. It says how far it is on w.
func Build(ctx context.Context, o *Options, w io.Writer) (*Summary, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	c := *o // a run fills in what the flags leave to it
	o = &c
	return o.run(ctx, w, func(ctx context.Context, conn *sql.Conn, input []Column) error { return o.write(input) })
}

// Compact unites the rows of files that earlier runs wrote, each key once.
func Compact(ctx context.Context, o *Options, w io.Writer) (*Summary, error) {
	c := *o
	o = &c
	o.SQL = "compact"
	if err := o.check(); err != nil {
		return nil, err
	}
	return o.run(ctx, w, o.writeUnion)
}

// derived are the columns that -final makes of a sketch where nothing else is said.
var derived = []string{"total", "xmin", "ymin", "xmax", "ymax"}

// writeUnion writes the query that unites the rows of input: BLOBs that are sketches by the union
// of their family. All other columns are the key, but those that -final makes anew.
func (o *Options) writeUnion(ctx context.Context, conn *sql.Conn, input []Column) error {
	var out []string
	sketches := 0
	for _, c := range input {
		if c.Type == "BLOB" {
			var family sql.NullString
			err := conn.QueryRowContext(ctx, fmt.Sprintf("SELECT (TRY(sketch_info(%s))).family FROM input WHERE %[1]s IS NOT NULL LIMIT 1", quote(c.Name))).Scan(&family)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			if family.Valid {
				sketches++
				out = append(out, fmt.Sprintf("%s_union_agg(%s) AS %[2]s", family.String, quote(c.Name)))
				if family.String == "ccbf" && c.Name == "sketch" && o.Final == "" {
					o.Final = finalOfCCBF
				}
				continue
			}
		}
		if by := o.Combine[c.Name]; by != "" {
			out = append(out, fmt.Sprintf("%s(%s) AS %[2]s", by, quote(c.Name)))
		} else if o.Final != finalOfCCBF || !slices.Contains(derived, c.Name) {
			out = append(out, quote(c.Name))
		}
	}
	if sketches == 0 {
		return errors.New("compact: the first file has no column of sketches")
	}
	o.SQL = "SELECT " + strings.Join(out, ", ") + " FROM input GROUP BY ALL"
	return nil
}

// plan reads the columns of the first file and makes the query.
func (o *Options) plan(ctx context.Context, files []string, query func(context.Context, *sql.Conn, []Column) error) (*Plan, error) {
	p := &Plan{CSV: o.CSV, Memory: o.Memory, Files: o.Files, Fanout: o.Fanout, Threads: o.Threads, Rows: o.Rows}
	return p, withEngine(ctx, p, func(conn *sql.Conn, dir string) error {
		file, err := fetch(ctx, files[0], dir)
		if err != nil {
			return named(files[0], err)
		}
		from := p.table(file)
		if p.Input, err = describe(ctx, conn, "FROM "+from); err != nil {
			return named(files[0], err)
		}
		if err := execute(ctx, conn, "CREATE OR REPLACE TEMP VIEW input AS FROM "+from); err != nil {
			return named(files[0], err)
		}
		if err := query(ctx, conn, p.Input); err != nil {
			return named(files[0], err)
		}
		if p.Columns, err = analyze(ctx, conn, o.SQL, o.Combine); err != nil {
			return fmt.Errorf("-sql: %w", err)
		}
		for i, c := range p.Columns {
			switch c.Type { // Parquet has no such numbers, and DuckDB would write DOUBLE
			case "HUGEINT", "UHUGEINT":
				p.Columns[i].Type = "DECIMAL(38,0)"
			case "BIT", "UNION", "TIME_NS", "BIGNUM", "VARIANT":
				return fmt.Errorf("-sql: column %q is %s, which Parquet does not keep: cast it to VARCHAR", c.Name, c.Type)
			}
			if strings.HasPrefix(c.Type, "ENUM") {
				p.Columns[i].Type = "VARCHAR"
			}
		}
		p.SQL, p.Check, p.Final = o.SQL, o.Check, o.Final
		return named(files[0], p.try(ctx, conn, from))
	})
}

// firstRows is how many rows of the first file the client tries the query on.
const firstRows = 100

// try runs the query over the first rows of a table, which finds wrong options of functions.
func (p *Plan) try(ctx context.Context, conn *sql.Conn, from string) error {
	good := ""
	if p.Check != "" {
		good = " WHERE (" + p.Check + ")::VARCHAR IS NULL"
	}
	err := execute(ctx, conn, fmt.Sprintf("CREATE OR REPLACE TEMP VIEW input AS FROM (FROM %s LIMIT %d)%s", from, firstRows, good))
	if err != nil {
		return fmt.Errorf("-check: %w", err)
	}
	if err := p.run(ctx, conn); err != nil {
		return fmt.Errorf("-sql: %w", err)
	}
	if p.Final != "" {
		if err := execute(ctx, conn, "CREATE OR REPLACE TEMP VIEW result AS SELECT * EXCLUDE (ccbf_hash) FROM ccbf_part LIMIT 0"); err != nil {
			return err
		}
		if _, err := describe(ctx, conn, p.Final); err != nil {
			return fmt.Errorf("-final: %w", err)
		}
	}
	return execute(ctx, conn, "DROP VIEW IF EXISTS result", "DROP TABLE ccbf_part")
}

// run plans, runs and publishes.
func (o *Options) run(ctx context.Context, w io.Writer, query func(context.Context, *sql.Conn, []Column) error) (*Summary, error) {
	if *jobopts.Async {
		return nil, errors.New("-async: the command gives the files their names when the run has ended, so it must wait")
	}
	begin := time.Now()
	var err error
	if o.Out, err = absolute(o.Out); err != nil {
		return nil, err
	}
	if _, err := o.earlier(ctx); err != nil {
		return nil, err
	}
	in, err := files(ctx, o.In)
	if err != nil {
		return nil, err
	}
	run := strings.ToLower(rand.Text()[:12])
	folder := o.Out + runMark + run + "/"
	for _, glob := range o.In {
		glob, err := absolute(glob)
		if err != nil {
			return nil, err
		}
		for _, name := range []string{folder + "00000-of-00001.parquet", o.Out + manifestSuffix} {
			if hit, _ := path.Match(glob, name); hit && !strings.HasSuffix(glob, manifestSuffix) {
				return nil, fmt.Errorf("-out %s: what is written there matches -in %s and would count twice; write to another folder", o.Out, glob)
			}
		}
	}
	p, err := o.plan(ctx, in, query)
	if err != nil {
		return nil, err
	}
	p.Folder = folder
	if o.Explain {
		o.explain(w, p, in)
		return newSummary(), nil
	}
	s, err := o.execute(ctx, w, p, in, run)
	if err != nil {
		fs, failed := filesystem.New(ctx, folder)
		if failed == nil {
			defer closing(fs)
			failed = remove(ctx, fs, folder, nil)
		}
		return nil, errors.Join(err, failed)
	}
	s.report(w, o.Out+manifestSuffix, time.Since(begin))
	return s, nil
}

// execute runs the pipeline and publishes what it wrote.
func (o *Options) execute(ctx context.Context, w io.Writer, p *Plan, in []string, run string) (*Summary, error) {
	pieces, err := p.pieces(ctx, in)
	if err != nil {
		return nil, err
	}
	pipe, s := beam.NewPipelineWithRoot()
	parts, reads := beam.ParDo2(s.Scope("Query"), &readFn{*p}, beam.Reshuffle(s, beam.CreateList(s, pieces)))
	if p.Fanout > 1 {
		parts = beam.ParDo(s.Scope("Merge"), &mergeFn{*p}, beam.GroupByKey(s, parts))
	}
	written := beam.ParDo(s.Scope("Write"), &writeFn{*p}, beam.GroupByKey(s, parts))
	beam.ParDo0(s.Scope("Summary"), &summaryFn{p.Folder}, beam.Impulse(s), beam.SideInput{Input: written}, beam.SideInput{Input: reads})
	done := make(chan struct{})
	go progress(w, done)
	result, err := beamx.RunWithMetrics(ctx, pipe)
	close(done)
	if err == nil {
		err = notCancelled(ctx, result)
	}
	if err != nil {
		return nil, cause(err)
	}
	return o.publish(ctx, p, run)
}

// explain writes what a run would do.
func (o *Options) explain(w io.Writer, p *Plan, in []string) {
	fmt.Fprintf(w, "-- for each of %d files, such as %s\n%s;\n", len(in), in[0], p.SQL)
	if p.Check != "" {
		fmt.Fprintf(w, "-- rows are bad, with this as the reason, where it is not NULL\nSELECT %s FROM input;\n", p.Check)
	}
	fmt.Fprintln(w, "-- and of the results")
	fmt.Fprintf(w, "%s;\n", p.union("result"))
	if p.Final != "" {
		fmt.Fprintf(w, "-- and of that, for each file\n%s;\n", p.Final)
	}
}

// failed is what the runner puts in front: the job, and the worker's plan.
var failed = regexp.MustCompile(`(job \S+|\]) failed:\n`)

// cause is what a worker said of its failure, where that is what ended the run:
// the runner puts its plan in front, and logs both.
func cause(err error) error {
	text := err.Error()
	if at := failed.FindAllStringIndex(text, -1); at != nil {
		return errors.New(text[at[len(at)-1][1]:])
	}
	return err
}
