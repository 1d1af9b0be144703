package session

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	"github.com/duckdb/duckdb-go/v2"
	"github.com/google/uuid"
)

// Statements that cannot stand inside a query (CALL, EXECUTE, INSERT ...
// RETURNING, PIVOT) and return something else than numbers and text are left
// to the driver, and its Go values are written here much as DuckDB writes
// them.

func (s *Session) runByDriver(ctx context.Context, sql string, stop func()) (*Result, error) {
	queryer, ok := s.driver.(driver.QueryerContext)
	if !ok {
		return nil, fmt.Errorf("session: %T does not run queries", s.driver)
	}
	rows, err := queryer.QueryContext(ctx, sql, nil)
	if err != nil {
		return nil, err
	}
	columns := make([]render.Column, len(rows.Columns()))
	types, _ := rows.(driver.RowsColumnTypeDatabaseTypeName)
	for i, name := range rows.Columns() {
		columns[i].Name = name
		if types != nil {
			columns[i].Type = strings.ToLower(types.ColumnTypeDatabaseTypeName(i))
		}
	}
	first, more, err := readAhead(rows, columns)
	if err != nil {
		rows.Close()
		return nil, err
	}
	return &Result{
		Silent:  len(columns) == 0 || len(columns) == 1 && columns[0].Name == "Success",
		columns: columns,
		next: func() (render.Chunk, error) {
			if first != nil {
				chunk := first
				first = nil
				return chunk, nil
			}
			if ctx.Err() != nil {
				return nil, ErrInterrupted
			}
			return more()
		},
		close: func() { rows.Close(); stop() },
	}, nil
}

// readAhead reads the first row, whose values show which columns are numbers.
func readAhead(rows driver.Rows, columns []render.Column) (render.Chunk, func() (render.Chunk, error), error) {
	more := func() (chunk render.Chunk, err error) {
		defer func() { // the driver panics on some values, such as a MAP whose keys are lists
			if p := recover(); p != nil {
				err = fmt.Errorf("the DuckDB driver cannot read this value: %v", p)
			}
		}()
		values := make([]driver.Value, len(columns))
		if err := rows.Next(values); err != nil {
			return nil, err
		}
		out := make(goRow, len(values))
		for i, v := range values {
			if v == nil {
				out[i].Null = true
				continue
			}
			if bytes, ok := v.([]byte); ok && columns[i].Type != "uuid" {
				columns[i].Kind = render.Blob
				out[i].Text = string(bytes)
				continue
			}
			if columns[i].Kind == render.Text {
				columns[i].Kind, columns[i].Right = goKind(v)
			}
			out[i].Text = goText(v, columns[i].Type)
		}
		return out, nil
	}
	first, err := more()
	if errors.Is(err, io.EOF) {
		return nil, func() (render.Chunk, error) { return nil, io.EOF }, nil
	}
	return first, more, err
}

// goRow is a chunk of one row.
type goRow []render.Cell

func (goRow) Len() int                      { return 1 }
func (r goRow) Cell(_, col int) render.Cell { return r[col] }

func goKind(v any) (render.Kind, bool) {
	switch v.(type) {
	case bool:
		return render.Bool, false
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, *big.Int, duckdb.Decimal:
		return render.Number, true
	}
	return render.Text, false
}

func goText(v any, typ string) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return v
	case float32:
		return render.Float(float64(v), 32)
	case float64:
		return render.Float(v, 64)
	case []byte:
		if id, err := uuid.FromBytes(v); typ == "uuid" && err == nil {
			return id.String()
		}
		return render.BlobText(string(v))
	case time.Time:
		return timeText(v, typ)
	case duckdb.Interval:
		return intervalText(v)
	case duckdb.Decimal:
		return v.String()
	case duckdb.Union:
		return goText(v.Value, "")
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, goText(item, strings.TrimSuffix(typ, "[]")))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case duckdb.OrderedMap:
		var items []string
		values := v.Values()
		for i, key := range v.Keys() {
			items = append(items, goText(key, "")+"="+goText(values[i], ""))
		}
		return "{" + strings.Join(items, ", ") + "}"
	case map[string]any:
		var items []string
		for name, value := range v {
			items = append(items, "'"+name+"': "+goText(value, ""))
		}
		slices.Sort(items) // the driver does not keep the order
		return "{" + strings.Join(items, ", ") + "}"
	}
	return fmt.Sprint(v)
}

func timeText(t time.Time, typ string) string {
	switch {
	case typ == "date":
		return t.Format("2006-01-02")
	case strings.HasPrefix(typ, "time") && !strings.HasPrefix(typ, "timestamp"):
		return t.Format("15:04:05.999999")
	case typ == "timestamptz":
		return t.Format("2006-01-02 15:04:05.999999-07")
	default:
		return t.Format("2006-01-02 15:04:05.999999999")
	}
}

func intervalText(v duckdb.Interval) string {
	var parts []string
	unit := func(n int32, name string) {
		if n != 0 {
			if n != 1 && n != -1 {
				name += "s"
			}
			parts = append(parts, strconv.Itoa(int(n))+" "+name)
		}
	}
	unit(v.Months/12, "year")
	unit(v.Months%12, "month")
	unit(v.Days, "day")
	if v.Micros != 0 || len(parts) == 0 {
		micros, sign := v.Micros, ""
		if micros < 0 {
			micros, sign = -micros, "-"
		}
		seconds := micros / 1e6
		clock := fmt.Sprintf("%s%02d:%02d:%02d", sign, seconds/3600, seconds/60%60, seconds%60)
		if fraction := micros % 1e6; fraction != 0 {
			clock += strings.TrimRight(fmt.Sprintf(".%06d", fraction), "0")
		}
		parts = append(parts, clock)
	}
	return strings.Join(parts, " ")
}
