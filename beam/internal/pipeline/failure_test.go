package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"github.com/ccbfsql/ccbfsql/beam/internal/worker"
)

func init() {
	filesystem.Register("small", func(ctx context.Context) filesystem.Interface {
		return smallDisk{local.New(ctx)}
	})
	filesystem.Register("cancelling", func(ctx context.Context) filesystem.Interface { return cancellingDisk{local.New(ctx)} })
}

// smallDisk is the local file system with room for 1,000 bytes per file. Its
// names begin with small://.
type smallDisk struct{ filesystem.Interface }

func under(name string) string { return strings.TrimPrefix(name, "small://") }

func (d smallDisk) List(ctx context.Context, glob string) ([]string, error) {
	names, err := d.Interface.List(ctx, under(glob))
	for i := range names {
		names[i] = "small://" + names[i]
	}
	return names, err
}

func (d smallDisk) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	f, err := d.Interface.OpenWrite(ctx, under(name))
	return &fullAfter{f, 1000}, err
}

func (d smallDisk) Remove(ctx context.Context, name string) error {
	return d.Interface.(filesystem.Remover).Remove(ctx, under(name))
}

type fullAfter struct {
	io.WriteCloser
	room int
}

func (f *fullAfter) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, syscall.ENOSPC
	}
	return f.WriteCloser.Write(b)
}

// A full disk fails the run with the name of the file, and leaves nothing.
func TestAFullDisk(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "p.parquet")
	writeVisits(t, in, someVisits(5, 5000))
	out := filepath.Join(dir, "out")
	// A file of a worker that never came back, which the failed run sweeps up.
	if err := os.Mkdir(out, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "v-00000-of-00003.parquet"+tempMark+"X"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := build(options(in, "small://"+filepath.Join(out, "v")))
	if err == nil || !strings.Contains(err.Error(), "no space left") || !strings.Contains(err.Error(), "/out/v-0000") {
		t.Errorf("got %v, want an error that names the file and the disk", err)
	}
	if got := files(t, out); len(got) != 0 {
		t.Errorf("files %v were left", got)
	}
}

// A file that was cut short fails the run with its name, or, where a row was cut
// and no one can tell why, goes aside.
func TestFilesThatWereCutShort(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.parquet")
	writeVisits(t, whole, someVisits(6, 5000))
	b := must(os.ReadFile(whole))
	for name, content := range map[string]string{
		"half.parquet":  string(b[:len(b)/2]),
		"empty.parquet": "",
		"empty.csv":     "",
		"quote.csv":     "lon,lat,at\n1,2,2018-10-01\n1,2,\"2018-10",
		"half.csv.gz":   "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xca",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out")
		o := options(filepath.Join(dir, name), filepath.Join(out, "v"))
		o.In = append(o.In, whole)
		if _, err := build(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want an error with its name", name, err)
		}
		if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) && len(files(t, out)) != 0 {
			t.Errorf("%s: files %v were left", name, files(t, out))
		}
	}
	row := filepath.Join(dir, "row.csv")
	if err := os.WriteFile(row, []byte("lon,lat,at\n1,2,2018-10-01\n1,2"), 0o644); err != nil {
		t.Fatal(err)
	}
	report, err := build(options(row, filepath.Join(t.TempDir(), "v")))
	if err != nil || report["points read"] != 1 || report["rows skipped"] != 1 {
		t.Errorf("a cut row: %v, %v", report, err)
	}
}

