package serve

import (
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
)

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

var errElsewhere = errors.New("a page of another site sent this request: open the map itself, or start the server with -cors ORIGIN for tiles")

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
		return errElsewhere
	}
	return nil
}

// isJSON returns an error if the body's type is not JSON. A page of another site cannot send JSON
// without a preflight request.
func isJSON(r *http.Request) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &problem{http.StatusUnsupportedMediaType, fmt.Errorf("the Content-Type is %q, must be application/json", r.Header.Get("Content-Type"))}
	}
	return nil
}
