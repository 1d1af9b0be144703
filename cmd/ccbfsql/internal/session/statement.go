package session

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	bindings "github.com/duckdb/duckdb-go-bindings"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

// Result is the result of a statement. Rows arrive while the statement runs, so an error may follow
// after some rows.
type Result struct {
	render.Rows
	// Silent is true if the statement has no rows to show, such as CREATE, or INSERT without
	// RETURNING.
	Silent bool
	// Plan is true if the result is text in lines: of EXPLAIN, or of sketch_help alone.
	Plan bool

	// Close ends the statement, even before its end. Call it once.
	Close func()
}

// ownExtension is part of the error when this program loads the project's extension. Its functions
// are built in, so a script that loads the extension can go on.
const ownExtension = "ccbf: this program is written in Go"

// Run runs one statement exactly once. If ctx is cancelled, here or while rows are read, the
// statement ends with ErrInterrupted. With json, values of nested types are encoded as JSON, not as
// DuckDB's text.
func (s *Session) Run(ctx context.Context, sql string, json bool) (_ *Result, err error) {
	stop := s.interruptOn(ctx)
	defer func() {
		if err != nil {
			stop()
			err = interrupted(ctx, err)
		}
	}()

	// Up to two statements are prepared: the original, and one around it that casts the values which
	// stream cannot read. Only one of the two runs.
	original, single, err := s.prepare(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer func() { mapping.DestroyPrepare(original) }()
	if n := mapping.NParams(*original); n > 0 {
		return nil, fmt.Errorf("Invalid Input Error: the statement has %d parameters without values; use PREPARE and EXECUTE", n)
	}

	columns, types := describe(*original, json)
	plain := !slices.ContainsFunc(types, func(id duck.TypeID) bool { return !isPlain(id) })
	kind := mapping.PreparedStatementType(*original)
	run := original
	if !plain && single && kind == mapping.StatementTypeSelect {
		if wrapped, ok, _ := s.prepare(ctx, wrap(sql, types, json)); ok {
			defer func() { mapping.DestroyPrepare(wrapped) }()
			run, plain = wrapped, true
		}
	}
	rows, err := s.execute(ctx, *run, run != original)
	if err != nil && kind == mapping.StatementTypeLoad && strings.Contains(err.Error(), ownExtension) {
		return &Result{Rows: render.Rows{All: func(func(render.Row, error) bool) {}}, Silent: true, Close: stop}, nil
	}
	if err != nil {
		return nil, err
	}
	rows.types = types
	returns := mapping.ResultReturnType(rows.result)
	result := &Result{Rows: render.Rows{All: rows.all}, Close: rows.close}
	if !plain {
		defer rows.close()
		if result, err = s.cast(ctx, rows, json); err != nil {
			return nil, err
		}
	}
	result.Columns = columns
	// PRAGMA, CALL (also CHECKPOINT) and CREATE SECRET return a result with this column that says nothing.
	empty := kind == mapping.StatementTypePragma || kind == mapping.StatementTypeCall || kind == mapping.StatementTypeCreate
	success := empty && len(columns) == 1 && columns[0].Name == "Success"
	result.Silent = success || returns != mapping.ResultTypeQueryResult
	result.Plan = kind == mapping.StatementTypeExplain || len(columns) == 1 && strings.HasPrefix(columns[0].Name, "sketch_help(")
	read := result.Close
	result.Close = func() { read(); stop() }
	return result, nil
}

// prepare prepares a text of one statement. single is false for text such as PIVOT that DuckDB
// expands to several statements: all but the last have then run.
func (s *Session) prepare(ctx context.Context, sql string) (_ *mapping.PreparedStatement, single bool, _ error) {
	var extracted mapping.ExtractedStatements
	count := mapping.ExtractStatements(s.conn, sql, &extracted)
	defer mapping.DestroyExtracted(&extracted)
	if count == 0 {
		if msg := mapping.ExtractStatementsError(extracted); msg != "" {
			return nil, false, errors.New(msg)
		}
		return nil, false, errors.New("the text has no statement to run")
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
		rows, err := s.execute(ctx, p, false)
		mapping.DestroyPrepare(&p)
		if err != nil {
			return nil, false, err
		}
		rows.close()
	}
}

// wrap returns a query whose values are text. A projection over the query keeps its order and
// number of rows.
func wrap(sql string, types []duck.TypeID, json bool) string {
	names, values := castsOf(types, json)
	sql = strings.TrimRight(strings.TrimSpace(sql), ";")
	// The line break ends a comment in the last line of the query. That before it keeps the query's own
	// lines for errors.
	return "SELECT " + strings.Join(values, ", ") + " FROM (\n" + sql + "\n) AS t(" + strings.Join(names, ", ") + ")"
}

// lineOf finds the number of a line in an error.
var lineOf = regexp.MustCompile(`(?m)^LINE (\d+): `)

// problem returns an error with a message of DuckDB. Lines of a wrapped query get their number in the query.
func (s *stream) problem(msg string) error {
	if s.wrapped {
		msg = lineOf.ReplaceAllStringFunc(msg, func(line string) string {
			n, _ := strconv.Atoi(lineOf.FindStringSubmatch(line)[1])
			return fmt.Sprintf("%-*s", len(line), fmt.Sprintf("LINE %d: ", n-1)) // the mark below stays in its place
		})
	}
	return errors.New(msg)
}

func (s *Session) execute(ctx context.Context, p mapping.PreparedStatement, wrapped bool) (*stream, error) {
	var pending mapping.PendingResult
	// This function is marked as deprecated, but no other one streams a result.
	state := bindings.PendingPreparedStreaming(p, &pending)
	defer mapping.DestroyPending(&pending)
	if state == mapping.StateError {
		return nil, errors.New(mapping.PendingError(pending))
	}
	r := &stream{ctx: ctx, wrapped: wrapped}
	if mapping.ExecutePending(pending, &r.result) == mapping.StateError {
		err := r.problem(mapping.ResultError(&r.result))
		mapping.DestroyResult(&r.result)
		return nil, err
	}
	return r, nil
}

// interruptOn interrupts the connection when ctx is cancelled. It repeats that until stop is
// called, because DuckDB ignores an interrupt between two steps of a query.
func (s *Session) interruptOn(ctx context.Context) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	forget := context.AfterFunc(ctx, func() {
		defer close(ended)
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
	})
	return func() {
		close(done)
		if !forget() { // the function above has begun
			<-ended
		}
	}
}

func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	return Clean(err)
}
