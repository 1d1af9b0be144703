package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// Requests per second in the long run, and at once: more than one person's map sends.
const (
	ratePerSecond = 1000
	rateAtOnce    = 4000
)

// guard checks the host, the origin and the rate of requests, sets the security headers, and turns
// panics into errors. Pages of the origins in cors may load tiles. The page itself may load from
// the origin other, if it is not empty.
func guard(next http.Handler, hosts names, cors []string, other string) http.Handler {
	limit := rate.NewLimiter(ratePerSecond, rateAtOnce)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		// All files come from this server, except for the basemap. MapLibre starts its workers from
		// blobs.
		h.Set("Content-Security-Policy", "default-src 'self'; connect-src 'self' "+other+"; worker-src 'self' blob:; child-src blob:; img-src 'self' data: blob: "+other+"; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		defer func() {
			if p := recover(); p != nil {
				slog.Error("panic", "path", r.URL.Path, "value", p, "stack", string(debug.Stack()))
				fail(w, r, fmt.Errorf("internal error: %v", p))
			}
		}()
		err := sameSite(r)
		if origin := r.Header.Get("Origin"); r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/tiles/") && slices.Contains(cors, origin) {
			err = nil
			h.Set("Access-Control-Allow-Origin", origin)
			h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		}
		if len(cors) > 0 {
			h.Add("Vary", "Origin")
		}
		switch {
		case !hosts.contains(r.Host):
			fail(w, r, &problem{http.StatusForbidden, fmt.Errorf("%q is not a name of this server: start it with -host NAME", r.Host)})
		case err != nil:
			fail(w, r, &problem{http.StatusForbidden, err})
		case !limit.Allow():
			h.Set("Retry-After", "1")
			fail(w, r, &problem{http.StatusTooManyRequests, fmt.Errorf("there were more than %d requests per second: try again in a second", ratePerSecond)})
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// Limits of requests: the bytes of a body, how many run at a time, and how long one can take.
const (
	maxBody    = 1 << 20
	atOnce     = 16
	answerTime = time.Minute
)

// limited limits the body and the time of requests, and how many run at a time. Further requests
// wait for their turn, as long as their client does.
func limited(next http.Handler) http.Handler {
	places := make(chan struct{}, atOnce)
	inTime := http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			next.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}), answerTime, fmt.Sprintf(`{"error":"the answer takes more than %v"}`, answerTime))
	return http.MaxBytesHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json") // for the response of TimeoutHandler
		inTime.ServeHTTP(w, r)
	}), maxBody)
}

// names are the host names of the server. Addresses are always allowed.
//
// Another site can let its own name resolve to this address, to read this server's data as if it
// were its own (DNS rebinding). It cannot do that with an address.
type names map[string]bool

// namesOf returns localhost, the machine's host name and the given names.
func namesOf(given []string) names {
	n := names{"localhost": true}
	if host, err := os.Hostname(); err == nil {
		n[strings.ToLower(host)] = true
	}
	for _, name := range given {
		n[strings.ToLower(strings.TrimSuffix(name, "."))] = true
	}
	return n
}

// contains reports whether the Host of a request is one of the names. Its port is ignored: it may
// be the port of a tunnel.
func (n names) contains(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return n[strings.ToLower(strings.TrimSuffix(host, "."))]
}

// sameSite returns an error for a request that a page of another site sends. It would run here,
// although that page could not read the response. A request without the headers of a browser comes
// from another program or from the address bar. Links to the map are allowed.
func sameSite(r *http.Request) error {
	h := r.Header
	if r.Method == http.MethodGet && r.URL.Path == "/" && h.Get("Sec-Fetch-Mode") == "navigate" && h.Get("Sec-Fetch-Dest") == "document" {
		return nil
	}
	asPost := *r
	asPost.Method = http.MethodPost // the check is for requests that change something, and allows all with GET
	if new(http.CrossOriginProtection).Check(&asPost) != nil {
		return errors.New("a page of another site sent this request: open the map itself, or start the server with -cors ORIGIN for tiles")
	}
	return nil
}

// readJSON decodes the body of a request. A page of another site cannot send JSON without a preflight
// request.
func readJSON(r *http.Request, into any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &problem{http.StatusUnsupportedMediaType, fmt.Errorf("the Content-Type is %q, must be application/json", r.Header.Get("Content-Type"))}
	}
	body := json.NewDecoder(r.Body)
	body.DisallowUnknownFields()
	err := body.Decode(into)
	var large *http.MaxBytesError
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &large):
		return fmt.Errorf("the body has more than %d bytes, which is the limit: %w", large.Limit, err)
	case errors.As(err, &other) && other.Field != "":
		return bad("%s in the body must not be a JSON %s", strings.TrimPrefix(other.Field, "selection."), other.Value)
	case err != nil:
		return bad("the body is not the JSON of this request: %w", err)
	}
	if _, end := body.Token(); !errors.Is(end, io.EOF) {
		return bad("the body must be one JSON object, but there is more after it")
	}
	return nil
}
