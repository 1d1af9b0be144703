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

// Plan is all that a worker is told of a run.
type Plan struct {
	SQL, Check, Final, CSV, Memory string
	Input, Columns                 []Column
	Files, Fanout, Threads         int
	Rows                           int64
	Folder                         string // of the run, which no other run has
}

// BadRow is a row that the query did not see, and why.
type BadRow struct {
	File   string `json:"file"`
	Row    int64  `json:"row"` // from 1; the header of CSV does not count
	Reason string `json:"reason"`
	Text   string `json:"text"`
}

// pieces divides large Parquet files of the local file system.
func (p *Plan) pieces(ctx context.Context, files []string) (out []Piece, err error) {
	err = withEngine(ctx, p, func(conn *sql.Conn, _ string) error {
		for _, name := range files {
			rows := int64(0)
			if isLocal(name) && formatOf(name) == "read_parquet" {
				if err := conn.QueryRowContext(ctx, "SELECT num_rows FROM parquet_file_metadata("+text(name)+")").Scan(&rows); err != nil {
					return named(name, err)
				}
			}
			for at := int64(0); at == 0 || at < rows; at += p.Rows {
				out = append(out, Piece{name, at, min(rows, at+p.Rows)})
			}
		}
		return nil
	})
	return out, err
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

// maxExamples bounds the bad rows of a reason that are kept.
const maxExamples = 100

// partBytes is about how many bytes of sketches travel as one element.
const partBytes = 32 << 20

// ProcessElement emits the result as Parquet by the hash of the key, and what was read.
func (f *readFn) ProcessElement(ctx context.Context, piece Piece, emit func(int64, []byte), read func([]byte)) error {
	p := &f.Plan
	return named(piece.File, withEngine(ctx, p, func(conn *sql.Conn, dir string) error {
		file, err := fetch(ctx, piece.File, dir)
		if err != nil {
			return err
		}
		s := newSummary()
		var refused []BadRow
		if formatOf(file) != "read_parquet" {
			if file, refused, err = p.asParquet(ctx, conn, file, dir); err != nil {
				return err
			}
		}
		for _, r := range refused {
			r.File = piece.File
			s.bad(r.Reason, 1, r)
		}
		if err := p.view(ctx, conn, file, piece); err != nil {
			return err
		}
		if err := p.judge(ctx, conn, piece, refused, s); err != nil {
			return err
		}
		if err := p.run(ctx, conn); err != nil {
			return p.blame(ctx, conn, file, piece, refused, err)
		}
		rowsCounter.add(ctx, s.Rows)
		if s.Sent, err = p.send(ctx, conn, dir, piece, emit); err != nil {
			return err
		}
		b, err := json.Marshal(s)
		if err == nil {
			read(b)
		}
		return err
	}))
}

// view makes the views rows, with their numbers, and input of the good ones.
func (p *Plan) view(ctx context.Context, conn *sql.Conn, file string, piece Piece) error {
	bounds := ""
	if piece.Last > 0 {
		bounds = fmt.Sprintf(" WHERE file_row_number >= %d AND file_row_number < %d", piece.First, piece.Last)
	}
	good := ""
	if p.Check != "" {
		good = " WHERE (" + p.Check + ") IS NULL"
	}
	return execute(ctx, conn,
		fmt.Sprintf("CREATE OR REPLACE TEMP VIEW ccbf_rows AS SELECT %s, file_row_number AS ccbf_row FROM read_parquet(%s, file_row_number = true)%s",
			list(p.Input, cast), text(file), bounds),
		fmt.Sprintf("CREATE OR REPLACE TEMP VIEW input AS SELECT %s FROM ccbf_rows%s", list(p.Input, func(c Column) string { return quote(c.Name) }), good))
}

// judge counts the rows, and the bad ones by reason.
func (p *Plan) judge(ctx context.Context, conn *sql.Conn, piece Piece, refused []BadRow, s *Summary) error {
	check := "NULL::VARCHAR"
	if p.Check != "" {
		check = "(" + p.Check + ")::VARCHAR"
	}
	some := false
	err := each(ctx, conn, "SELECT "+check+" AS reason, count(*) FROM ccbf_rows GROUP BY 1", func(rows *sql.Rows) error {
		var reason sql.NullString
		var n int64
		err := rows.Scan(&reason, &n)
		if !reason.Valid {
			s.Rows += n
			return err
		}
		some = true
		s.bad(reason.String, n)
		return err
	})
	if err != nil || !some {
		return err
	}
	all := "to_json({" + list(p.Input, func(c Column) string { return quote(c.Name) + ": " + quote(c.Name) }) + "})"
	return each(ctx, conn, fmt.Sprintf("SELECT %s AS reason, ccbf_row, %s::VARCHAR FROM ccbf_rows WHERE reason IS NOT NULL "+
		"QUALIFY row_number() OVER (PARTITION BY reason ORDER BY ccbf_row) <= %d ORDER BY ccbf_row", check, all, maxExamples), func(rows *sql.Rows) error {
		r := BadRow{File: piece.File}
		err := rows.Scan(&r.Reason, &r.Row, &r.Text)
		r.Row = rowOf(r.Row, refused)
		s.bad(r.Reason, 0, r)
		return err
	})
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

// run makes the table part of the query's result.
func (p *Plan) run(ctx context.Context, conn *sql.Conn) error {
	key := list(p.Columns, func(c Column) string {
		if c.Combine != "" {
			return ""
		}
		return quote(c.Name)
	})
	if key == "" {
		key = "0"
	}
	return execute(ctx, conn, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE ccbf_part AS SELECT %s, hash(%s) AS ccbf_hash FROM (%s)",
		list(p.Columns, cast), key, p.SQL))
}

// blame adds to an error of the query the row that gives it, where one row does.
func (p *Plan) blame(ctx context.Context, conn *sql.Conn, file string, piece Piece, refused []BadRow, cause error) error {
	wrong := func(err error) bool {
		return err != nil && (strings.HasPrefix(err.Error(), "Invalid Input") || strings.HasPrefix(err.Error(), "Conversion") || strings.HasPrefix(err.Error(), "Out of Range"))
	}
	if !wrong(cause) {
		return cause
	}
	low, high := piece.First, piece.Last // the first row that fails is in low..high-1
	if high == 0 {
		if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM ccbf_rows").Scan(&high); err != nil {
			return cause
		}
	}
	for high-low > 1 {
		mid := low + (high-low)/2
		if err := p.view(ctx, conn, file, Piece{piece.File, low, mid}); err != nil {
			return cause
		}
		if err := p.run(ctx, conn); wrong(err) {
			high = mid
		} else if err != nil {
			return cause
		} else {
			low = mid
		}
	}
	return fmt.Errorf("row %d: %w", rowOf(low, refused), cause)
}

