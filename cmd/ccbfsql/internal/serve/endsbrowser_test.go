package serve

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

// The page reports a stopped and restarted server, a dropped table, sketches without points, and a
// database without sketches. An invalid or cleared area leaves nothing behind.
func TestBrowserEnds(t *testing.T) {
	t.Parallel()
	file := database(t, chosen+"; CREATE TABLE none AS SELECT ccbf_subtract(s, s) AS s FROM (SELECT ccbf_agg(lon, lat, 0.01) AS s FROM points)")
	after := database(t, chosen+"; DROP TABLE crimes")
	behind, err := url.Parse(started(t, file))
	if err != nil {
		t.Fatal(err)
	}
	var isDead atomic.Bool
	proxy := httputil.NewSingleHostReverseProxy(behind)
	proxy.ErrorLog = log.New(io.Discard, "", 0) // requests that the page cancels
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/test/stop":
			isDead.Store(true)
		case r.URL.Path == "/test/start":
			isDead.Store(false)
		case r.URL.Path == "/test/drop":
			if err := os.Rename(after, file); err != nil {
				t.Error(err)
			}
		case isDead.Load():
			panic(http.ErrAbortHandler) // the connection ends
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	defer front.Close()
	bare := started(t, database(t, "CREATE TABLE trips AS SELECT 1.5 AS lon, 50.5 AS lat FROM range(100)"))
	type said struct {
		Text string
		Seen bool
	}
	var read struct {
		Dead, Back, Outside, None, Gone, Bare, Offer said
		Before, During, After                        string
		Field, Answer, Cleared                       string
		Noticed                                      float64
		First                                        map[string][]float64
		Early                                        []string
	}
	if err := json.Unmarshal(browsed(t, "ends.mjs", front.URL, bare), &read); err != nil {
		t.Fatal(err)
	}
	for want, s := range map[string]said{
		"The server does not answer":            read.Dead,
		"outside the world":                     read.Outside,
		"These sketches have no points":         read.None,
		"no sketches in crimes.sketch any more": read.Gone,
		"There are no sketches of points here":  read.Bare,
		"Build sketches of it":                  read.Offer,
	} {
		if !strings.Contains(s.Text, want) || !s.Seen {
			t.Errorf("%q is told as %+v", want, s)
		}
	}
	if read.Back.Text != "" || read.Before != read.During || read.Before != read.After {
		t.Errorf("after the server is back: %+v, the view was %s, %s, %s", read.Back, read.Before, read.During, read.After)
	}
	if read.Answer == "" || read.Field != "" || read.Cleared != "" {
		t.Errorf("Clear leaves %q and %q of %q", read.Field, read.Cleared, read.Answer)
	}
	if len(read.Early) > 0 {
		t.Errorf("before the first tile came %q", read.Early)
	}
	t.Logf("the dead server was noticed after %.0f ms; the first picture was there after %v ms, by zoom", read.Noticed, read.First)
}
