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
	"github.com/ccbfsql/ccbfsql/connector"
)

// New rows in a served file are noticed. Other programs can open the file between queries.
func TestNewRows(t *testing.T) {
	file := database(t, towns)
	s := newServer(file, 1<<28)
	s.source.idle = 0 // closed after each query
	defer s.source.end()
	server := httptest.NewServer(handler(s, namesOf(nil)))
	defer server.Close()
	ask := func(path string) string {
		t.Helper()
		status, text := get(t, server.URL+path)
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, text)
		}
		return string(text)
	}
	const path = "/api/version"
	const question = `{"table": "to wns", "column": "s\"k", "box": [0, 50, 9, 59]}`
	if v := decoded[version](t, []byte(ask(path))); v.Version != 1 || v.Waiting != "" {
		t.Errorf("the first version is %+v", v)
	}
	before := ask("/tiles/to%20wns/s%22k/3/4/2.png")
	if a := summed(t, server.URL, question); a.Estimate != 12000 {
		t.Errorf("before: %+v", a)
	}
	if v := decoded[version](t, []byte(ask(path))); v.Version != 1 {
		t.Errorf("nothing changed, and the version is %+v", v)
	}
	if s.source.db != nil {
		t.Fatal("the database is open while nobody asks")
	}
	db, err := connector.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`INSERT INTO "to wns" SELECT 'month 3', 9, 100, ccbf_agg(8 + i * 0.01, 58, 0.01) FROM range(100) t(i)`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if v := decoded[version](t, []byte(ask(path))); v.Version != 2 || v.Waiting != "" {
		t.Errorf("after a row more the version is %+v", v)
	}
	if a := summed(t, server.URL, `{"table": "to wns", "column": "s\"k", "box": [0, 50, 9, 59], "where": [{"by": "month", "value": "month 3"}]}`); a.Estimate != 100 {
		t.Errorf("of the new month: %+v", a)
	}
	if after := ask("/tiles/to%20wns/s%22k/3/4/2.png"); after == before {
		t.Error("the tile has not changed")
	}
}

// A served database may be hostile. Its views and macros cannot read other files, attach databases,
// write or change settings. Its own tables are served.
func TestServedDatabaseIsConfined(t *testing.T) {
	folder := t.TempDir()
	secret := filepath.Join(folder, "secret.csv")
	if err := os.WriteFile(secret, []byte("x,y\n1,51\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	name := lexer.QuoteText(secret)
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
	_, text := get(t, url+"/api/layers")
	layers := decoded[[]layer](t, text)
	if !strings.Contains(string(text), "to wns") {
		t.Errorf("its own table is not served: %s", text)
	}
	for view := range views {
		for i := range layers {
			if l := &layers[i]; l.Table == view && l.Error == "" {
				t.Errorf("view %s is a layer", view)
			}
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
	bad := filepath.Join(folder, "bad.csv")
	if err := os.WriteFile(bad, []byte("a,b\nx,y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(folder, "new.duckdb")
	if err := build(t.Context(), fresh, Points{File: bad}, new(strings.Builder)); err == nil {
		t.Fatal("built")
	}
	if _, err := os.Stat(fresh); !os.IsNotExist(err) {
		t.Errorf("%s is there: %v", fresh, err)
	}
	old := database(t, "CREATE TABLE t AS SELECT 1")
	if err := build(t.Context(), old, Points{File: bad}, new(strings.Builder)); err == nil {
		t.Fatal("built")
	}
	if _, err := os.Stat(old); err != nil {
		t.Error(err)
	}
}
