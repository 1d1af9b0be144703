package pipeline

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
)

// A second run with the same name is an error, or replaces the first one, also with other keys and
// another number of files.
func TestASecondRun(t *testing.T) {
	dir := t.TempDir()
	in, out := dir+"/p.parquet", dir+"/out/v"
	points(t, in, 31, 2000)
	must(build(options(in, out)))
	points(t, in, 32, 1000)
	o := options(in, out)
	if _, err := build(o); err == nil || !strings.Contains(err.Error(), "-overwrite") {
		t.Errorf("a second run: %v", err)
	}
	o = bySQL(in, out, "SELECT kind, ccbf_agg(lon, lat, 0.01) AS s FROM input GROUP BY ALL")
	o.Files, o.Overwrite = 1, true
	must(build(o))
	same(t, out, "SELECT kind, ccbf_agg(lon, lat, 0.01) FROM '"+in+"' GROUP BY ALL")
	if got := must(filepath.Glob(dir + "/out/*/*")); len(got) != 1 {
		t.Errorf("files %v, want one", got)
	}
	// A run without input leaves nothing behind.
	points(t, in, 33, 0)
	must(build(o))
	if got := must(filepath.Glob(dir + "/out/*/*")); len(got) != 0 {
		t.Errorf("files %v after a run without rows", got)
	}
}

// If two runs have the same -out at once, the slower one fails, and the files of the faster one
// stay.
func TestTwoRunsAtOnce(t *testing.T) {
	dir := t.TempDir()
	points(t, dir+"/p.parquet", 34, 2000)
	o := options(dir+"/p.parquet", dir+"/v")
	errs := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := build(options(dir+"/p.parquet", dir+"/v"))
			errs <- err
		}()
	}
	first, second := <-errs, <-errs
	if (first == nil) == (second == nil) {
		t.Fatalf("the two runs ended with %v and %v, want one error", first, second)
	}
	if err := errors.Join(first, second); !strings.Contains(err.Error(), "v"+manifestSuffix) {
		t.Errorf("the slower run: %v", err)
	}
	same(t, o.Out, strings.Replace(direct, "%s", dir+"/p.parquet", 1))
	if got := must(filepath.Glob(dir + "/v.run-*")); len(got) != 1 {
		t.Errorf("folders %v, want one", got)
	}
}

// If a manifest cannot be renamed, the run fails and leaves nothing behind.
func TestARenameThatFails(t *testing.T) {
	dir := t.TempDir()
	points(t, dir+"/p.parquet", 35, 200)
	if _, err := build(bySQL(dir+"/p.parquet", "stuck://"+dir+"/out/v", "SELECT count(*) AS n FROM input")); err == nil || !strings.Contains(err.Error(), "read only now") {
		t.Errorf("got %v", err)
	}
	if left := must(filepath.Glob(dir + "/out/*/*")); len(left) > 0 {
		t.Errorf("files %v are left", left)
	}
}

// A file with several names is read once. Names are relative to the client's folder.
func TestNamesOfFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	points(t, dir+"/one.csv", 36, 500)
	if err := os.Symlink("one.csv", "two.csv"); err != nil {
		t.Fatal(err)
	}
	o := bySQL("one.csv", "out/v", "SELECT count(*) AS n FROM input")
	o.In = append(o.In, "./one.csv", "../"+filepath.Base(dir)+"/one.csv", "two.csv", "*.csv")
	if s := must(build(o)); s.Rows != 500 {
		t.Errorf("%d rows, want 500", s.Rows)
	}
	m := must(readSummary(context.Background(), dir+"/out/v"+manifestSuffix))
	if len(m.Files) != 1 || !strings.HasPrefix(m.Files[0], dir+"/out/v.run-") {
		t.Errorf("the manifest names %v", m.Files)
	}
}

