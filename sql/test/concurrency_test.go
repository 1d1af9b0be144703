package test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/connector"
)

// TestManyConnections: 50 connections at once on 8 threads, each with its own mix of queries, get
// the right results. go test -race checks the Go code.
func TestManyConnections(t *testing.T) {
	db := open(t)
	exec(t, db, "SET threads = 8")
	exec(t, db, "CREATE TABLE d AS SELECT i, i * i % 97 AS x, i % 31 AS y, i % 6 AS kind FROM range(20000) t(i)")
	exec(t, db, "CREATE TABLE s AS SELECT ccbf_agg(x, y, 1) AS exact, ccbf_agg(x, y, 1, {exact: false, mode: 'standard', bytes: 20000}) AS sums, ccbf_agg(x, y, 1, {category: kind}) AS kinds, cms_agg(x) AS c FROM d")
	exec(t, db, "CREATE TABLE truth AS SELECT x, y, count(*) AS n FROM d GROUP BY ALL")
	sums := mustAsk(t, db, "SELECT md5(sums) FROM s")

	// mix are the queries of each connection. @ in a query is the connection's number from 0, and
	// in a result that number plus 1.
	mix := []struct{ query, answer string }{
		{"SELECT count(*) FILTER (ccbf_get(exact, x, y) <> n) FROM truth, s", "0"},
		{"SELECT ccbf_total(ccbf_agg(x, y, 1)) - count(*) FROM d WHERE i % (@ + 2) = 0", "0"},
		{"SELECT md5(ccbf_agg(x, y, 1, {exact: false, mode: 'standard', bytes: 20000})) FROM d", sums},
		{"SELECT md5(ccbf_union_agg(p)) FROM (SELECT ccbf_agg(x, y, 1, {exact: false, mode: 'standard', bytes: 20000}) p FROM d GROUP BY i % (@ + 2))", sums},
		{"SELECT count(*) FILTER (ccbf_total(s) <> n) FROM (SELECT ccbf_agg(x, y, 1) s, count(*) n FROM d GROUP BY i % (100 * @ + 7))", "0"},
		{"SELECT ccbf_bbox_sum(kinds, 0, 0, 50, 50, @ % 6) - (SELECT count(*) FROM d WHERE x < 50 AND y < 50 AND kind = @ % 6) FROM s", "0"},
		{"SELECT ccbf_polygon_sum(exact, 'POLYGON ((0 0, 50 0, 50 50, 0 50, 0 0))') - (SELECT count(*) FROM d WHERE x < 50 AND y < 50) FROM s", "0"},
		{"SELECT cms_get(c, @) >= (SELECT count(*) FROM d WHERE x = @) FROM s", "true"},
		{"SELECT count(*) FILTER (ccbf_total(a) <> n) FROM (SELECT ccbf_agg(x, y, 1) OVER w a, count(*) OVER w n FROM d WHERE i < 1000 WINDOW w AS (ORDER BY i ROWS @ PRECEDING))", "0"},
		{"SELECT ccbf_total(ccbf_agg(x, y, 1 ORDER BY i DESC)) FROM d WHERE i <= @", "@"},
		{"SELECT TRY(ccbf_get('bad'::BLOB, 1, @))", "<nil>"},
		{"SELECT count(*) FROM (SELECT ccbf_agg(x, y, 1) s FROM d GROUP BY i % 3000 LIMIT 3)", "3"},
	}
	db.SetMaxOpenConns(50)
	errs := make(chan error, 50)
	var ready, done sync.WaitGroup
	ready.Add(50)
	for c := range 50 {
		done.Go(func() {
			conn, err := db.Conn(context.Background())
			ready.Done()
			if err != nil {
				errs <- err
				return
			}
			defer conn.Close()
			ready.Wait() // all 50 are open
			for k := range mix {
				m := mix[(c+k)%len(mix)]
				answer := strings.ReplaceAll(m.answer, "@", strconv.Itoa(c+1))
				query := strings.ReplaceAll(m.query, "@", strconv.Itoa(c))
				var got any
				if err := conn.QueryRowContext(context.Background(), query).Scan(&got); err != nil {
					errs <- fmt.Errorf("%s: %w", query, err)
					return
				}
				if fmt.Sprint(got) != answer {
					errs <- fmt.Errorf("%s: got %v, want %s", query, got, answer)
					return
				}
			}
			// An error on one connection does not affect the others.
			if _, err := conn.ExecContext(context.Background(), "SELECT ccbf_agg(x, y, i) FROM d"); err == nil {
				errs <- fmt.Errorf("no error where resolutions differ")
			}
		})
	}
	done.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	want(t, db, "0", "SELECT (ccbf_memory()).used")
}

// TestManyConnectionsAskForUnions: a repeated union is the sketch of all points, also if several
// connections compute unions and other databases are closed meanwhile.
func TestManyConnectionsAskForUnions(t *testing.T) {
	db := open(t)
	exec(t, db, "SET threads = 2")
	exec(t, db, "CREATE TABLE p AS SELECT i % 500 AS day, (hash(i) % 800 * (hash(i) % 3))::DOUBLE AS x, (hash(i, 1) % 850)::DOUBLE AS y FROM range(100000) t(i)")
	exec(t, db, "CREATE TABLE days AS SELECT day, ccbf_agg(x, y, 1) AS s FROM p GROUP BY day ORDER BY day")
	exec(t, db, "CREATE TABLE wanted AS SELECT k, (SELECT md5(ccbf_agg(x, y, 1)) FROM p WHERE day >= k) AS u FROM range(3) t(k)")
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for round := range 12 {
				k := (i + round) % 3
				got, err := ask(db, fmt.Sprintf("SELECT (SELECT md5(ccbf_union_agg(s)) FROM days WHERE day >= %d) = u FROM wanted WHERE k = %[1]d", k))
				if err != nil || got != "true" {
					t.Errorf("union %d in round %d: %s %v", k, round, got, err)
				}
				if i == 0 && round%3 == 2 {
					if other, err := connector.Open(""); err != nil || other.Ping() != nil || other.Close() != nil {
						t.Error("another database cannot be opened and closed")
					}
				}
			}
		})
	}
	wait.Wait()
	if used := ccbfsql.MemoryUsed(); used != 0 {
		t.Errorf("%d bytes are used, and no query runs", used)
	}
}
