package pipeline

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/stretchr/testify/require"
)

// A second run with the same name is an error, or replaces the first one, also with other keys and
// another number of files.
func TestASecondRun(t *testing.T) {
	dir := t.TempDir()
	in, out := dir+"/p.parquet", dir+"/out/v"
	points(t, in, 31, 2000)
	must(build(options(in, out)))
	points(t, in, 32, 1000)
	_, err := build(options(in, out))
	require.ErrorContains(t, err, "-overwrite")
	o := bySQL(in, out, "SELECT kind, ccbf_agg(lon, lat, 0.01) AS s FROM input GROUP BY ALL")
	o.Files, o.Overwrite = 1, true
	must(build(o))
	same(t, out, "SELECT kind, ccbf_agg(lon, lat, 0.01) FROM '"+in+"' GROUP BY ALL")
	require.Len(t, files(dir+"/out/*/*"), 1)
	// A run without input leaves nothing behind.
	points(t, in, 33, 0)
	must(build(o))
	require.Empty(t, files(dir+"/out/*/*"))
}

// If two runs have the same -out at once, the slower one fails, and the files of the faster one
// stay.
func TestTwoRunsAtOnce(t *testing.T) {
	dir := t.TempDir()
	points(t, dir+"/p.parquet", 34, 2000)
	errs := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := build(options(dir+"/p.parquet", dir+"/v"))
			errs <- err
		}()
	}
	first, second := <-errs, <-errs
	require.NotEqual(t, first == nil, second == nil, "%v and %v, want one error", first, second)
	require.ErrorContains(t, errors.Join(first, second), "v"+manifestSuffix)
	same(t, dir+"/v", strings.Replace(direct, "%s", dir+"/p.parquet", 1))
	require.Len(t, files(dir+"/v.run-*"), 1)
}

// If a manifest cannot be renamed, the run fails and leaves nothing behind.
func TestARenameThatFails(t *testing.T) {
	dir := t.TempDir()
	points(t, dir+"/p.parquet", 35, 200)
	_, err := build(bySQL(dir+"/p.parquet", "stuck://"+dir+"/out/v", "SELECT count(*) AS n FROM input"))
	require.ErrorContains(t, err, "read only now")
	require.Empty(t, files(dir+"/out/*/*"))
}

// A file with several names is read once. Names are relative to the client's folder.
func TestNamesOfFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	points(t, dir+"/one.csv", 36, 500)
	require.NoError(t, os.Symlink("one.csv", "two.csv"))
	o := bySQL("one.csv", "out/v", "SELECT count(*) AS n FROM input")
	o.In = append(o.In, "./one.csv", "../"+filepath.Base(dir)+"/one.csv", "two.csv", "*.csv")
	require.EqualValues(t, 500, must(build(o)).Rows)
	m := must(readSummary(context.Background(), dir+"/out/v"+manifestSuffix))
	require.Len(t, m.Files, 1)
	require.Contains(t, m.Files[0], dir+"/out/v.run-")
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
	// The input: manifests, globs, and its own output.
	o := NewOptions()
	o.Threads, o.Overwrite = 2, true
	for i, in := range [][]string{days, {dir + "/out/*.manifest.json"}, {dir + "/out/*/*.parquet"}, {dir + "/compact/0" + manifestSuffix}} {
		o.In, o.Out = in, fmt.Sprintf("%s/compact/%d", dir, i)
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
	// The runs of two queries have different columns, whichever is first.
	for _, in := range [][]string{{"out", "counted"}, {"counted", "out"}} {
		o.In, o.Out = []string{dir + "/" + in[0] + "/a*.json", dir + "/" + in[1] + "/b*.json"}, dir+"/both"
		_, err := compact(o)
		require.ErrorContains(t, err, "kind, n, s")
		require.ErrorContains(t, err, "month, quadkey, sketch, total, xmax, xmin, ymax, ymin")
		require.ErrorContains(t, err, "compact the runs of one query at a time")
	}
	o.In, o.Out = []string{dir + "/out/*/*.parquet"}, dir+"/out/v"
	_, err := compact(o)
	require.ErrorContains(t, err, "would count twice: write to another folder", "into its own input")
	o.In, o.Out = []string{dir + "/a.parquet"}, dir+"/none"
	_, err = compact(o)
	require.ErrorContains(t, err, "no column of sketches")
}

