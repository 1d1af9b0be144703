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
	// write opens a local file and returns a writer in its place. renamed returns the error of a rename.
	// nil: as the local file system does.
	write   func(ctx context.Context, open func() (io.WriteCloser, error)) (io.WriteCloser, error)
	renamed func(to string) error
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
	open := func() (io.WriteCloser, error) { return d.Interface.OpenWrite(ctx, d.local(name)) }
	if d.write == nil || strings.HasSuffix(name, begunName) {
		return open()
	}
	return d.write(ctx, open)
}

func (d disk) Remove(_ context.Context, name string) error { return os.Remove(d.local(name)) }

func (d disk) Rename(_ context.Context, from, to string) error {
	if d.renamed != nil {
		if err := d.renamed(to); err != nil {
			return err
		}
	}
	return os.Rename(d.local(from), d.local(to))
}

func init() {
	for _, d := range []disk{
		// A disk with room for 1,000 bytes per file.
		{scheme: "small://", write: func(_ context.Context, open func() (io.WriteCloser, error)) (io.WriteCloser, error) {
			f, err := open()
			return &fullAfter{f, 1000}, err
		}},
		// The process is killed when a file is complete, as by the loss of a machine.
		{scheme: "dying://", write: func(_ context.Context, open func() (io.WriteCloser, error)) (io.WriteCloser, error) {
			f, err := open()
			return killer{f}, err
		}},
		{scheme: "cancelling://", write: cancel},
		{scheme: "stuck://", renamed: func(to string) error {
			if strings.HasSuffix(to, manifestSuffix) {
				return errors.New("the disk is read only now")
			}
			return nil
		}},
	} {
		filesystem.Register(strings.TrimSuffix(d.scheme, "://"), func(ctx context.Context) filesystem.Interface {
			d.Interface = local.New(ctx)
			return d
		})
	}
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

type killer struct{ io.WriteCloser }

func (f killer) Close() error {
	_ = f.WriteCloser.Close()
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// oneWriter lets only one cancel run at a time.
var oneWriter sync.Mutex

// cancel makes the runner cancel the run when the first step writes a file, and waits for that. The
// worker in this process goes on. Its later writes are discarded, so that the test can remove its folder.
func cancel(ctx context.Context, open func() (io.WriteCloser, error)) (io.WriteCloser, error) {
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
		f, err := open()
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
		return f, nil
	}
	return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
}
