package test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/connector"
)

// open returns a database in memory with all functions.
func open(t testing.TB) *sql.DB {
	t.Helper()
	db, err := connector.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func exec(t testing.TB, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatalf("%.300s: %v", statement, err)
	}
}

// asker is a database or a connection.
type asker interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// ask returns the first row of a query, with "|" between values.
func ask(db asker, query string, args ...any) (string, error) {
	rows, err := db.QueryContext(context.Background(), query, args...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return "", err
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	var first []string
	for rows.Next() { // all rows: an error may come late
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		if first == nil {
			for _, v := range values {
				first = append(first, fmt.Sprint(v))
			}
		}
	}
	return strings.Join(first, "|"), rows.Err()
}

func mustAsk(t testing.TB, db *sql.DB, query string, args ...any) string {
	t.Helper()
	s, err := ask(db, query, args...)
	if err != nil {
		t.Fatalf("%.300s: %v", query, err)
	}
	return s
}

// want compares the first row of a query with the expected one.
func want(t testing.TB, db *sql.DB, answer, query string, args ...any) {
	t.Helper()
	if got := mustAsk(t, db, query, args...); got != answer {
		t.Errorf("%.400s\n got %s, want %s", query, got, answer)
	}
}
