package serve

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
)

// New rows in a served file are noticed. Other programs can open the file between queries.
func TestNewRows(t *testing.T) {
	file := database(t, towns)
	s := newServer(file, 1<<28)
	s.source.idle = 0 // closed after each query
	defer s.source.end()
	server := httptest.NewServer(handler(s, namesOf(nil)))
	defer server.Close()
	last := ""
	expect := func(differs bool) {
		t.Helper()
		_, body := get(t, server.URL+"/api/version")
		v := decoded[version](t, body)
		if v.Version != last != differs || v.Waiting != "" {
			t.Errorf("the version is %+v after %q", v, last)
		}
		last = v.Version
	}
	expect(true)
	const tile = "/tiles/to%20wns/s%22k/3/4/2.png"
	before := drawnPixels(t, server.URL+tile)
	if a := summed(t, server.URL, `{"table": "to wns", "column": "s\"k", "box": [0, 50, 9, 59]}`); a.Estimate != 12000 {
		t.Errorf("before: %+v", a)
	}
	expect(false) // nothing changed
	if s.source.db != nil {
		t.Fatal("the database is open while nobody asks")
	}
	change(t, file, `INSERT INTO "to wns" SELECT 'month 3', 9, 100, ccbf_agg(8 + i * 0.01, 58, 0.01) FROM range(100) t(i)`)
	expect(true)
	if a := summed(t, server.URL, `{"table": "to wns", "column": "s\"k", "box": [0, 50, 9, 59], "where": [{"by": "month", "value": "month 3"}]}`); a.Estimate != 100 {
		t.Errorf("of the new month: %+v", a)
	}
	if after := drawnPixels(t, server.URL+tile); after <= before {
		t.Errorf("the tile has %d pixels, %d before", after, before)
	}
}

// A served database may be hostile. Its views and macros cannot read other files, attach databases,
// write or change settings. Its own tables are served.
func TestServedDatabaseIsConfined(t *testing.T) {
	folder := t.TempDir()
	name := lexer.QuoteText(written(t, folder, "secret.csv", "x,y\n1,51\n"))
	views := map[string]string{
		"text":    "SELECT ccbf_agg(1, 51, 0.01) AS s FROM read_text(" + name + ")",
		"csv":     "SELECT ccbf_agg(x, y, 0.01) AS s FROM read_csv(" + name + ")",
		"globbed": "SELECT ccbf_agg(1, 51, 0.01) AS s FROM glob(" + lexer.QuoteText(filepath.Join(folder, "*")) + ")",
		"direct":  "SELECT ccbf_agg(x, y, 0.01) AS s FROM " + name,
		"macro":   "SELECT ccbf_agg(n, 51, 0.01) AS s FROM (SELECT spy() AS n)",
	}
	statements := "CREATE MACRO spy() AS (SELECT count(*) FROM read_text(" + name + "));"
	for view, query := range views {
		statements += fmt.Sprintf("CREATE VIEW %s AS %s;", view, query)
	}
	file := database(t, towns+";"+statements)
	url := started(t, file)
	layers := layersOf(t, url)
	if layers["to wns"] == nil {
		t.Errorf("its own table is not served: %s", encoded(t, layers))
	}
	for view := range views {
		if l := layers[view]; l != nil && l.Error == "" {
			t.Errorf("view %s is a layer", view)
		}
		if status, text := post(t, url+"/api/sum", `{"table": "`+view+`", "column": "s", "box": [0, 50, 9, 59]}`); status == http.StatusOK {
			t.Errorf("view %s: %s", view, text)
		}
	}
	// The settings on a connection of the source.
	s := source{file: file, idle: time.Minute}
	defer s.end()
	db, done, err := s.use(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for _, statement := range []string{
		"ATTACH " + lexer.QuoteText(filepath.Join(folder, "other.duckdb")) + " AS other",
		"COPY (SELECT 1) TO " + lexer.QuoteText(filepath.Join(folder, "out.csv")),
		"FROM read_csv(" + name + ")", "FROM read_text(" + name + ")", "FROM read_blob(" + name + ")", "FROM glob('/*')", "FROM " + name,
		"INSTALL json", "LOAD '/no/such.duckdb_extension'", "SET enable_external_access = true", "SET threads = 1", "CREATE TABLE t AS SELECT 1",
		"EXPORT DATABASE " + lexer.QuoteText(filepath.Join(folder, "export")),
	} {
		if _, err := db.Exec(statement); err == nil {
			t.Errorf("%s is allowed", statement)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("files were written: %v, %v", left, err)
	}
}

// A file of points that cannot be read leaves no database behind. A database that existed before
// stays.
func TestNothingIsLeftOfABadFile(t *testing.T) {
	folder := t.TempDir()
	bad := written(t, folder, "bad.csv", "a,b\nx,y\n")
	fresh, old := filepath.Join(folder, "new.duckdb"), database(t, "CREATE TABLE t AS SELECT 1")
	for file, stays := range map[string]bool{fresh: false, old: true} {
		if err := build(t.Context(), file, bad, Points{}, new(strings.Builder)); err == nil {
			t.Fatal("built")
		}
		if exists(file) != stays {
			t.Errorf("%s is there: %v", file, !stays)
		}
	}
}
