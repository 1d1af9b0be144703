package pipeline

import (
	"maps"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
)

// forgetful is what a runner says who lost some of what the workers counted.
type forgetful struct{ metrics.Results }

func (forgetful) JobID() string              { return "" }
func (f forgetful) Metrics() metrics.Results { return f.Results }

// Prism can forget what a bundle counted. What its workers counted is counted here too,
// as they are in this process; those of other runners may have begun again.
func TestReportHasWhatPrismForgot(t *testing.T) {
	counted := func(name string, n int64) metrics.CounterResult {
		return metrics.CounterResult{Committed: n, Key: metrics.StepKey{Step: "a step", Name: name, Namespace: namespace}}
	}
	result := forgetful{*metrics.NewResults([]metrics.CounterResult{counted("test: some", 81), counted("test: elsewhere", 5)}, nil, nil, nil, nil)}
	before := countedHere()
	newCounter("test: some").here.Add(120)
	newCounter("test: all").here.Add(3)
	defer func(r string) { *runners.Runner = r }(*runners.Runner)
	for runner, want := range map[string]Report{
		"":          {"test: some": 120, "test: all": 3, "test: elsewhere": 5},
		"prism":     {"test: some": 120, "test: all": 3, "test: elsewhere": 5},
		"universal": {"test: some": 81, "test: elsewhere": 5},
	} {
		*runners.Runner = runner
		if got := reportOf(result, before); !maps.Equal(got, want) {
			t.Errorf("of runner %q: %v, want %v", runner, got, want)
		}
	}
}
