package pipeline

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Column is a column of a query. Combine is the aggregate that unites the column's values of the
// same key. "": the column is part of the key.
type Column struct{ Name, Type, Combine string }

// Plan has all that a worker needs to know about a run.
type Plan struct {
	Options
	Input, Columns []Column
	Folder         string // folder of the result files, which only this run uses
	Program        string // SHA-256 of the workers' program; "": this program
}

// fill completes the plan from the columns of the first file. write sets the query.
func (p *Plan) fill(ctx context.Context, files []string, write func(context.Context, *sql.Conn, []string) error) error {
	return named(files[0], withEngine(ctx, p, func(conn *sql.Conn, dir string) error {
		file, err := fetch(ctx, files[0], dir)
		if err != nil {
			return err
		}
		first := step{Plan: p, Path: file, To: filepath.Join(dir, "tried.parquet")}
		if p.Input, err = describe(ctx, conn, "FROM "+first.statement("table")); err != nil {
			return err
		}
		if err := checkNames("the file", p.Input); err != nil {
			return err
		}
		if err := first.do(ctx, conn, "input"); err != nil {
			return err
		}
		given := p.SQL
		if err := write(ctx, conn, files); err != nil {
			return err
		}
		of := func(flag string, err error) error { // a query that is written from other flags is not named
			if p.SQL != given || strings.HasPrefix(err.Error(), "-") {
				return err
			}
			return named(flag, err)
		}
		if p.Columns, err = analyze(ctx, conn, p.SQL, p.Combine); err != nil {
			return of("-sql", err)
		}
		if err := checkNames("the query", p.Columns); err != nil {
			return of("-sql", err)
		}
		for _, c := range p.Columns {
			if lossy.MatchString(c.Type) {
				return of("-sql", fmt.Errorf("column %q is %s, which Parquet does not keep: cast it to VARCHAR", c.Name, c.Type))
			}
		}
		// The query runs over the first rows now, so that wrong options of SQL functions are errors
		// before the pipeline starts.
		if err := first.do(ctx, conn, "first rows"); err != nil {
			return of("-check", err)
		}
		if err := first.do(ctx, conn, "part"); err != nil {
			return of("-sql", err)
		}
		first.Path, first.Query = "ccbf_part", p.final()
		if err := first.do(ctx, conn, "unite"); err != nil {
			return fmt.Errorf("-final: %w", err)
		}
		return nil
	}))
}

// lossy matches the types of which Parquet does not keep all values, also within other types.
var lossy = regexp.MustCompile(`(^|[ (])(U?HUGEINT|BIT|UNION|TIME_NS|BIGNUM|VARIANT|INTERVAL|TIME WITH TIME ZONE)([ ,()[]|$)`)

// checkNames returns an error for a column with the name of one that the pipeline adds.
func checkNames(what string, columns []Column) error {
	for _, c := range columns {
		if slices.Contains([]string{"file_row_number", "ccbf_row", "ccbf_reason", "ccbf_hash", "ccbf_shard", "ccbf_slice"}, strings.ToLower(c.Name)) {
			return fmt.Errorf("%s has a column %q, a name that the pipeline needs: give it another one", what, c.Name)
		}
	}
	return nil
}

// sameColumns returns an error if a local file has other columns than the first, as the files of
// another query. Other files are read on the workers.
func (p *Plan) sameColumns(ctx context.Context, conn *sql.Conn, files []string) error {
	for _, name := range files {
		if !isLocal(name) {
			continue
		}
		columns, err := describe(ctx, conn, "FROM "+step{Plan: p, Path: name}.statement("table"))
		if err != nil {
			return named(name, err)
		}
		if namesOf(columns) != namesOf(p.Input) {
			return fmt.Errorf("compact: the columns are %s, and those of %s are %s: compact the runs of one query at a time", namesOf(p.Input), name, namesOf(columns))
		}
	}
	return nil
}