// A run that does not wait for its end could not write a manifest.
func TestAsync(t *testing.T) {
	*jobopts.Async = true
	defer func() { *jobopts.Async = false }()
	in := t.TempDir() + "/p.parquet"
	points(t, in, 37, 10)
	fails(t, options(in, t.TempDir()+"/v"), "-async: ")
}

// An output that cannot be written, and a runner that does not exist or answer, are errors before the
// run.
func TestBeforeTheRun(t *testing.T) {
	defer func() { *runners.Runner = "" }()
	in := t.TempDir() + "/p.parquet"
	points(t, in, 39, 10)
	fillWith(t, in+".file", "")
	var said strings.Builder
	_, err := Build(context.Background(), options(in, in+".file/v"), &said)
	require.ErrorContains(t, err, "-out "+in+".file/v cannot be written: ")
	require.Empty(t, said.String(), "the run began")
	for _, name := range []string{"flinkk", "flink"} {
		*runners.Runner = name
		defer func(before string) { *jobopts.Endpoint = before }(*jobopts.Endpoint)
		*jobopts.Endpoint = ""
		fails(t, options(in, t.TempDir()+"/v"), map[string]string{
			"flinkk": "-runner=flinkk: no such runner: give prism, spark, flink",
			"flink":  "-runner=flink: -endpoint is missing",
		}[name])
	}
	*jobopts.Endpoint = "localhost:" + freePort()
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // do not wait
	require.ErrorContains(t, reach(ctx, io.Discard), "-endpoint="+*jobopts.Endpoint+": no runner answers")
}

// Each step can be repeated, at the same time or later. The summary says which attempt counts, and
// files of a lost worker are removed.
func TestAttempts(t *testing.T) {
	dir := t.TempDir()
	points(t, dir+"/p.parquet", 38, 2000)
	ctx := context.Background()
	o := bySQL(dir+"/p.parquet", dir+"/v", "SELECT kind, ccbf_agg(lon, lat, 0.01) AS s FROM input GROUP BY ALL")
	p := &Plan{Options: *o, Folder: dir + "/v.run-x/"}
	require.NoError(t, p.fill(ctx, o.In, func(context.Context, *sql.Conn, []string) error { return nil }))
	parts := map[int64][][]byte{}
	var steps, lost [][]byte
	read := &readFn{*p}
	require.NoError(t, read.ProcessElement(ctx, Piece{File: o.In[0]}, func(shard int64, part []byte) { parts[shard] = append(parts[shard], part) },
		func(b []byte) { steps = append(steps, b) }))
	require.NoError(t, read.ProcessElement(ctx, Piece{File: o.In[0]}, func(int64, []byte) {}, func(b []byte) { lost = append(lost, b) }))
	require.Equal(t, steps, lost)
	for shard, list := range parts {
		for _, summaries := range []*[][]byte{&lost, &steps} { // the second attempt counts
			require.NoError(t, (&writeFn{*p}).ProcessElement(ctx, shard, iterate(list), func(b []byte) { *summaries = append(*summaries, b) }))
		}
	}
	for range 2 {
		require.NoError(t, (&summaryFn{*p}).ProcessElement(ctx, nil, iterate(steps)))
	}
	fillWith(t, p.Folder+summaryPrefix+"0", `{"rows": 20`) // the file of a killed worker
	must(p.publish(ctx))
	same(t, o.Out, "SELECT kind, ccbf_agg(lon, lat, 0.01) FROM '"+o.In[0]+"' GROUP BY ALL")
	require.Len(t, files(p.Folder+"*"), len(parts))
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
