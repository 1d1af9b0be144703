package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	bindings "github.com/duckdb/duckdb-go-bindings"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

// RunOptions say in which form values are wanted.
type RunOptions struct {
	// JSON asks for dates, lists and the like encoded as JSON.
	JSON bool
}

// Result is what a statement returned. Rows come in while the statement is
// running, so an error may follow after some of them.
type Result struct {
	// Silent is true for statements without a result of their own to show,
	// such as CREATE or INSERT without RETURNING.
	Silent bool
	// Plan is true for the result of EXPLAIN.
	Plan bool

	columns []render.Column
	next    func() (render.Chunk, error)
	close   func()
}

// Columns describes the columns.
func (r *Result) Columns() []render.Column { return r.columns }

// Next returns the next chunk of rows, or io.EOF.
func (r *Result) Next() (render.Chunk, error) { return r.next() }

// Close ends the statement, finished or not. A second Close does nothing.
func (r *Result) Close() {
	if r.close != nil {
		r.close()
		r.close = nil
	}
}

// ownExtension is in the error with which our extension refuses to be loaded here: its functions
// are built in, so a script that loads it goes on.
const ownExtension = "ccbf: this program is written in Go"

// Run runs one statement. It runs exactly once, whatever form its values are
// wanted in. Cancelling ctx, here or while rows are read, ends it with
// ErrInterrupted.
func (s *Session) Run(ctx context.Context, sql string, o RunOptions) (_ *Result, err error) {
	stop := s.interruptOn(ctx)
	defer func() {
		if err != nil {
			stop()
			err = interrupted(ctx, err)
		}
	}()

	// Both statements are only prepared; one of them is executed below.
	original, single, err := s.prepare(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer func() { mapping.DestroyPrepare(original) }()
	if err := checkParameters(*original); err != nil {
		return nil, err
	}

	columns, plain := describe(*original)
	kind := mapping.PreparedStatementType(*original)
	run := original
	if !plain && single && kind == mapping.StatementTypeSelect {
		if wrapped, ok, _ := s.prepare(ctx, wrap(sql, columns, o)); ok {
			defer func() { mapping.DestroyPrepare(wrapped) }()
			run, plain = wrapped, true
		}
	}
	rows, err := s.execute(ctx, *run)
	if err != nil && kind == mapping.StatementTypeLoad && strings.Contains(err.Error(), ownExtension) {
		return &Result{Silent: true, next: func() (render.Chunk, error) { return nil, io.EOF }, close: stop}, nil
	}
	if err != nil {
		return nil, err
	}
	rows.columns = columns
	result := &Result{columns: shown(columns, run != original && o.JSON), next: rows.next, close: rows.close}
	if plain {
		rows.settle(run != original)
	} else {
		defer rows.close()
		if result, err = s.cast(ctx, rows, o); err != nil {
			return nil, err
		}
	}
	result.Silent, result.Plan = silent(kind, columns, sql), kind == mapping.StatementTypeExplain
	read := result.close
	result.close = func() { read(); stop() }
	return result, nil
}

// prepare prepares a text of one statement; single is false for the rare text that DuckDB
// makes several of, such as PIVOT, of which all but the last have run then.
func (s *Session) prepare(ctx context.Context, sql string) (_ *mapping.PreparedStatement, single bool, _ error) {
	var extracted mapping.ExtractedStatements
	count := mapping.ExtractStatements(s.conn, sql, &extracted)
	defer mapping.DestroyExtracted(&extracted)
	if count == 0 {
		if msg := mapping.ExtractStatementsError(extracted); msg != "" {
			return nil, false, errors.New(msg)
		}
		return nil, false, errors.New("nothing to run")
	}
	for i := mapping.IdxT(0); ; i++ {
		var p mapping.PreparedStatement
		if mapping.PrepareExtractedStatement(s.conn, extracted, i, &p) == mapping.StateError {
			err := errors.New(mapping.PrepareError(p))
			mapping.DestroyPrepare(&p)
			return nil, false, err
		}
		if i == count-1 {
			return &p, count == 1, nil
		}
		rows, err := s.execute(ctx, p)
		mapping.DestroyPrepare(&p)
		if err != nil {
			return nil, false, err
		}
		rows.close()
	}
}

// wrap lets DuckDB itself turn values into text: a projection over the query
// leaves its order and number of rows alone, and naming the columns by number
// keeps apart those that share a name.
func wrap(sql string, columns []column, o RunOptions) string {
	var names, values []string
	for i, c := range columns {
		name := fmt.Sprintf("c%d", i)
		names = append(names, name)
		values = append(values, c.value(name, o))
	}
	sql = strings.TrimRight(strings.TrimSpace(sql), ";")
	// The line break ends a comment in the last line.
	return "SELECT " + strings.Join(values, ", ") + " FROM (" + sql + "\n) AS t(" + strings.Join(names, ", ") + ")"
}

func checkParameters(p mapping.PreparedStatement) error {
	if n := mapping.NParams(p); n > 0 {
		return fmt.Errorf("Invalid Input Error: the statement has %d parameters without values; use PREPARE and EXECUTE", n)
	}
	return nil
}

// silent tells statements that report only that they are done, or how many
// rows they changed, from those that return rows.
func silent(kind mapping.StatementType, columns []column, sql string) bool {
	switch kind {
	case mapping.StatementTypeSelect, mapping.StatementTypeExplain:
		return false
	}
	if len(columns) == 0 {
		return true
	}
	if len(columns) > 1 {
		return false
	}
	switch columns[0].Name {
	case "Count":
		return !strings.Contains(strings.ToUpper(sql), "RETURNING")
	case "Success":
		return true
	}
	return false
}

func (s *Session) execute(ctx context.Context, p mapping.PreparedStatement) (*stream, error) {
	var pending mapping.PendingResult
	// Marked as deprecated, and the only way to stream a result.
	state := bindings.PendingPreparedStreaming(p, &pending)
	defer mapping.DestroyPending(&pending)
	if state == mapping.StateError {
		return nil, errors.New(mapping.PendingError(pending))
	}
	r := &stream{ctx: ctx}
	if mapping.ExecutePending(pending, &r.result) == mapping.StateError {
		err := errors.New(mapping.ResultError(&r.result))
		mapping.DestroyResult(&r.result)
		return nil, err
	}
	return r, nil
}

// interruptOn interrupts what the connection is doing when ctx is cancelled,
// again and again, since DuckDB forgets an interrupt that comes between two
// steps, until stop is called.
func (s *Session) interruptOn(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			mapping.Interrupt(s.conn)
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	return clean(err)
}
