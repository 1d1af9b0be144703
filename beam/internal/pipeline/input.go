package pipeline

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// isLocal is whether a name is one of the machine's own file system.
func isLocal(name string) bool { return !strings.Contains(name, "://") }

// absolute is a local name as it is in every folder.
func absolute(name string) (string, error) {
	if !isLocal(name) {
		return name, nil
	}
	return filepath.Abs(name)
}

// files are those that the globs and manifests of -in name, each once.
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
				return nil, fmt.Errorf("-out %s: what is written there matches -in %s and would count twice; write to another folder", p.Out, glob)
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
			return nil, fmt.Errorf("%s: neither .parquet, .csv, .tsv, .json, .jsonl nor .ndjson, or one of these with .gz or .zst", name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// formatOf is the function of DuckDB that reads a file, by its name; empty: none.
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

// matches are the files that a glob names, in the file system of its scheme.
func matches(ctx context.Context, glob string) ([]string, error) {
	fs, err := filesystem.New(ctx, glob)
	if err != nil {
		return nil, err
	}
	defer closing(fs)
	return fs.List(ctx, glob)
}

// closing closes what was only read.
func closing(c io.Closer) { _ = c.Close() }

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

// table is a file as a table of FROM. Columns that the plan knows have its types.
func (p *Plan) table(file string) string {
	format := formatOf(file)
	args := text(file)
	if format == "read_csv" {
		args += ", header = true, store_rejects = true, rejects_scan = 'ccbf_scans', rejects_table = 'ccbf_rejects'"
		if p.CSV != "" {
			args += ", " + p.CSV
		}
		if len(p.Input) > 0 && !strings.Contains(p.CSV, "columns") { // which has the types
			args += ", types = {" + list(p.Input, func(c Column) string { return text(c.Name) + ": " + text(c.Type) }) + "}"
		}
	}
	return format + "(" + args + ")"
}
