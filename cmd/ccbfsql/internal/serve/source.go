package serve

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/session"
	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/internal/help"
)

// source is the served database. DuckDB locks a file: while one process writes, no other can open
// it. So the file is open only during queries and shortly after, and other programs can write in
// between.
type source struct {
	file string        // the database file
	idle time.Duration // how long db stays open after the last user

	mu    sync.Mutex
	db    *sql.DB     // nil: closed
	users int         // number of callers of use that have not ended their queries
	close *time.Timer // closes db if there are no users; nil: it was never set
}

// idleFor is how long a database stays open after a query. Opening takes some milliseconds, and
// queries often come together.
const idleFor = time.Second

// confined are the settings of a served database. Its views and macros may be hostile: they cannot
// read other files, attach databases, load extensions or change settings.
const confined = "access_mode=READ_ONLY&enable_external_access=false&lock_configuration=true"

// use opens the database. The caller must call the returned function after its queries.
func (s *source) use(ctx context.Context) (*sql.DB, func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.close != nil {
		s.close.Stop()
	}
	if s.db == nil {
		dsn, err := session.DSN(s.file, confined)
		if err != nil {
			return nil, nil, err
		}
		db, err := connector.Open(dsn)
		if err == nil {
			if err = db.PingContext(ctx); err != nil {
				_ = db.Close() // the first error is returned
			}
		}
		if err != nil {
			switch text := err.Error(); {
			case strings.Contains(text, "Could not set lock"):
				err = &problem{http.StatusServiceUnavailable, fmt.Errorf("another program is writing to %s: try again when it has closed the file", filepath.Base(s.file))}
			case strings.Contains(text, "not a valid DuckDB database"):
				err = fmt.Errorf("%s is no DuckDB database; a file of points ends in %s, perhaps with .gz or .zst", s.file, help.AnyOf(session.DataEndings))
			}
			return nil, nil, session.Clean(err)
		}
		s.db = db
	}
	s.users++
	return s.db, s.release, nil
}

// release ends one use of the database. After the last use the database is closed: at once, or when it
// was idle for a while.
func (s *source) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users > 0 {
		return
	}
	if s.idle == 0 {
		s.shut()
		return
	}
	s.close = time.AfterFunc(s.idle, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.users == 0 {
			s.shut()
		}
	})
}

// shut closes the database. The caller holds s.mu.
func (s *source) shut() {
	if s.db != nil {
		_ = s.db.Close() // opened read-only
		s.db = nil
	}
}

// end closes the database at once, without waiting for the timer.
func (s *source) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut()
}

// become replaces the file by another one, which the next call of use opens.
func (s *source) become(file string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut()
	s.file = file
}

// stamp returns a text that changes with the file.
func (s *source) stamp() string {
	s.mu.Lock()
	file := s.file
	s.mu.Unlock()
	out := ""
	for _, name := range []string{file, file + ".wal"} {
		if at, err := os.Stat(name); err == nil {
			out += fmt.Sprint(at.ModTime().UnixNano(), ".", at.Size(), ".")
		}
	}
	return out
}

// version is the response that tells the page whether there are new rows.
type version struct {
	Version string `json:"version"` // state of the file when the layers were loaded
	Waiting string `json:"waiting,omitempty"`
}

// version reloads the layers if the file has changed, and returns their version. If another program
// is writing, the previous layers stay.
func (s *server) version(r *http.Request) (any, error) {
	_, err := s.all(r.Context())
	s.loading.Lock()
	defer s.loading.Unlock()
	v := version{Version: s.stamp}
	if s.reloadErr != nil {
		v.Waiting = s.reloadErr.Error()
	}
	return v, err
}
