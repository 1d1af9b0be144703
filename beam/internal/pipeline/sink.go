package pipeline

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[*shardFn]())
	beam.RegisterDoFn(reflect.TypeFor[*writeFn]())
	beam.RegisterDoFn(reflect.TypeFor[*writeBadFn]())
	beam.RegisterDoFn(reflect.TypeFor[*shardBadFn]())
	register.Iter1[Row]()
	register.Iter1[BadRow]()
	register.Emitter1[File]()
}

// Row is a sketch and its key.
type Row struct{ Key, Sketch []byte }

const sketchColumn = "sketch"

// resultColumns stand behind the sketch.
var resultColumns = []string{"total", "xmin", "ymin", "xmax", "ymax"}

// shardFn chooses the file of a sketch.
type shardFn struct{ Files int }

// ProcessElement chooses by the key, so that a retry chooses the same.
func (f *shardFn) ProcessElement(key, blob []byte) (int64, Row) {
	return shardOf(key, f.Files), Row{key, blob}
}

func shardOf(key []byte, files int) int64 {
	h := fnv.New64a()
	_, _ = h.Write(key)
	return int64(h.Sum64() % uint64(files))
}

// writeFn writes the sketches of a shard.
type writeFn struct {
	Options Options
	Columns []Column
}

// rowGroupBytes is about how many bytes of sketches share a row group: what a
// writer and a reader hold in memory at a time.
const rowGroupBytes = 16 << 20

// ProcessElement writes one file, which finishFn gives its name.
func (f *writeFn) ProcessElement(ctx context.Context, shard int64, rows func(*Row) bool, emit func(File)) error {
	file := File{Name: f.Options.sketchFile(int(shard))}
	temp, err := write(ctx, file.Name, func(w io.Writer) error { return f.writeRows(w, rows, &file) })
	if err != nil {
		return err
	}
	file.Temp = temp
	sketchesCounter.Inc(ctx, file.Rows)
	bytesCounter.Inc(ctx, file.Bytes)
	emit(file)
	return nil
}

