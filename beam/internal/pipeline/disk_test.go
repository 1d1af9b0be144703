package pipeline

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"github.com/ccbfsql/ccbfsql/beam/internal/worker"
)

// disk is the local file system with faults, under names that begin with a scheme of its own.
type disk struct {
	filesystem.Interface
	scheme string
	// open opens a local file to write, and rename renames one; nil: as the local file system does.
	open   func(ctx context.Context, fs filesystem.Interface, name string) (io.WriteCloser, error)
	rename func(from, to string) error
}

func (d disk) local(name string) string { return strings.TrimPrefix(name, d.scheme) }

func (d disk) List(ctx context.Context, glob string) ([]string, error) {
	names, err := d.Interface.List(ctx, d.local(glob))
	for i := range names {
		names[i] = d.scheme + names[i]
	}
	return names, err
}

func (d disk) OpenRead(ctx context.Context, name string) (io.ReadCloser, error) {
	return d.Interface.OpenRead(ctx, d.local(name))
}

func (d disk) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	if d.open == nil {
		return d.Interface.OpenWrite(ctx, d.local(name))
	}
	return d.open(ctx, d.Interface, d.local(name))
}

func (d disk) Remove(_ context.Context, name string) error { return os.Remove(d.local(name)) }

func (d disk) Rename(_ context.Context, from, to string) error {
	if d.rename == nil {
		return os.Rename(d.local(from), d.local(to))
	}
	return d.rename(d.local(from), d.local(to))
}

func init() {
	for _, d := range []disk{
		{scheme: "small://", open: openSmall},
		{scheme: "dying://", open: openDying},
		{scheme: "cancelling://", open: openCancelling},
		{scheme: "stuck://", rename: renameNoManifest},
	} {
		filesystem.Register(strings.TrimSuffix(d.scheme, "://"), func(ctx context.Context) filesystem.Interface {
			d.Interface = local.New(ctx)
			return d
		})
	}
}

// openSmall opens a file of a disk with room for 1,000 bytes per file.
func openSmall(ctx context.Context, fs filesystem.Interface, name string) (io.WriteCloser, error) {
	f, err := fs.OpenWrite(ctx, name)
	return &fullAfter{f, 1000}, err
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

// openDying opens a file that kills the process when it is complete, as the loss of a machine does.
func openDying(ctx context.Context, fs filesystem.Interface, name string) (io.WriteCloser, error) {
	f, err := fs.OpenWrite(ctx, name)
	return &failingWriter{f}, err
}

type failingWriter struct{ io.WriteCloser }

func (f *failingWriter) Close() error {
	_ = f.WriteCloser.Close()
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// oneWriter lets only one openCancelling run at a time.
var oneWriter sync.Mutex

// openCancelling makes the runner cancel the run when the first step writes a file, and waits for that. The
// worker in this process goes on. Its later writes are discarded, so that the test can remove its folder.
func openCancelling(ctx context.Context, fs filesystem.Interface, name string) (io.WriteCloser, error) {
	oneWriter.Lock()
	defer oneWriter.Unlock()
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
		out, err := fs.OpenWrite(ctx, name)
		if err != nil {
			return nil, err
		}
		if err := worker.Cancel(ctx, *jobopts.Endpoint, job.GetJobId()+"["+job.GetJobName()+"]_go"); err != nil {
			return nil, err
		}
		states, err := service.GetStateStream(ctx, &jobpb.GetJobStateRequest{JobId: job.GetJobId()})
		for err == nil { // until the run has ended
			_, err = states.Recv()
		}
		return out, nil
	}
	return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
}

// renameNoManifest renames files that are no manifests.
func renameNoManifest(from, to string) error {
	if strings.HasSuffix(to, manifestSuffix) {
		return errors.New("the disk is read only now")
	}
	return os.Rename(from, to)
}
