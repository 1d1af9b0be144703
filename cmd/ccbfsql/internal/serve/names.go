package serve

import (
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
)

// names are the names that the server goes by, apart from addresses; nil is any.
//
// A page elsewhere can have its own name resolved to this address, to read what is
// served here as if it were its own. It cannot have an address for its name.
type names map[string]bool

// namesOf are localhost, the machine's own name, and what else it was told.
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

// have reports whether the Host of a request is one of the names. The port does
// not matter: it may be that of a tunnel.
func (n names) have(host string) bool {
	if n == nil {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return n[strings.ToLower(strings.TrimSuffix(host, "."))]
}

var errElsewhere = errors.New("a request from a page of another site")

// sameSite returns an error for requests that a page of another site makes: they
// would run here, even where that page cannot read the answer. Browsers say where
// requests come from in Sec-Fetch-Site, and in Origin with all that are no GET; what
// says nothing is no browser, or an address that a person typed. Following a link
// to the map itself is allowed.
func sameSite(r *http.Request) error {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		if link := r.Method == http.MethodGet && r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"; !link {
			return errElsewhere
		}
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || !strings.EqualFold(u.Host, r.Host) {
			return errElsewhere
		}
	}
	return nil
}

// isJSON returns an error for a body that does not call itself JSON: without asking
// first, no page can have a browser send one that does to another site.
func isJSON(r *http.Request) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &problem{http.StatusUnsupportedMediaType, fmt.Errorf("the Content-Type is %q, must be application/json", r.Header.Get("Content-Type"))}
	}
	return nil
}