func (f *writeFn) writeRows(w io.Writer, rows func(*Row) bool, file *File) error {
	schema := schemaOf(f.Columns)
	props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithDictionaryFor(sketchColumn, false), parquet.WithStatsFor(sketchColumn, false))
	out, err := pqarrow.NewFileWriter(schema, struct{ io.Writer }{w}, props, pqarrow.DefaultWriterProps())
	if err != nil {
		return err
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	held := 0
	flush := func() error {
		batch := b.NewRecordBatch()
		defer batch.Release()
		held = 0
		return out.Write(batch)
	}
	var row Row
	for rows(&row) {
		if err := f.append(b, row); err != nil {
			return err
		}
		file.Rows++
		file.Bytes += int64(len(row.Sketch))
		if held += len(row.Sketch) + len(row.Key); held >= rowGroupBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if held > 0 {
		if err := flush(); err != nil {
			return err
		}
	}
	return out.Close()
}

// schemaOf is the schema of the files written.
func schemaOf(columns []Column) *arrow.Schema {
	var fields []arrow.Field
	for _, c := range columns {
		types := map[Kind]arrow.DataType{
			Text: arrow.BinaryTypes.String, Date: arrow.FixedWidthTypes.Date32,
			Timestamp: &arrow.TimestampType{Unit: arrow.Microsecond},
		}
		fields = append(fields, arrow.Field{Name: c.Name, Type: types[c.Kind], Nullable: true})
	}
	fields = append(fields, arrow.Field{Name: sketchColumn, Type: arrow.BinaryTypes.Binary})
	for i, name := range resultColumns {
		t := arrow.PrimitiveTypes.Float64
		if i == 0 {
			t = arrow.PrimitiveTypes.Uint64
		}
		fields = append(fields, arrow.Field{Name: name, Type: t, Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

// append adds a row: the key, the sketch, its total, and the edges of its cells.
func (f *writeFn) append(b *array.RecordBuilder, row Row) error {
	err := splitKey(row.Key, len(f.Columns), func(i int, text []byte, null bool) error {
		return appendValue(b.Field(i), string(text), null)
	})
	if err != nil {
		return err
	}
	next := len(f.Columns)
	field := func() array.Builder { next++; return b.Field(next - 1) }
	field().(*array.BinaryBuilder).Append(row.Sketch)
	parsed, err := sketch.Parse(row.Sketch)
	if err != nil {
		return err
	}
	if total := field().(*array.Uint64Builder); parsed.Flags.Has(sketch.TotalKnown) {
		total.Append(parsed.Total)
	} else {
		total.AppendNull()
	}
	edges, err := edgesOf(parsed.Family, row.Sketch)
	if err != nil {
		return err
	}
	for i := range 4 {
		if e := field().(*array.Float64Builder); edges != nil {
			e.Append(edges[i])
		} else {
			e.AppendNull()
		}
	}
	return nil
}

// edgesOf are xmin, ymin, xmax and ymax of the cells that a sketch can have
// counts in; nil where there are none, or no cells at all.
func edgesOf(family sketch.ID, blob []byte) ([]float64, error) {
	if family != ccbf.Family.ID {
		return nil, nil
	}
	v, err := ccbf.NewView(blob)
	if err != nil {
		return nil, err
	}
	if v.Bounds.Empty() {
		return nil, nil
	}
	b := v.Grid.Bound(v.Bounds)
	return []float64{b.Min[0], b.Min[1], b.Max[0], b.Max[1]}, nil
}

func appendValue(b array.Builder, text string, null bool) error {
	if null {
		b.AppendNull()
		return nil
	}
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append(text)
	case *array.Date32Builder:
		t, err := time.Parse(dateLayout, text)
		if err != nil {
			return err
		}
		b.Append(arrow.Date32FromTime(t))
	case *array.TimestampBuilder:
		t, err := time.Parse(timeLayout, text)
		if err != nil {
			return err
		}
		b.Append(arrow.Timestamp(t.UnixMicro()))
	default:
		return fmt.Errorf("no column of a key is %T", b)
	}
	return nil
}

// shardBadFn chooses the file of a bad row: one per file that it was read from.
type shardBadFn struct{ Files int }

// ProcessElement chooses by the file's name.
func (f *shardBadFn) ProcessElement(r BadRow) (int64, BadRow) {
	return shardOf([]byte(r.File), f.Files), r
}

// writeBadFn writes the bad rows of a shard, as CSV.
type writeBadFn struct{ Options Options }

// ProcessElement writes one file, which finishFn gives its name.
func (f *writeBadFn) ProcessElement(ctx context.Context, shard int64, rows func(*BadRow) bool, emit func(File)) error {
	file := File{Name: f.Options.badFile(int(shard))}
	temp, err := write(ctx, file.Name, func(w io.Writer) error {
		out := csv.NewWriter(w)
		err := out.Write([]string{"file", "row", "reason", "text"})
		for r := new(BadRow); err == nil && rows(r); {
			err = out.Write([]string{r.File, strconv.FormatInt(r.Row, 10), r.Reason, r.Text})
		}
		out.Flush()
		return errors.Join(err, out.Error())
	})
	if err != nil {
		return err
	}
	file.Temp = temp
	emit(file)
	return nil
}

// writeSketches writes a PCollection<KV<[]byte, []byte>>: a PCollection<File>.
func writeSketches(s beam.Scope, o *Options, columns []Column, blobs beam.PCollection) beam.PCollection {
	s = s.Scope("Write")
	sharded := beam.ParDo(s, &shardFn{o.Files}, blobs)
	return beam.ParDo(s, &writeFn{*o, columns}, beam.GroupByKey(s, sharded))
}

// writeBad writes a PCollection<BadRow>: a PCollection<File>.
func writeBad(s beam.Scope, o *Options, rows beam.PCollection) beam.PCollection {
	s = s.Scope("WriteBadRows")
	sharded := beam.ParDo(s, &shardBadFn{o.Files}, rows)
	return beam.ParDo(s, &writeBadFn{*o}, beam.GroupByKey(s, sharded))
}
