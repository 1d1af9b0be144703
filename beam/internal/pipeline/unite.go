package pipeline

import (
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
}

// unite writes what a query over the view result returns, in which each key of parts is once, to a
// local file, and calls use with its name.
func (p *Plan) unite(ctx context.Context, parts func(*[]byte) bool, query string, use func(conn *sql.Conn, name string) error) error {
	return withEngine(ctx, p, func(conn *sql.Conn, dir string) error {
		var part []byte
		for n := 0; parts(&part); n++ {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part%d.parquet", n)), part, 0o600); err != nil {
				return err
			}
			unitedCounter.add(ctx, 1)
		}
		name := filepath.Join(dir, "united.parquet")
		err := execute(ctx, conn,
			"CREATE TEMP VIEW result AS "+p.union("read_parquet("+text(filepath.Join(dir, "part*.parquet"))+")"),
			"COPY ("+query+") TO "+text(name)+parquet)
		if err != nil {
			return err
		}
		return use(conn, name)
	})
}

// mergeFn unites some of the parts of a shard.
type mergeFn struct{ Plan Plan }

// ProcessElement emits them as one part.
func (f *mergeFn) ProcessElement(ctx context.Context, lane int64, parts func(*[]byte) bool, emit func(int64, []byte)) error {
	return f.Plan.unite(ctx, parts, "FROM result", func(_ *sql.Conn, name string) error {
		b, err := os.ReadFile(name)
		if err == nil {
			emit(lane%int64(f.Plan.Files), b)
		}
		return err
	})
}

// writeFn unites the parts of a shard and writes its file.
type writeFn struct{ Plan Plan }

// ProcessElement writes under a name that no other attempt has, and emits what it wrote.
func (f *writeFn) ProcessElement(ctx context.Context, shard int64, parts func(*[]byte) bool, emit func([]byte)) error {
	p := &f.Plan
	file := fmt.Sprintf("%s%05d-of-%05d.parquet", p.Folder, shard, p.Files)
	return named("writing "+file, p.unite(ctx, parts, p.final(), func(conn *sql.Conn, name string) error {
		s := Summary{Files: []string{file + "." + rand.Text()}}
		if err := conn.QueryRowContext(ctx, "SELECT num_rows FROM parquet_file_metadata("+text(name)+")").Scan(&s.Written); err != nil {
			return err
		}
		in, err := os.Open(name)
		if err != nil {
			return err
		}
		defer closing(in)
		if s.Bytes, err = write(ctx, s.Files[0], in); err != nil {
			return err
		}
		b, err := json.Marshal(s)
		emit(b)
		return err
	}))
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
func (f *summaryFn) ProcessElement(ctx context.Context, _ []byte, steps func(*[]byte) bool) error {
	all := &Summary{Files: []string{}}
	for b := []byte(nil); steps(&b); {
		s := &Summary{}
		if err := json.Unmarshal(b, s); err != nil {
			return err
		}
		all.add(s)
	}
	return all.write(ctx, f.Folder+summaryPrefix+rand.Text())
}