// send emits the table part, and returns its bytes.
func (p *Plan) send(ctx context.Context, conn *sql.Conn, dir string, piece Piece, emit func(int64, []byte)) (sent int64, err error) {
	type slice struct{ shard, n int64 }
	var slices []slice
	err = each(ctx, conn, fmt.Sprintf("SELECT ccbf_hash %% %d AS shard, (sum(%s) // %d + 1)::BIGINT FROM ccbf_part GROUP BY 1", p.Files, bytesOf(p.Columns), partBytes), func(rows *sql.Rows) error {
		var s slice
		err := rows.Scan(&s.shard, &s.n)
		slices = append(slices, s)
		return err
	})
	if err != nil {
		return 0, err
	}
	lane := int64(0)
	if p.Fanout > 1 { // by what is read, so that a repetition takes the same
		h := fnv.New64a()
		_, _ = fmt.Fprint(h, piece)
		lane = int64(h.Sum64() % uint64(p.Fanout))
	}
	for _, s := range slices {
		for i := range s.n {
			name := filepath.Join(dir, "part.parquet")
			err := execute(ctx, conn, fmt.Sprintf("COPY (SELECT * EXCLUDE (ccbf_hash) FROM ccbf_part WHERE ccbf_hash %% %d = %d AND (ccbf_hash // %d) %% %d = %d) TO %s (FORMAT parquet, COMPRESSION zstd)",
				p.Files, s.shard, p.Files, s.n, i, text(name)))
			if err != nil {
				return 0, err
			}
			b, err := os.ReadFile(name)
			if err != nil {
				return 0, err
			}
			sent += int64(len(b))
			sentCounter.add(ctx, int64(len(b)))
			emit(s.shard+lane*int64(p.Files), b)
		}
	}
	return sent, execute(ctx, conn, "DROP TABLE ccbf_part")
}

// bytesOf is the size of a row in SQL, about.
func bytesOf(columns []Column) string {
	size := "64"
	for _, c := range columns {
		if c.Type == "BLOB" {
			size += " + coalesce(octet_length(" + quote(c.Name) + "), 0)"
		}
	}
	return size
}
