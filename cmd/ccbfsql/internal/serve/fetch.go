package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/session"
)

// reachable returns the name under which DuckDB can read a file of points. A file at a URL is
// copied if DuckDB's extension httpfs can be neither found nor installed. The returned function
// removes the copy.
func reachable(ctx context.Context, s *session.Session, file string, out io.Writer) (string, func(), error) {
	none := func() {}
	u := remote(file)
	if u == nil {
		return file, none, nil
	}
	if _, err := s.Strings(ctx, "DESCRIBE FROM "+lexer.QuoteText(file)); err == nil || !strings.Contains(err.Error(), `extension "httpfs"`) {
		return file, none, nil // DuckDB's own error is better
	}
	folder, err := os.MkdirTemp("", "ccbfsql-serve")
	if err != nil {
		return "", none, err
	}
	remove := func() { _ = os.RemoveAll(folder) }      // the copy is temporary: an error does not matter
	copied := filepath.Join(folder, path.Base(u.Path)) // DuckDB recognises the format by the name
	n, err := fetch(ctx, file, copied)
	if err != nil {
		remove()
		return "", none, fmt.Errorf("%s: %w", file, err)
	}
	fmt.Fprintf(out, "DuckDB's extension httpfs is not installed: copied %s, %d bytes.\n", file, n)
	return copied, remove, nil
}

// remote returns the URL of a single file, or nil if the name is not one.
func remote(file string) *url.URL {
	u, err := url.Parse(file)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || strings.Contains(u.Path, "*") {
		return nil
	}
	return u
}

// fetch copies the contents of a URL to a file, and returns the number of bytes.
func fetch(ctx context.Context, from, to string) (n int64, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, http.NoBody)
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close() //nolint:errcheck // opened for reading
	if answer.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("the server answered %s", answer.Status)
	}
	f, err := os.Create(to)
	if err != nil {
		return 0, err
	}
	n, err = io.Copy(f, answer.Body)
	return n, errors.Join(err, f.Close())
}
