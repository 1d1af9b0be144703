package pipeline

import (
	"context"
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
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[*readFn]())
	register.Emitter1[[]byte]()
	register.Emitter2[int64, []byte]()
}

// Piece is what one query reads: rows First to Last-1 of a file, all with Last 0.
type Piece struct {
	File        string
	First, Last int64
}

// pieces divides large Parquet files of the local file system.
func (p *Plan) pieces(ctx context.Context, files []string) (out []Piece, err error) {
	var divisible []string
	for _, name := range files {
		if isLocal(name) && formatOf(name) == "read_parquet" {
			divisible = append(divisible, text(name))
		}
	}
	rows := map[string]int64{}
	if divisible != nil {
		err := withEngine(ctx, p, func(conn *sql.Conn, _ string) error {
			found, err := query[struct {
				Name string
				Rows int64
			}](ctx, conn, "SELECT file_name AS name, num_rows AS rows FROM parquet_file_metadata(["+strings.Join(divisible, ", ")+"])")
			for _, f := range found {
				rows[f.Name] = f.Rows
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, name := range files {
		for at := int64(0); at == 0 || at < rows[name]; at += p.Rows {
			out = append(out, Piece{name, at, min(rows[name], at+p.Rows)})
		}
	}
	return out, nil
}

// named is an error with the name of a file.
func named(name string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// readFn runs the query over a piece.
type readFn struct{ Plan Plan }

// ProcessElement emits the result as Parquet by the hash of the key, and what was read.
func (f *readFn) ProcessElement(ctx context.Context, piece Piece, emit func(int64, []byte), read func([]byte)) error {
	p := &f.Plan
	return named(piece.File, withEngine(ctx, p, func(conn *sql.Conn, dir string) error {
		file, refused, err := p.load(ctx, conn, piece.File, dir)
		if err != nil {
			return err
		}
		if err := p.view(ctx, conn, file, piece); err != nil {
			return err
		}
		s, err := p.judge(ctx, conn, piece.File, refused)
		if err != nil {
			return err
		}
		if err := execute(ctx, conn, p.part()); err != nil {
			return p.blame(ctx, conn, file, piece, refused, err)
		}
		rowsCounter.add(ctx, s.Rows)
		if s.Sent, err = p.send(ctx, conn, dir, piece, emit); err != nil {
			return err
		}
		b, err := json.Marshal(s)
		read(b)
		return err
	}))
}

// load returns a file as local Parquet, and the rows of CSV that DuckDB refused, in their order.
func (p *Plan) load(ctx context.Context, conn *sql.Conn, name, dir string) (file string, refused []BadRow, err error) {
	if file, err = fetch(ctx, name, dir); err != nil {
		return "", nil, err
	}
	format := formatOf(file)
	if format == "read_parquet" {
		return file, nil, nil
	}
	out := filepath.Join(dir, "input.parquet")
	if err := execute(ctx, conn, "COPY (SELECT "+list(p.Input, cast)+" FROM "+p.table(file)+") TO "+text(out)+parquet); err != nil || format != "read_csv" {
		return out, nil, err
	}
	refused, err = query[BadRow](ctx, conn, "SELECT line - 1 AS row, lower(replace(error_type::VARCHAR, '_', ' ')) || coalesce(' of ' || column_name, '') AS reason, coalesce(csv_line, '') AS text "+
		"FROM ccbf_rejects QUALIFY row_number() OVER (PARTITION BY file_id, line ORDER BY column_idx) = 1")
	sort.Slice(refused, func(i, j int) bool { return refused[i].Row < refused[j].Row })
	return out, refused, err
}

// parquet is how COPY writes.
const parquet = " (FORMAT parquet, COMPRESSION zstd)"

// view makes the views of the rows, with their numbers and what is wrong with them, and of the good ones.
func (p *Plan) view(ctx context.Context, conn *sql.Conn, file string, piece Piece) error {
	bounds := "true"
	if piece.Last > 0 {
		bounds = fmt.Sprintf("file_row_number >= %d AND file_row_number < %d", piece.First, piece.Last)
	}
	return execute(ctx, conn,
		fmt.Sprintf("CREATE OR REPLACE TEMP VIEW ccbf_rows AS SELECT *, %s AS ccbf_reason FROM (SELECT %s, file_row_number AS ccbf_row FROM read_parquet(%s, file_row_number = true) WHERE %s)",
			p.reason(), list(p.Input, cast), text(file), bounds),
		"CREATE OR REPLACE TEMP VIEW input AS SELECT * EXCLUDE (ccbf_row, ccbf_reason) FROM ccbf_rows WHERE ccbf_reason IS NULL")
}

// judge counts the rows, and the bad ones by reason.
func (p *Plan) judge(ctx context.Context, conn *sql.Conn, file string, refused []BadRow) (*Summary, error) {
	s := &Summary{Bad: map[string]*BadRows{}}
	for _, r := range refused {
		r.File = file
		s.bad(r.Reason, 1, r)
	}
	all := list(p.Input, func(c Column) string { return quote(c.Name) + ": " + quote(c.Name) })
	found, err := query[struct {
		Reason   *string
		Rows     int64
		Examples []BadRow
	}](ctx, conn, fmt.Sprintf("SELECT ccbf_reason AS reason, count(*) AS rows, arg_min(CASE WHEN ccbf_reason IS NOT NULL THEN {row: ccbf_row, text: to_json({%s})::VARCHAR} END, ccbf_row, %d) AS examples FROM ccbf_rows GROUP BY 1", all, maxExamples))
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

// rowOf is the number in the file of a row that follows n others which were not refused.
func rowOf(n int64, refused []BadRow) int64 {
	n++
	for _, r := range refused {
		if r.Row <= n {
			n++
		}
	}
	return n
}

// wrong are DuckDB's errors for a value.
var wrong = regexp.MustCompile("^(Invalid Input|Conversion|Out of Range)")

// blame adds to an error of the query the first row that gives it, where one row does.
func (p *Plan) blame(ctx context.Context, conn *sql.Conn, file string, piece Piece, refused []BadRow, cause error) error {
	if !wrong.MatchString(cause.Error()) {
		return cause
	}
	if piece.Last == 0 {
		if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM ccbf_rows").Scan(&piece.Last); err != nil {
			return cause
		}
	}
	good := piece.First // the rows before it are
	sort.Search(int(piece.Last-piece.First), func(n int) bool {
		last := piece.First + int64(n) + 1
		err := p.view(ctx, conn, file, Piece{piece.File, good, last})
		if err == nil {
			err = execute(ctx, conn, p.part())
		}
		if err == nil {
			good = last
		}
		return err != nil
	})
	if good == piece.Last {
		return cause
	}
	return fmt.Errorf("row %d: %w", rowOf(good, refused), cause)
}

// partBytes is about how many bytes of sketches travel as one element.
const partBytes = 32 << 20

// send emits the table part, and returns its bytes.
func (p *Plan) send(ctx context.Context, conn *sql.Conn, dir string, piece Piece, emit func(int64, []byte)) (sent int64, err error) {
	size := "64" // of a row, about
	for _, c := range p.Columns {
		if c.Type == "BLOB" {
			size += " + coalesce(octet_length(" + quote(c.Name) + "), 0)"
		}
	}
	err = execute(ctx, conn,
		fmt.Sprintf("CREATE TEMP TABLE ccbf_shards AS SELECT ccbf_hash %% %d AS shard, (sum(%s) // %d + 1)::UBIGINT AS slices FROM ccbf_part GROUP BY 1", p.Files, size, partBytes),
		fmt.Sprintf("COPY (SELECT ccbf_part.* EXCLUDE (ccbf_hash), shard AS ccbf_shard, ccbf_hash // %d %% slices AS ccbf_slice FROM ccbf_part JOIN ccbf_shards ON shard = ccbf_hash %% %[1]d) "+
			"TO %s (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (ccbf_shard, ccbf_slice))", p.Files, text(filepath.Join(dir, "parts"))))
	if err != nil {
		return 0, err
	}
	lane := uint64(0)
	if p.Fanout > 1 { // by what is read, so that a repetition takes the same
		h := fnv.New64a()
		_, _ = fmt.Fprint(h, piece)
		lane = h.Sum64() % uint64(p.Fanout)
	}
	for shard := range int64(p.Files) {
		files, err := filepath.Glob(filepath.Join(dir, "parts", fmt.Sprintf("ccbf_shard=%d", shard), "*", "*"))
		if err != nil {
			return 0, err
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				return 0, err
			}
			sent += int64(len(b))
			sentCounter.add(ctx, int64(len(b)))
			emit(shard+int64(lane)*int64(p.Files), b)
		}
	}
	return sent, nil
}
