package serve

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// basemap is a map below the sketches.
type basemap struct {
	Kind string `json:"kind"` // "tiles" or "pmtiles"; "": no map
	URL  string `json:"url"`

	Attribution string `json:"attribution,omitempty"`
	file        string // PMTiles file that this server serves
	origin      string // origin from which the page may load the map
}

// basemapPath is the path under which a PMTiles file is served.
const basemapPath = "/basemap.pmtiles"

// newBasemap parses the flag -basemap: a PMTiles file, its URL, or a tile URL with {z}, {x} and
// {y}.
func newBasemap(given string) (b basemap, err error) {
	if given == "" {
		return b, nil
	}
	if !strings.Contains(given, "://") {
		if !strings.HasSuffix(given, ".pmtiles") {
			return b, fmt.Errorf("-basemap is %q, must be a .pmtiles file, or a URL", given)
		}
		return basemap{Kind: "pmtiles", URL: basemapPath[1:], file: given}, isArchive(given)
	}
	u, err := url.Parse(strings.NewReplacer("{z}", "0", "{x}", "0", "{y}", "0").Replace(given))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(u.Host, "; ,'\"") {
		return b, errors.Join(err, fmt.Errorf("-basemap is %q, which is not an http or https URL", given))
	}
	b = basemap{Kind: "tiles", URL: given, origin: u.Scheme + "://" + u.Host, Attribution: u.Host}
	switch {
	case strings.HasSuffix(u.Path, ".pmtiles"):
		b.Kind = "pmtiles"
	case !strings.Contains(given, "{z}") || !strings.Contains(given, "{x}") || !strings.Contains(given, "{y}"):
		return b, fmt.Errorf("-basemap is %q, which lacks {z}, {x} and {y} for the tiles", given)
	}
	return b, nil
}

// archiveMark is the beginning of a PMTiles archive of version 3 (PMTiles 3, 3.1).
const archiveMark = "PMTiles\x03"

// isArchive returns an error if a file is not a PMTiles archive. The page would find that out only
// at its first request.
func isArchive(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("-basemap: %w", err)
	}
	defer f.Close() //nolint:errcheck // opened for reading
	mark := make([]byte, len(archiveMark))
	if _, err := io.ReadFull(f, mark); err != nil || string(mark) != archiveMark {
		return fmt.Errorf("-basemap: %s is not a PMTiles archive of version 3", file)
	}
	return nil
}

// serve serves the file, also in byte ranges.
func (b *basemap) serve(w http.ResponseWriter, r *http.Request) {
	if b.file == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/vnd.pmtiles")
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeFile(w, r, b.file)
}
