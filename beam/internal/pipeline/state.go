package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// notCancelled is an error where somebody cancelled the run, which Beam 2.77 takes for its
// good end: it asks the runner's job service, where there is one, how the run ended.
func notCancelled(ctx context.Context, result beam.PipelineResult) error {
	if result == nil || result.JobID() == "" || *jobopts.Endpoint == "" || *runners.Runner == "dataflow" {
		return nil
	}
	conn, err := grpcx.Dial(ctx, *jobopts.Endpoint, time.Minute)
	if err != nil {
		return fmt.Errorf("asking the runner how the run ended: %w", err)
	}
	defer conn.Close() //nolint:errcheck // nothing was sent
	end, err := jobpb.NewJobServiceClient(conn).GetState(ctx, &jobpb.GetJobStateRequest{JobId: result.JobID()})
	if err != nil {
		return fmt.Errorf("asking the runner how the run ended: %w", err)
	}
	if s := end.GetState(); s == jobpb.JobState_CANCELLED || s == jobpb.JobState_CANCELLING {
		return fmt.Errorf("the run %s was cancelled, by a user or because a worker was lost, which the runner's output names: no output file was completed", result.JobID())
	}
	return nil
}
