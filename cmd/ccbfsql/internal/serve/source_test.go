package serve

import (
	"net/http"
	"net/http/httptest"
	"testing"

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
