package session

import (
	"context"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// trackProgress makes DuckDB keep the figures that Progress reads, and not
// draw them itself.
func (s *Session) trackProgress(ctx context.Context) error {
	for _, setting := range []string{"SET enable_progress_bar = true", "SET enable_progress_bar_print = false"} {
		if _, err := s.Strings(ctx, setting); err != nil {
			return err
		}
	}
	return nil
}

// Progress is how far the running statement has come, in percent; false while
// DuckDB does not know. It may be called while another goroutine runs the
// statement.
func (s *Session) Progress() (percent float64, known bool) {
	p := mapping.QueryProgress(s.conn)
	percent, _, _ = mapping.QueryProgressTypeMembers(&p)
	return percent, percent >= 0
}
