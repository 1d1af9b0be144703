package pipeline

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A full disk fails the run with the name of the file. Nothing of this run remains, and all of
// another.
func TestAFullDisk(t *testing.T) {
	dir := t.TempDir()
	points(t, dir+"/p.parquet", 20, 5000)
	other := dir + "/out/v.run-other/00000-of-00003.parquet.X"
	fillWith(t, other, "")
	_, err := build(options(dir+"/p.parquet", "small://"+dir+"/out/v"))
	require.ErrorContains(t, err, "no space left")
	require.ErrorContains(t, err, "-of-00003.parquet")
	require.Equal(t, []string{other}, files(dir+"/out/*/*"))
}

// A truncated file fails the run with its name.
func TestFilesThatWereCutShort(t *testing.T) {
	dir := t.TempDir()
	cut := func(name string) string {
		b := must(os.ReadFile(name))
		return string(b[:len(b)/10*7])
	}
	whole := dir + "/whole.parquet"
	points(t, whole, 21, 5000)
	b := must(os.ReadFile(whole))
	run(t, "COPY (SELECT * EXCLUDE (lat) FROM '%s') TO '%s/zkeyless.parquet'", whole, dir)
	points(t, dir+"/most.csv.gz", 21, 5000)
	points(t, dir+"/most.csv.zst", 21, 5000)
	points(t, dir+"/most.json.zst", 21, 5000)
	for name, content := range map[string]string{
		"half.parquet":  string(b[:len(b)/2]),
		"most.csv.gz":   cut(dir + "/most.csv.gz"),
		"most.csv.zst":  cut(dir + "/most.csv.zst"),
		"most.json.zst": cut(dir + "/most.json.zst"),
		"empty.parquet": "",
		"half.csv.gz":   "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xca",
		"half.json":     `{"lon": 1, "lat": 2, "seen": "20`,
	} {
		fillWith(t, dir+"/"+name, content)
		o := options(whole, t.TempDir()+"/v")
		o.In = append(o.In, dir+"/"+name)
		fails(t, o, name)
	}
	o := options(whole, t.TempDir()+"/v")
	o.In = append(o.In, dir+"/zkeyless.parquet")
	fails(t, o, "zkeyless.parquet", `no column "lat", which the first file has`)
}

// A killed run leaves nothing that counts, and does not disturb the next run.
func TestAWorkerThatDies(t *testing.T) {
	dir := t.TempDir()
	points(t, dir+"/p.parquet", 22, 4000)
	cmd := command("-in="+dir+"/p.parquet", "-out=dying://"+dir+"/out/v", "-zoom=6", "-time=seen", "-bucket=month", "-res=0.01")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "%s", out)
	require.Equal(t, syscall.SIGKILL, exit.Sys().(syscall.WaitStatus).Signal(), "%s", out)
	require.NotEmpty(t, files(dir+"/out/v.run-*/*.parquet.*"), "the child died before it wrote anything")
	require.Empty(t, files(dir+"/out/*/*.parquet"), "files that count")
	o := options(dir+"/p.parquet", dir+"/out/v")
	must(build(o))
	same(t, o.Out, strings.Replace(direct, "%s", dir+"/p.parquet", 1))
}

// A cancelled run is not a successful one. A stopped worker may leave the run's folder behind: only
// a manifest makes files count.
func TestACancelledRun(t *testing.T) {
	dir := t.TempDir()
	points(t, dir+"/p.parquet", 23, 1000)
	_, err := build(options(dir+"/p.parquet", "cancelling://"+dir+"/out/v"))
	require.ErrorContains(t, err, "was cancelled")
	require.Empty(t, files(dir+"/out/*.manifest.json"))
}
