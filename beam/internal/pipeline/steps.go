package pipeline

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"sort"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[*readFn]())
	beam.RegisterDoFn(reflect.TypeFor[*mergeFn]())
	beam.RegisterDoFn(reflect.TypeFor[*writeFn]())
	beam.RegisterDoFn(reflect.TypeFor[*summaryFn]())
	register.Emitter1[[]byte]()
	register.Iter1[[]byte]()
	register.Emitter2[int64, []byte]()
}

// Piece is the input of one query: rows First to Last-1 of a file, or all rows if Last is 0.
type Piece struct {
	File        string
	First, Last int64
}

// pieces divides large local Parquet files into ranges of rows.
func (p *Plan) pieces(ctx context.Context, files []string) (out []Piece, err error) {
	var divisible []string
	for _, name := range files {
		if isLocal(name) && formatOf(name) == "read_parquet" {
			divisible = append(divisible, text(name))
		} else {
			out = append(out, Piece{File: name})
		}
	}
	if divisible == nil {
		return out, nil
	}
	err = withEngine(ctx, p, func(conn *sql.Conn, _ string) error {
		found, err := query[Piece](ctx, conn, step{Plan: p, Path: strings.Join(divisible, ", ")}.statement("pieces"))
		out = append(out, found...)
		return err
	})
	return out, err
}

// named adds the name of a file to an error.
func named(name string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// readFn runs the query over a piece.
type readFn struct{ Plan Plan }

// ProcessElement runs the query over a piece. emit gets the result as Parquet, in parts that are
// numbered by the hash of the key. read gets the Summary of the piece as JSON.
func (f *readFn) ProcessElement(ctx context.Context, piece Piece, emit func(int64, []byte), read func([]byte)) error {
	p := &f.Plan
	return named(piece.File, withEngine(ctx, p, func(conn *sql.Conn, dir string) error {
		file, refused, err := p.load(ctx, conn, piece.File, dir)
		if err != nil {
			return err
		}
		it := step{Plan: p, Piece: piece, Path: file, To: filepath.Join(dir, "parts")}
		if err := it.do(ctx, conn, "rows"); err != nil {
			return it.lacks(ctx, conn, err)
		}
		s, err := p.judge(ctx, conn, piece.File, refused)
		if err != nil {
			return err
		}
		if err := it.do(ctx, conn, "part"); err != nil {
			return it.blame(ctx, conn, refused, err)
		}
		rowsRead.Add(s.Rows)
		if s.Sent, err = it.send(ctx, conn, emit); err != nil {
			return err
		}
		b, err := json.Marshal(s)
		read(b)
		return err
	}))
}

// lacks returns an error that names a column of the first file that a Parquet file does not have, or else err.
func (s step) lacks(ctx context.Context, conn *sql.Conn, err error) error {
	columns, failed := describe(ctx, conn, "FROM read_parquet("+text(s.Path)+")")
	for _, c := range s.Input {
		if failed == nil && !has(columns, c.Name) {
			return fmt.Errorf("no column %q, which the first file has", c.Name)
		}
	}
	return err
}

// load returns the name of a local Parquet file with the rows of the file name. refused has the rows
// of a CSV file that DuckDB rejected, in their order.
func (p *Plan) load(ctx context.Context, conn *sql.Conn, name, dir string) (file string, refused []BadRow, err error) {
	if file, err = fetch(ctx, name, dir); err != nil {
		return "", nil, err
	}
	format := formatOf(file)
	if format == "read_parquet" {
		return file, nil, nil
	}
	if err := checkWhole(file); err != nil {
		return "", nil, err
	}
	out := step{Plan: p, Path: file, To: filepath.Join(dir, "input.parquet")}
	if err := out.do(ctx, conn, "convert"); err != nil || format != "read_csv" {
		return out.To, nil, err
	}
	refused, err = query[BadRow](ctx, conn, out.statement("refused"))
	sort.Slice(refused, func(i, j int) bool { return refused[i].Row < refused[j].Row })
	return out.To, refused, err
}

// judge counts good rows, and bad rows by reason.
func (p *Plan) judge(ctx context.Context, conn *sql.Conn, file string, refused []BadRow) (*Summary, error) {
	s := &Summary{}
	for _, r := range refused {
		r.File = file
		s.bad(r.Reason, 1, r)
	}
	found, err := query[struct {
		Reason   *string
		Rows     int64
		Examples []BadRow
	}](ctx, conn, step{Plan: p}.statement("reasons"))
	for _, f := range found {
		if f.Reason == nil {
			s.Rows = f.Rows
			continue
		}
		for i := range f.Examples {
			r := &f.Examples[i]
			r.File, r.Row, r.Reason = file, rowOf(r.Row, refused), *f.Reason
		}
		s.bad(*f.Reason, f.Rows, f.Examples...)
	}
	return s, err
}

// rowOf returns the number in the file of the row that follows n rows that were not rejected.
func rowOf(n int64, refused []BadRow) int64 {
	n++
	for _, r := range refused {
		if r.Row <= n {
			n++
		}
	}
	return n
}

// wrong matches DuckDB's errors about a value.
var wrong = regexp.MustCompile("^(Invalid Input|Conversion|Out of Range)")

// blame finds the first row that causes an error of the query, and adds it to the error.
func (s step) blame(ctx context.Context, conn *sql.Conn, refused []BadRow, cause error) error {
	if !wrong.MatchString(cause.Error()) {
		return cause
	}
	first, last := s.First, s.Last
	if last == 0 {
		if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM ccbf_rows").Scan(&last); err != nil {
			return cause
		}
	}
	sort.Search(int(last-first), func(n int) bool { // a binary search for the first bad row: all rows before s.First are good
		s.Last = first + int64(n) + 1
		err := s.do(ctx, conn, "rows")
		if err == nil {
			err = s.do(ctx, conn, "part")
		}
		if err == nil {
			s.First = s.Last
		}
		return err != nil
	})
	if s.First == last {
		return cause
	}
	return fmt.Errorf("row %d: %w", rowOf(s.First, refused), cause)
}