// A second day is a second run. Compaction unites the sketches of each key to the sketch of all
// points.
func TestIncrementalAndCompact(t *testing.T) {
	dir := t.TempDir()
	var days []string
	for i, day := range []string{"a", "b", "c"} {
		points(t, dir+"/"+day+".parquet", 40+i, 3000)
		o := options(dir+"/"+day+".parquet", dir+"/out/"+day)
		must(build(o))
		days = append(days, o.Out+manifestSuffix)
	}
	o := NewOptions()
	o.In, o.Out, o.Threads = days, dir+"/compact/v", 2
	must(compact(o))
	same(t, o.Out, strings.Replace(direct, "%s", dir+"/?.parquet", 1))
	// With a glob as input, and with its own output.
	for _, in := range []string{dir + "/out/*.manifest.json", dir + "/out/*/*.parquet", o.Out + manifestSuffix} {
		o := NewOptions()
		o.In, o.Out, o.Threads = []string{in}, dir+"/again/v", 2
		o.Overwrite = true
		must(compact(o))
		same(t, o.Out, strings.Replace(direct, "%s", dir+"/?.parquet", 1))
	}
	// A number beside a sketch is part of the key, or is added up.
	q := "SELECT kind, ccbf_agg(lon, lat, 0.01) AS s, count(*) AS n FROM %s GROUP BY ALL"
	for _, day := range []string{"a", "b"} {
		must(build(bySQL(dir+"/"+day+".parquet", dir+"/counted/"+day, fmt.Sprintf(q, "input"))))
	}
	n := NewOptions()
	n.In, n.Out, n.Combine["n"] = []string{dir + "/counted/*.json"}, dir+"/sum/v", "sum"
	must(compact(n))
	same(t, n.Out, fmt.Sprintf(q, "'"+dir+"/[ab].parquet'"))
	o.In, o.Out = []string{dir + "/out/*/*.parquet"}, dir+"/out/v"
	if _, err := compact(o); err == nil || !strings.Contains(err.Error(), "would count twice: write to another folder") {
		t.Errorf("compaction into its own input: %v", err)
	}
	o.In, o.Out = []string{dir + "/a.parquet"}, dir+"/none"
	if _, err := compact(o); err == nil || !strings.Contains(err.Error(), "no column of sketches") {
		t.Errorf("compaction of points: %v", err)
	}
}

// A run that does not wait for its end could not write a manifest.
func TestAsync(t *testing.T) {
	*jobopts.Async = true
	defer func() { *jobopts.Async = false }()
	in := t.TempDir() + "/p.parquet"
	points(t, in, 37, 10)
	fails(t, options(in, t.TempDir()+"/v"), "-async: ")
}

// Each step can be repeated, at the same time or later. The summary says which attempt counts, and
// files of a lost worker are removed.
func TestAttempts(t *testing.T) {
	dir := t.TempDir()
	points(t, dir+"/p.parquet", 38, 2000)
	ctx := context.Background()
	o := bySQL(dir+"/p.parquet", dir+"/v", "SELECT kind, ccbf_agg(lon, lat, 0.01) AS s FROM input GROUP BY ALL")
	p := &Plan{Options: *o, Folder: dir + "/v.run-x/"}
	if err := p.fill(ctx, o.In, func(context.Context, *sql.Conn) error { return nil }); err != nil {
		t.Fatal(err)
	}
	parts := map[int64][][]byte{}
	var steps [][]byte
	for attempt := range 2 {
		err := (&readFn{*p}).ProcessElement(ctx, Piece{File: o.In[0]}, func(shard int64, part []byte) {
			if attempt == 0 {
				parts[shard] = append(parts[shard], part)
			}
		}, func(b []byte) {
			if attempt == 0 {
				steps = append(steps, b)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for shard, list := range parts {
		for attempt := range 2 {
			err := (&writeFn{*p}).ProcessElement(ctx, shard, iterate(list), func(b []byte) {
				if attempt == 1 {
					steps = append(steps, b)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 2 {
		if err := (&summaryFn{*p}).ProcessElement(ctx, nil, iterate(steps)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(p.Folder+summaryPrefix+"0", []byte(`{"rows": 20`), 0o644); err != nil { // file of a killed worker
		t.Fatal(err)
	}
	must(p.publish(ctx))
	same(t, o.Out, "SELECT kind, ccbf_agg(lon, lat, 0.01) FROM '"+o.In[0]+"' GROUP BY ALL")
	if got := entries(t, p.Folder); len(got) != len(parts) {
		t.Errorf("files %v, want %d", got, len(parts))
	}
}

func iterate[T any](list []T) func(*T) bool {
	i := 0
	return func(v *T) bool {
		if i == len(list) {
			return false
		}
		*v = list[i]
		i++
		return true
	}
}
