package pipeline

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"reflect"
	"runtime/debug"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[*listFn]())
	register.Emitter1[Piece]()
}

// Piece is what one worker reads at a time: a row group of a Parquet file, or
// the whole of a file that can only be read from its beginning.
type Piece struct {
	File  string
	Group int64 // below 0: all
}

// listFn expands globs into pieces.
type listFn struct{ Globs []string }

// ProcessElement emits the pieces of all files, each once however many globs
// name it.
func (f *listFn) ProcessElement(ctx context.Context, _ []byte, emit func(Piece)) error {
	seen := map[string]bool{}
	for _, glob := range f.Globs {
		files, err := list(ctx, glob)
		if err != nil {
			return err
		}
		if len(files) == 0 {
			return fmt.Errorf("-in: no file matches %q", glob)
		}
		for _, name := range files {
			if seen[name] {
				continue
			}
			seen[name] = true
			if err := emitPieces(ctx, name, emit); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	filesCounter.Inc(ctx, int64(len(seen)))
	log.Infof(ctx, "%d files to read", len(seen))
	return nil
}

// list is the files that a glob names, in the file system of its scheme.
func list(ctx context.Context, glob string) ([]string, error) {
	fs, err := filesystem.New(ctx, glob)
	if err != nil {
		return nil, err
	}
	defer closing(fs)
	return fs.List(ctx, glob)
}

func isParquet(name string) bool { return path.Ext(name) == ".parquet" }

// checkFormat returns an error for a file that is neither Parquet nor CSV by its
// name.
func checkFormat(name string) error {
	if isParquet(name) || path.Ext(strings.TrimSuffix(name, ".gz")) == ".csv" {
		return nil
	}
	return fmt.Errorf("neither .parquet, .csv nor .csv.gz")
}

func emitPieces(ctx context.Context, name string, emit func(Piece)) error {
	if err := checkFormat(name); err != nil {
		return err
	}
	if !isParquet(name) {
		emit(Piece{name, -1})
		return nil
	}
	f, done, err := open(ctx, name)
	if err != nil {
		return err
	}
	defer done()
	random, ok := f.(parquet.ReaderAtSeeker)
	if !ok { // each piece would fetch the whole file
		emit(Piece{name, -1})
		return nil
	}
	r, err := openParquet(random)
	if err != nil {
		return err
	}
	for g := range r.ParquetReader().NumRowGroups() {
		emit(Piece{name, int64(g)})
	}
	return nil
}

// open opens a file for reading, in the file system of its scheme. done gives
// both back.
func open(ctx context.Context, name string) (f io.Reader, done func(), err error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	r, err := fs.OpenRead(ctx, name)
	if err != nil {
		closing(fs)
		return nil, nil, err
	}
	return r, func() {
		closing(r)
		closing(fs)
	}, nil
}

// withParquet calls f with an open Parquet file: a temporary copy where the file
// system can only read from the beginning.
func withParquet(ctx context.Context, name string, use func(parquet.ReaderAtSeeker) error) error {
	f, done, err := open(ctx, name)
	if err != nil {
		return err
	}
	defer done()
	if random, ok := f.(parquet.ReaderAtSeeker); ok {
		return use(random)
	}
	tmp, err := os.CreateTemp("", "ccbf-*.parquet")
	if err != nil {
		return err
	}
	defer func() {
		closing(tmp)
		_ = os.Remove(tmp.Name())
	}()
	if _, err := io.Copy(tmp, f); err != nil {
		return err
	}
	return use(tmp)
}

// closing closes what was only read.
func closing(c io.Closer) { _ = c.Close() }

// naming is an error, or a panic of a reader on bytes that it did not expect,
// with the name of the file.
func naming(name string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("cannot be read: %v\n%s", p, debug.Stack())
	}
	if *err != nil {
		*err = fmt.Errorf("%s: %w", name, *err)
	}
}

// pieces are those of all files, spread over workers.
func pieces(s beam.Scope, globs []string) beam.PCollection {
	return beam.Reshuffle(s, beam.ParDo(s, &listFn{globs}, beam.Impulse(s)))
}