// has reports whether a column has this name.
func has(columns []Column, name string) bool {
	return slices.ContainsFunc(columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
}

// namesOf returns the names of columns, sorted.
func namesOf(columns []Column) string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// final returns the query over the view result whose rows are written to each file.
func (p *Plan) final() string { return cmp.Or(p.Final, "FROM result") }

// unionQuery sets the query that unites the rows of input. BLOBs that are sketches are united by
// their family's aggregate. All other columns are the key, except columns that -combine names or
// -final computes.
func (p *Plan) unionQuery(ctx context.Context, conn *sql.Conn, files []string) error {
	if err := p.sameColumns(ctx, conn, files); err != nil {
		return err
	}
	found, err := query[struct{ Families []string }](ctx, conn, step{Plan: p}.statement("families"))
	if err != nil {
		return err
	}
	by, sketches := maps.Clone(p.Combine), false
	for i, family := range found[0].Families {
		if family != "" {
			by[p.Input[i].Name], sketches = family+"_union_agg", true
		}
	}
	if !sketches {
		return errors.New("compact: the first file has no column of sketches: give files that a run wrote")
	}
	if by["sketch"] == "ccbf_union_agg" {
		p.Final = cmp.Or(p.Final, finalOfCCBF)
	}
	p.Combine = by
	p.SQL = step{Plan: p}.statement("compact")
	return nil
}

// Anew reports whether the default of -final computes a column from a sketch.
func (p *Plan) Anew(column string) bool {
	return p.Final == finalOfCCBF && slices.Contains(columnsOfCCBF, column)
}

// isLocal reports whether a file is in the machine's own file system.
func isLocal(name string) bool { return !strings.Contains(name, "://") }

// absolute returns a local name as an absolute path, and other names unchanged.
func absolute(name string) (string, error) {
	if !isLocal(name) {
		return name, nil
	}
	return filepath.Abs(name)
}

// files returns the files that the globs and manifests of -in name, each once.
func (p *Plan) files(ctx context.Context) ([]string, error) {
	var out []string
	for _, glob := range p.In {
		glob, err := absolute(glob)
		if err != nil {
			return nil, err
		}
		found, err := matches(ctx, glob)
		if err != nil {
			return nil, fmt.Errorf("-in %s: %w", glob, err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("-in: no file matches %q", glob)
		}
		for _, name := range []string{p.Folder + "00000-of-00001.parquet", p.Out + manifestSuffix} {
			if hit, _ := path.Match(glob, name); hit && !strings.HasSuffix(glob, manifestSuffix) {
				return nil, fmt.Errorf("-out %s: the files written there would match -in %s, so that rows would count twice: write to another folder", p.Out, glob)
			}
		}
		for _, name := range found {
			if !strings.HasSuffix(name, manifestSuffix) {
				out = append(out, name)
				continue
			}
			m, err := readSummary(ctx, name)
			if err != nil {
				return nil, err
			}
			out = append(out, m.Files...)
		}
	}
	for i, name := range out {
		if isLocal(name) { // two names of one file are one file
			resolved, err := filepath.EvalSymlinks(name)
			if err != nil {
				return nil, fmt.Errorf("-in: %w", err)
			}
			out[i] = resolved
		}
		if formatOf(name) == "" {
			return nil, fmt.Errorf("%s: the suffix is neither .parquet, .csv, .tsv, .json, .jsonl nor .ndjson, or one of these with .gz or .zst", name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// formatOf returns DuckDB's function that reads a file, by its extension, or "".
func formatOf(name string) string {
	switch path.Ext(strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")) {
	case ".parquet":
		return "read_parquet"
	case ".csv", ".tsv":
		return "read_csv"
	case ".json", ".jsonl", ".ndjson":
		return "read_json"
	}
	return ""
}

// matches returns the files that match a glob, in the file system of its scheme.
func matches(ctx context.Context, glob string) ([]string, error) {
	fs, err := filesystem.New(ctx, glob)
	if err != nil {
		return nil, err
	}
	defer closing(fs)
	return fs.List(ctx, glob)
}

// closing closes a file that was only read, and ignores the error.
func closing(c io.Closer) { _ = c.Close() }

// checkWhole returns an error for a compressed file that ends too early. DuckDB takes some of them for whole.
func checkWhole(name string) error {
	ending := path.Ext(name)
	if ending != ".gz" && ending != ".zst" {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer closing(f)
	if ending == ".gz" {
		r, err := gzip.NewReader(f)
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		return err
	}
	r, err := zstd.NewReader(f)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(io.Discard, r)
	return err
}

// fetch returns a file that DuckDB can read: itself, or a copy in dir.
func fetch(ctx context.Context, name, dir string) (string, error) {
	if isLocal(name) {
		return name, nil
	}
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return "", err
	}
	defer closing(fs)
	in, err := fs.OpenRead(ctx, name)
	if err != nil {
		return "", err
	}
	defer closing(in)
	out, err := os.Create(filepath.Join(dir, path.Base(name)))
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(out, in); err != nil {
		closing(out)
		return "", err
	}
	return out.Name(), out.Close()
}
