package pipeline

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[*mergeFn]())
	beam.RegisterDoFn(reflect.TypeFor[*writeFn]())
	beam.RegisterDoFn(reflect.TypeFor[*summaryFn]())
	register.Iter1[[]byte]()
	register.Iter1[File]()
	register.Emitter1[File]()
}

// File is a complete file that waits for its name.
type File struct {
	Temp, Name  string
	Rows, Bytes int64
}

// unite makes the view result of parts, each key once.
func (p *Plan) unite(ctx context.Context, conn *sql.Conn, dir string, parts func(*[]byte) bool) error {
	var part []byte
	for n := 0; parts(&part); n++ {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part%d.parquet", n)), part, 0o600); err != nil {
			return err
		}
		unitedCounter.add(ctx, 1)
	}
	return execute(ctx, conn, "CREATE OR REPLACE TEMP VIEW result AS "+p.union("read_parquet("+text(filepath.Join(dir, "part*.parquet"))+")"))
}

// union is the query that unites the rows of a table with the same key.
func (p *Plan) union(table string) string {
	columns := list(p.Columns, func(c Column) string {
		if c.Combine == "" {
			return quote(c.Name)
		}
		return fmt.Sprintf("CAST(%s(%s) AS %s) AS %s", c.Combine, quote(c.Name), c.Type, quote(c.Name))
	})
	return "SELECT " + columns + " FROM " + table + " GROUP BY ALL"
}

// mergeFn unites some of the parts of a shard.
type mergeFn struct{ Plan Plan }

// ProcessElement emits them as one part.
func (f *mergeFn) ProcessElement(ctx context.Context, lane int64, parts func(*[]byte) bool, emit func(int64, []byte)) error {
	return withEngine(ctx, &f.Plan, func(conn *sql.Conn, dir string) error {
		if err := f.Plan.unite(ctx, conn, dir, parts); err != nil {
			return err
		}
		name := filepath.Join(dir, "united.parquet")
		if err := execute(ctx, conn, "COPY (FROM result) TO "+text(name)+" (FORMAT parquet, COMPRESSION zstd)"); err != nil {
			return err
		}
		b, err := os.ReadFile(name)
		if err == nil {
			emit(lane%int64(f.Plan.Files), b)
		}
		return err
	})
}

// writeFn unites the parts of a shard and writes its file.
type writeFn struct{ Plan Plan }

// ProcessElement writes under a name that no other attempt has.
func (f *writeFn) ProcessElement(ctx context.Context, shard int64, parts func(*[]byte) bool, emit func(File)) error {
	p := &f.Plan
	file := File{Name: fmt.Sprintf("%s%05d-of-%05d.parquet", p.Folder, shard, p.Files)}
	err := withEngine(ctx, p, func(conn *sql.Conn, dir string) error {
		if err := p.unite(ctx, conn, dir, parts); err != nil {
			return err
		}
		final := p.Final
		if final == "" {
			final = "FROM result"
		}
		name := filepath.Join(dir, "file.parquet")
		err := execute(ctx, conn, fmt.Sprintf("COPY (%s) TO %s (FORMAT parquet, COMPRESSION zstd)", final, text(name)))
		if err != nil {
			return err
		}
		if err := conn.QueryRowContext(ctx, "SELECT num_rows FROM parquet_file_metadata("+text(name)+")").Scan(&file.Rows); err != nil {
			return err
		}
		file.Temp = file.Name + "." + rand.Text()
		in, err := os.Open(name)
		if err != nil {
			return err
		}
		defer closing(in)
		file.Bytes, err = write(ctx, file.Temp, in)
		return err
	})
	if err != nil {
		return fmt.Errorf("writing %s: %w", file.Name, err)
	}
	emit(file)
	return nil
}

// write makes a file of all that is read, and returns its length.
func write(ctx context.Context, name string, in io.Reader) (int64, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return 0, err
	}
	defer closing(fs)
	out, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(out, in)
	return n, errors.Join(err, out.Close())
}

// summaryFn writes what a run read and wrote, where the client finds it.
type summaryFn struct{ Folder string }

// summaryPrefix begins the name of a summary in the folder of a run.
const summaryPrefix = "summary."

// ProcessElement writes under a name that no other attempt has.
func (f *summaryFn) ProcessElement(ctx context.Context, _ []byte, files func(*File) bool, reads func(*[]byte) bool) error {
	all := newSummary()
	for b := []byte(nil); reads(&b); {
		s := Summary{}
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		all.Rows += s.Rows
		all.Sent += s.Sent
		for reason, r := range s.Bad {
			all.bad(reason, r.Rows, r.Examples...)
		}
	}
	for one := (File{}); files(&one); one = (File{}) {
		all.Files = append(all.Files, one)
	}
	b, err := json.Marshal(all)
	if err != nil {
		return err
	}
	_, err = write(ctx, f.Folder+summaryPrefix+rand.Text(), bytes.NewReader(b))
	return err
}
