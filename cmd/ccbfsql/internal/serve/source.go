package serve

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/ccbfsql/ccbfsql/connector"
)

// source is the database that is served. DuckDB lets no program write to a file that
// another has open, and none open one that is written to: so a file is open while it is
// asked and shortly after, and what was read of it is served meanwhile.
type source struct {
	file string // empty where db is open for good
	idle time.Duration

	mu    sync.Mutex
	db    *sql.DB // nil while nobody asks
	users int
	close *time.Timer // set while there are none
}

// idleFor is how long a database stays open after a question: opening it takes some
// milliseconds, and questions come together.
const idleFor = time.Second

// confined are the settings of a database that is served. Its views and macros may be anybody's:
// they read no other file, attach nothing, load no extension, and change no setting.
const confined = "access_mode=READ_ONLY&enable_external_access=false&lock_configuration=true"

// use opens the database, until the function that it returns is called.
func (s *source) use(ctx context.Context) (*sql.DB, func(), error) {
	if s.file == "" {
		return s.db, func() {}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.close != nil {
		s.close.Stop()
		s.close = nil
	}
	if s.db == nil {
		db, err := connector.Open(s.file + "?" + confined)
		if err == nil {
			if err = db.PingContext(ctx); err != nil {
				_ = db.Close() // the first error is the one to tell
			}
		}
		if err != nil {
			if strings.Contains(err.Error(), "lock") {
				err = &problem{http.StatusServiceUnavailable, fmt.Errorf("another program is writing to %s: try again when it has closed the file", s.file)}
			}
			return nil, nil, err
		}
		s.db = db
	}
	s.users++
	return s.db, s.release, nil
}

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

// shut closes the database. s.mu is held.
func (s *source) shut() {
	if s.db != nil && s.file != "" {
		_ = s.db.Close() // it was read only
		s.db = nil
	}
}

// end closes the database for good.
func (s *source) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.close != nil {
		s.close.Stop()
	}
	s.shut()
}

// become serves another file from now on.
func (s *source) become(file string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == 0 {
		s.shut()
	} else { // the next to ask opens the other one; the last who asks this one closes it
		s.db = nil
	}
	s.file = file
}

// stamp changes with the file.
func (s *source) stamp() string {
	s.mu.Lock()
	file := s.file
	s.mu.Unlock()
	if file == "" {
		return ""
	}
	out := file
	for _, name := range []string{file, file + ".wal"} {
		if at, err := os.Stat(name); err == nil {
			out += fmt.Sprint(at.ModTime().UnixNano(), " ", at.Size(), " ")
		}
	}
	return out
}

// version is what the page asks for to notice new rows.
type version struct {
	Version int    `json:"version"` // of the layers
	Server  int64  `json:"server"`  // when it started: another one has other layers
	Waiting string `json:"waiting,omitempty"`
}

// version loads again what changed, and says which version that is. While another program
// writes, the former one stays.
func (s *server) version(r *http.Request) (any, error) {
	_, err := s.all(r.Context())
	s.loading.Lock()
	defer s.loading.Unlock()
	v := version{Version: s.loads, Server: s.started.UnixMilli()}
	if s.waiting != nil {
		v.Waiting = s.waiting.Error()
	}
	return v, err
}
