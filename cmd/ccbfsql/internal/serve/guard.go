package serve

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

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

// loopback reports whether only this machine can reach an address.
func loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
