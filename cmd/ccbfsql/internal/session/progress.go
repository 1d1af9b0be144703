package session

import (
	"context"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// trackProgress makes DuckDB compute the figures that Progress reads, without printing a bar
// itself.
func (s *Session) trackProgress(ctx context.Context) error {
	for _, setting := range []string{"SET enable_progress_bar = true", "SET enable_progress_bar_print = false"} {
		if _, err := s.Strings(ctx, setting); err != nil {
			return err
		}
	}
	return nil
}

// Progress returns how much of the running statement is done, in percent. known is false if DuckDB
// has no estimate. It can be called while another goroutine runs the statement.
func (s *Session) Progress() (percent float64, known bool) {
	p := mapping.QueryProgress(s.conn)
	percent, _, _ = mapping.QueryProgressTypeMembers(&p)
	return percent, percent >= 0
}
