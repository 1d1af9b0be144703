package pipeline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/ccbfsql/ccbfsql/connector"
)

// engine is the DuckDB of this process, which all steps share, and the folder for its temporary
// files.
var engine struct {
	steps  sync.RWMutex // each step of the pipeline holds a read lock while it runs
	db     *sql.DB
	dir    string
	closed bool
}

// withEngine calls use with a connection and with an empty folder for it.
func withEngine(ctx context.Context, p *Plan, use func(conn *sql.Conn, dir string) error) error {
	engine.steps.RLock()
	defer engine.steps.RUnlock()
	if engine.closed {
		return errors.New("this process ends")
	}
	if err := cmp.Or(openEngine(), p.checkProgram()); err != nil {
		return err
	}
	conn, err := engine.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	dir, err := os.MkdirTemp(engine.dir, "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := (step{Plan: p}).do(ctx, conn, "settings"); err != nil {
		return err
	}
	return use(conn, dir)
}

// openEngine opens the database of this process and creates its folder for temporary files, once.
var openEngine = sync.OnceValue(func() (err error) {
	if engine.dir, err = os.MkdirTemp("", "ccbf-pipeline-"); err != nil {
		return err
	}
	// Beam leaves a temporary file behind for each run whose workers are in this process. With this
	// TMPDIR, closeEngine removes the file together with engine.dir.
	if err := os.Setenv("TMPDIR", engine.dir); err != nil {
		return err
	}
	if engine.db, err = connector.Open(""); err != nil {
		return err
	}
	engine.db.SetMaxIdleConns(-1) // a closed connection is not kept, so its temporary tables and views are dropped
	_, err = engine.db.Exec("SET GLOBAL temp_directory = " + text(filepath.Join(engine.dir, "spill")))
	return err
})

// awaitSteps waits until no step runs.
func awaitSteps() {
	engine.steps.Lock()
	defer engine.steps.Unlock()
}

// closeEngine closes the database of this process, after its running steps, and removes its folder.
func closeEngine() {
	engine.steps.Lock()
	defer engine.steps.Unlock()
	engine.closed = true
	if engine.db != nil {
		_ = engine.db.Close() // the database has nothing to keep
	}
	if engine.dir != "" {
		_ = os.RemoveAll(engine.dir)
	}
}

// sumOf returns the SHA-256 of a program.
func sumOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer closing(f)
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("%x", h.Sum(nil)), err
}

var ownSum = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return sumOf(self)
})

// checkProgram returns an error if another program made the plan, for example another version. Its
// cells or formats could differ, which the result would not show.
func (p *Plan) checkProgram() error {
	if p.Program == "" {
		return nil
	}
	own, err := ownSum()
	if err == nil && own != p.Program {
		err = fmt.Errorf("%s, which the runner starts as a worker, is not the program that started the pipeline (SHA-256 %.12s, not %.12s): put the same on all machines, or name the workers' with -worker_binary",
			os.Args[0], own, p.Program)
	}
	return err
}