// A run that is finished twice, or again after it was interrupted, has each file
// once.
func TestFinishingAgain(t *testing.T) {
	dir := t.TempDir()
	o := options("", filepath.Join(dir, "v"))
	ctx := context.Background()
	visits := someVisits(7, 3000)
	var rows []Row
	for k, blob := range wanted(o.Sketch, visits) {
		tile, month, _ := strings.Cut(k, " ")
		rows = append(rows, Row{appendText(appendText(nil, tile), month), blob})
	}
	w := &writeFn{*o, o.columns()}
	var written []File
	// Each shard is written twice, as by a worker that was too slow and by the
	// one in its place.
	for shard := range o.Files {
		for range 2 {
			i := 0
			next := func(r *Row) bool {
				for ; i < len(rows); i++ {
					if shardOf(rows[i].Key, o.Files) == int64(shard) {
						*r = rows[i]
						i++
						return true
					}
				}
				return false
			}
			if err := w.ProcessElement(ctx, int64(shard), next, func(f File) { written = append(written, f) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	committed := []File{written[0], written[3], written[4]}
	finishing := func() error {
		i := 0
		return (&finishFn{*o}).ProcessElement(ctx, nil, func(f *File) bool {
			if i == len(committed) {
				return false
			}
			*f = committed[i]
			i++
			return true
		})
	}
	// The first attempt is interrupted after one file.
	if err := os.Rename(committed[1].Temp, committed[1].Name); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := finishing(); err != nil {
			t.Fatal(err)
		}
	}
	same(t, stored(t, filepath.Join(dir, "*.parquet")), wanted(o.Sketch, visits))
	if err := os.Remove(committed[2].Name); err != nil {
		t.Fatal(err)
	}
	if err := finishing(); err == nil || !strings.Contains(err.Error(), committed[2].Name) {
		t.Errorf("a file that is nowhere: %v", err)
	}
}

// dyingEnv asks this program to be a run that is killed when it has written its
// first file; it names the folder.
const dyingEnv = "CCBF_TEST_DIE_IN"

type dyingDisk struct{ filesystem.Interface }

func (d dyingDisk) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	f, err := d.Interface.OpenWrite(ctx, strings.TrimPrefix(name, "dying://"))
	return &dying{f}, err
}

func (d dyingDisk) List(ctx context.Context, glob string) ([]string, error) {
	return d.Interface.List(ctx, strings.TrimPrefix(glob, "dying://"))
}

type dying struct{ io.WriteCloser }

// Close ends the process as a lost machine does: without a word.
func (f *dying) Close() error {
	_ = f.WriteCloser.Close()
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

func dieInTheMiddle() bool {
	dir := os.Getenv(dyingEnv)
	if dir == "" {
		return false
	}
	beam.Init()
	filesystem.Register("dying", func(ctx context.Context) filesystem.Interface { return dyingDisk{local.New(ctx)} })
	_, err := build(options(filepath.Join(dir, "p.parquet"), "dying://"+filepath.Join(dir, "out", "v")))
	fmt.Println("still alive:", err)
	return true
}

// A run that dies leaves nothing that counts, and the next one is not in its way.
func TestAWorkerThatDies(t *testing.T) {
	dir := t.TempDir()
	visits := someVisits(9, 4000)
	writeVisits(t, filepath.Join(dir, "p.parquet"), visits)
	child := exec.Command(must(os.Executable()))
	child.Env = append(os.Environ(), dyingEnv+"="+dir)
	out, err := child.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the child ended with %v: %s", err, out)
	}
	if left := files(t, filepath.Join(dir, "out")); len(left) == 0 {
		t.Error("the child died before it wrote anything")
	}
	if done := must(filepath.Glob(filepath.Join(dir, "out", "*.parquet"))); len(done) != 0 {
		t.Errorf("files %v count", done)
	}
	o := options(filepath.Join(dir, "p.parquet"), filepath.Join(dir, "out", "v"))
	must(build(o))
	same(t, stored(t, filepath.Join(dir, "out", "*.parquet")), wanted(o.Sketch, visits))
}

// cancellingDisk is the local file system, where whoever writes a file first has the runner
// cancel what it runs, and waits until that is done.
type cancellingDisk struct{ filesystem.Interface }

func (d cancellingDisk) List(ctx context.Context, glob string) ([]string, error) {
	names, err := d.Interface.List(ctx, strings.TrimPrefix(glob, "cancelling://"))
	for i := range names {
		names[i] = "cancelling://" + names[i]
	}
	return names, err
}

func (d cancellingDisk) Remove(ctx context.Context, name string) error {
	return d.Interface.(filesystem.Remover).Remove(ctx, strings.TrimPrefix(name, "cancelling://"))
}

func (d cancellingDisk) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	conn, err := grpcx.Dial(ctx, *jobopts.Endpoint, time.Minute)
	if err != nil {
		return nil, err
	}
	service := jobpb.NewJobServiceClient(conn)
	jobs, err := service.GetJobs(ctx, &jobpb.GetJobsRequest{})
	if err != nil {
		return nil, err
	}
	for _, job := range jobs.GetJobInfo() {
		if job.GetState() != jobpb.JobState_RUNNING {
			continue
		}
		if err := worker.Cancel(ctx, *jobopts.Endpoint, job.GetJobId()+"["+job.GetJobName()+"]_go"); err != nil {
			return nil, err
		}
		states, err := service.GetStateStream(ctx, &jobpb.GetJobStateRequest{JobId: job.GetJobId()})
		for err == nil { // until it has ended
			_, err = states.Recv()
		}
	}
	return d.Interface.OpenWrite(ctx, strings.TrimPrefix(name, "cancelling://"))
}

// A run that somebody cancels is not one that ended well.
func TestACancelledRun(t *testing.T) {
	dir := t.TempDir()
	writeVisits(t, filepath.Join(dir, "p.parquet"), someVisits(14, 1000))
	out := filepath.Join(dir, "out")
	if _, err := build(options(filepath.Join(dir, "p.parquet"), "cancelling://"+filepath.Join(out, "v"))); err == nil || !strings.Contains(err.Error(), "was cancelled") {
		t.Errorf("got %v, want an error that says so", err)
	}
	if done := must(filepath.Glob(filepath.Join(out, "*.parquet"))); len(done) != 0 {
		t.Errorf("files %v count", done)
	}
}
