package main

import (
	"database/sql"
	"fmt"
	"time"
)

// levels sums countries, and squares down to a cell, over a dense sketch of the
// cities with levels and over one without.
func levels(o options) error {
	db, err := world(o)
	if db == nil || err != nil {
		return err
	}
	defer db.Close()
	if err := run(db, `CREATE TABLE s AS
		SELECT ccbf_agg(lon, lat, 0.01, {exact: false}) AS plain, ccbf_agg(lon, lat, 0.01, {exact: false, levels: 8}) AS levels FROM cities`); err != nil {
		return err
	}
	countries, err := texts(db, "SELECT g FROM c")
	if err != nil {
		return err
	}
	if o.quick {
		countries = countries[:len(countries)/10]
	}
	// In queries of their own: together they have more cells than one may ask for.
	err = compare(o.rounds, fmt.Sprintf("%d countries, one by one", len(countries)), func(column string) error {
		ask, err := db.Prepare("SELECT ccbf_polygon_sum(" + column + ", ?) FROM s")
		if err != nil {
			return err
		}
		defer ask.Close()
		for _, p := range countries {
			var sum uint64
			if err := ask.QueryRow(p).Scan(&sum); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, side := range []int{1, 2, 4, 8, 12, 16, 24, 32, 64, 256} {
		const squares = `CREATE OR REPLACE TABLE q AS SELECT format('POLYGON(({0} {1},{2} {1},{2} {3},{0} {3},{0} {1}))', x, y, x + d, y + d) g
			FROM (SELECT (hash(i) %% 300000) / 1000 - 150 AS x, (hash(i, 1) %% 90000) / 1000 - 40 AS y, %d / 100 AS d FROM range(1000) t(i))`
		if err := run(db, fmt.Sprintf(squares, side)); err != nil {
			return err
		}
		err := compare(o.rounds, fmt.Sprintf("1,000 squares of %d x %[1]d cells", side), func(column string) error {
			return run(db, "SELECT sum(ccbf_polygon_sum("+column+", g)) FROM q, s")
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// compare prints the time of a question to the column without levels and to
// the one with.
func compare(n int, what string, ask func(column string) error) error {
	var times [2]sample
	for round := range n + 1 {
		for i, column := range []string{"plain", "levels"} {
			start := time.Now()
			if err := ask(column); err != nil {
				return err
			}
			if round > 0 {
				times[i] = append(times[i], time.Since(start))
			}
		}
	}
	fmt.Printf("%-34s cells %v, levels %v, ratio %.1f\n", what, times[0], times[1], float64(times[0].median())/float64(times[1].median()))
	return nil
}

// texts is the only column of a query.
func texts(db *sql.DB, query string) ([]string, error) {
	rows, err := db.Query(query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}
