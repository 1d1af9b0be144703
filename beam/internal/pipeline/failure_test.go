package pipeline

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// A full disk fails the run with the name of the file. Nothing of this run remains, and all of
// another.
func TestAFullDisk(t *testing.T) {
	dir := t.TempDir()
	points(t, dir+"/p.parquet", 20, 5000)
	other := dir + "/out/v.run-other/00000-of-00003.parquet.X"
	if err := os.MkdirAll(filepath.Dir(other), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := build(options(dir+"/p.parquet", "small://"+dir+"/out/v"))
	if err == nil || !strings.Contains(err.Error(), "no space left") || !strings.Contains(err.Error(), "-of-00003.parquet") {
		t.Errorf("got %v, want an error that names the file and the disk", err)
	}
	left := must(filepath.Glob(dir + "/out/*/*"))
	if len(left) != 1 || left[0] != other {
		t.Errorf("files %v are left, want the one of another run", left)
	}
}

// A truncated file fails the run with its name.
func TestFilesThatWereCutShort(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.parquet")
	points(t, whole, 21, 5000)
	b := must(os.ReadFile(whole))
	for name, content := range map[string]string{
		"half.parquet":  string(b[:len(b)/2]),
		"empty.parquet": "",
		"half.csv.gz":   "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xca",
		"half.json":     `{"lon": 1, "lat": 2, "seen": "20`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		o := options(whole, filepath.Join(t.TempDir(), "v"))
		o.In = append(o.In, filepath.Join(dir, name))
		fails(t, o, name)
	}
}

// dyingEnv is a variable of the environment that names a folder. With it, this program is a run
// that is killed after its first file.
const dyingEnv = "CCBF_TEST_DIE_IN"

func dieInTheMiddle() bool {
	dir := os.Getenv(dyingEnv)
	if dir == "" {
		return false
	}
	beam.Init()
	_, err := build(options(filepath.Join(dir, "p.parquet"), "dying://"+filepath.Join(dir, "out", "v")))
	fmt.Println("still alive:", err)
	return true
}

// A killed run leaves nothing that counts, and does not disturb the next run.
func TestAWorkerThatDies(t *testing.T) {
	dir := t.TempDir()
	points(t, dir+"/p.parquet", 22, 4000)
	child := exec.Command(must(os.Executable()))
	child.Env = append(os.Environ(), dyingEnv+"="+dir)
	out, err := child.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the child ended with %v: %s", err, out)
	}
	if left := must(filepath.Glob(dir + "/out/v.run-*/*")); len(left) == 0 {
		t.Error("the child died before it wrote anything")
	}
	if done := must(filepath.Glob(dir + "/out/*/*.parquet")); len(done) != 0 {
		t.Errorf("files %v count", done)
	}
	o := options(filepath.Join(dir, "p.parquet"), filepath.Join(dir, "out", "v"))
	must(build(o))
	same(t, o.Out, strings.Replace(direct, "%s", dir+"/p.parquet", 1))
}

// A cancelled run is not a successful one. A stopped worker may leave the run's folder behind: only
// a manifest makes files count.
func TestACancelledRun(t *testing.T) {
	dir := t.TempDir()
	points(t, dir+"/p.parquet", 23, 1000)
	out := filepath.Join(dir, "out")
	if _, err := build(options(filepath.Join(dir, "p.parquet"), "cancelling://"+filepath.Join(out, "v"))); err == nil || !strings.Contains(err.Error(), "was cancelled") {
		t.Errorf("got %v, want an error that says so", err)
	}
	// A worker that is stopped may leave the run's folder behind: only a manifest makes files count.
	if done := must(filepath.Glob(out + "/*.manifest.json")); len(done) != 0 {
		t.Errorf("files %v count", done)
	}
}