// send emits the rows of the table part, and returns their bytes.
func (s step) send(ctx context.Context, conn *sql.Conn, emit func(int64, []byte)) (sent int64, err error) {
	if err := s.do(ctx, conn, "send"); err != nil {
		return 0, err
	}
	lane := uint64(0)
	if s.Fanout > 1 { // lane is a hash of the piece of input, so that a repeated step chooses the same lane
		h := fnv.New64a()
		_, _ = fmt.Fprint(h, s.Piece)
		lane = h.Sum64() % uint64(s.Fanout)
	}
	for shard := range int64(s.Files) {
		parts, err := filepath.Glob(filepath.Join(s.To, fmt.Sprintf("ccbf_shard=%d", shard), "*", "*"))
		if err != nil {
			return 0, err
		}
		for _, name := range parts {
			b, err := os.ReadFile(name)
			if err != nil {
				return 0, err
			}
			sent += int64(len(b))
			bytesSent.Add(int64(len(b)))
			emit(shard+int64(lane)*int64(s.Files), b)
		}
	}
	return sent, nil
}

// unite writes the rows of a query over the view result to a local file, and calls use with its
// name. In result each key of parts occurs once.
func (p *Plan) unite(ctx context.Context, parts func(*[]byte) bool, query string, use func(conn *sql.Conn, name string) error) error {
	return withEngine(ctx, p, func(conn *sql.Conn, dir string) error {
		var part []byte
		for n := 0; parts(&part); n++ {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part%d.parquet", n)), part, 0o600); err != nil {
				return err
			}
			partsUnited.Add(1)
		}
		s := step{Plan: p, Path: "read_parquet(" + text(filepath.Join(dir, "part*.parquet")) + ")", To: filepath.Join(dir, "united.parquet"), Query: query}
		if err := s.do(ctx, conn, "unite"); err != nil {
			return err
		}
		return use(conn, s.To)
	})
}

// mergeFn unites some of the parts of a shard.
type mergeFn struct{ Plan Plan }

// ProcessElement unites parts of a shard and emits them as one part of this shard.
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

// ProcessElement unites the parts of a shard and writes the shard's file. The name of the file is one
// that no other attempt has. emit gets its Summary.
func (f *writeFn) ProcessElement(ctx context.Context, shard int64, parts func(*[]byte) bool, emit func([]byte)) error {
	p := &f.Plan
	file := fmt.Sprintf("%s%05d-of-%05d.parquet", p.Folder, shard, p.Files)
	return named("writing "+file, p.unite(ctx, parts, p.final(), func(conn *sql.Conn, name string) error {
		s := Summary{Files: []string{file + "." + rand.Text()}}
		if err := conn.QueryRowContext(ctx, "SELECT num_rows FROM parquet_file_metadata("+text(name)+")").Scan(&s.Written); err != nil {
			return err
		}
		whole, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		s.Bytes = int64(len(whole))
		if err := write(ctx, s.Files[0], whole); err != nil {
			return err
		}
		b, err := json.Marshal(s)
		emit(b)
		return err
	}))
}

// write writes a file.
func write(ctx context.Context, name string, content []byte) error {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer closing(fs)
	return filesystem.Write(ctx, fs, name, content)
}

// summaryFn writes the summary of a run into its folder, where the client finds it.
type summaryFn struct{ Plan Plan }

// summaryPrefix begins the name of a summary in a run's folder.
const summaryPrefix = "summary."

// ProcessElement adds up the summaries of all steps and writes the sum. The name of the file is one
// that no other attempt has. A runner may start this step in a run that has failed. A worker of another
// program then writes nothing, because the client may have removed the folder already.
func (f *summaryFn) ProcessElement(ctx context.Context, _ []byte, steps func(*[]byte) bool) error {
	if err := f.Plan.checkProgram(); err != nil {
		return err
	}
	all := &Summary{Files: []string{}}
	for b := []byte(nil); steps(&b); {
		s := &Summary{}
		if err := json.Unmarshal(b, s); err != nil {
			return err
		}
		all.add(s)
	}
	return all.write(ctx, f.Plan.Folder+summaryPrefix+rand.Text())
}
