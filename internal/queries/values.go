package queries

import (
	"context"
	"database/sql"
)

// Queryer is a database or a connection.
type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Values returns the names of a query's columns, and the values of all its rows.
func Values(ctx context.Context, db Queryer, query string, args ...any) (names []string, all [][]any, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	if names, err = rows.Columns(); err != nil {
		return nil, nil, err
	}
	into := make([]any, len(names))
	for rows.Next() { // all rows: an error may come late
		row := make([]any, len(names))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, nil, err
		}
		all = append(all, row)
	}
	return names, all, rows.Err()
}
