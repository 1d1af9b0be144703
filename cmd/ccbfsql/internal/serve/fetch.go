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

// reachable is where DuckDB reads a file of points: its name, or that of a copy where the
// file is at a URL and DuckDB's extension for such can be neither found nor installed. The
// copy is gone with the function that is returned.
func reachable(ctx context.Context, s *session.Session, file string, out io.Writer) (string, func(), error) {
	none := func() {}
	u := remote(file)
	if u == nil {
		return file, none, nil
	}
	if _, err := s.Strings(ctx, "DESCRIBE FROM "+lexer.QuoteText(file)); err == nil || !strings.Contains(err.Error(), `extension "httpfs"`) {
		return file, none, nil // it says itself what is wrong
	}
	folder, err := os.MkdirTemp("", "ccbfsql-serve")
	if err != nil {
		return "", none, err
	}
	remove := func() { _ = os.RemoveAll(folder) }      // of no more use, whatever became of it
	copied := filepath.Join(folder, path.Base(u.Path)) // its name says what it is
	n, err := fetch(ctx, file, copied)
	if err != nil {
		remove()
		return "", none, fmt.Errorf("%s: %w", file, err)
	}
	fmt.Fprintf(out, "DuckDB's extension httpfs is not installed: copied %s, %d bytes.\n", file, n)
	return copied, remove, nil
}

// remote is the URL of one file, nil where it is none.
func remote(file string) *url.URL {
	u, err := url.Parse(file)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || strings.Contains(u.Path, "*") {
		return nil
	}
	return u
}

// fetch copies what is at a URL to a file.
func fetch(ctx context.Context, from, to string) (n int64, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, http.NoBody)
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close() //nolint:errcheck // nothing is sent
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
