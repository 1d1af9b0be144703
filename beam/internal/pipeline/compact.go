package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[*readSketchesFn]())
	register.Emitter2[[]byte, []byte]()
}

// keyColumns are the columns of the key in a file of sketches: those in front of
// the sketch.
func keyColumns(schema *arrow.Schema) ([]Column, error) {
	var out []Column
	for _, f := range schema.Fields() {
		switch f.Type.(type) {
		case *arrow.BinaryType:
			if f.Name == sketchColumn {
				return out, nil
			}
			return nil, fmt.Errorf("column %q is %v, must be VARCHAR, DATE or TIMESTAMP to be part of the key of a sketch", f.Name, f.Type)
		case *arrow.StringType:
			out = append(out, Column{f.Name, Text})
		case *arrow.Date32Type:
			out = append(out, Column{f.Name, Date})
		case *arrow.TimestampType:
			out = append(out, Column{f.Name, Timestamp})
		default:
			return nil, fmt.Errorf("column %q is %v, must be VARCHAR, DATE or TIMESTAMP to be part of the key of a sketch", f.Name, f.Type)
		}
	}
	return nil, fmt.Errorf("no column %q of BLOBs", sketchColumn)
}

// columnsOf are the columns of the key in the first file that the globs name.
func columnsOf(ctx context.Context, globs []string) (columns []Column, err error) {
	files, err := list(ctx, globs[0])
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("-in: no file matches %q", globs[0])
	}
	defer naming(files[0], &err)
	if !isParquet(files[0]) {
		return nil, errors.New("sketches are read from .parquet files")
	}
	err = withParquet(ctx, files[0], func(in parquet.ReaderAtSeeker) error {
		_, columns, err = openSketches(in)
		return err
	})
	return columns, err
}

// openSketches opens a file of sketches and reads the columns of its key.
func openSketches(in parquet.ReaderAtSeeker) (*pqarrow.FileReader, []Column, error) {
	r, err := openParquet(in)
	if err != nil {
		return nil, nil, err
	}
	schema, err := r.Schema()
	if err != nil {
		return nil, nil, err
	}
	columns, err := keyColumns(schema)
	return r, columns, err
}

// checkApart returns an error where what is written would be read by the next
// compaction of the same files, and by every query of them.
func (o *Options) checkApart() error {
	for _, glob := range o.In {
		if hit, err := path.Match(glob, o.sketchFile(0)); err != nil {
			return fmt.Errorf("-in %q: %w", glob, err)
		} else if hit {
			return fmt.Errorf("-out %s: the files written there match -in %s and would count twice; write to another folder", o.Out, glob)
		}
	}
	return nil
}

// readSketchesFn reads the sketches of a piece.
type readSketchesFn struct{ Columns []Column }

// ProcessElement emits every sketch under its key. Rows without a sketch are
// left out, as ccbf_union_agg does.
func (f *readSketchesFn) ProcessElement(ctx context.Context, p Piece, emit func([]byte, []byte)) (err error) {
	defer naming(p.File, &err)
	return withParquet(ctx, p.File, func(in parquet.ReaderAtSeeker) error {
		r, columns, err := openSketches(in)
		if err != nil {
			return err
		}
		if !slices.Equal(columns, f.Columns) {
			return fmt.Errorf("its key is %v, that of the other files is %v", columns, f.Columns)
		}
		names := []string{sketchColumn}
		for _, c := range columns {
			names = append(names, c.Name)
		}
		return eachBatch(ctx, r, names, int(p.Group), func(_ int64, batch arrow.RecordBatch) error {
			return f.emit(ctx, batch, emit)
		})
	})
}

func (f *readSketchesFn) emit(ctx context.Context, batch arrow.RecordBatch, emit func([]byte, []byte)) error {
	at := func(name string) arrow.Array { return batch.Column(batch.Schema().FieldIndices(name)[0]) }
	blobs, ok := at(sketchColumn).(*array.Binary)
	if !ok {
		return fmt.Errorf("column %q is %v, must be BLOB", sketchColumn, at(sketchColumn).DataType())
	}
	read := int64(0)
	for i := range int(batch.NumRows()) {
		if blobs.IsNull(i) {
			continue
		}
		key := make([]byte, 0, 32)
		for _, c := range f.Columns {
			if a := at(c.Name); a.IsNull(i) {
				key = appendNull(key)
			} else {
				key = appendText(key, textAt(a, i))
			}
		}
		emit(key, slices.Clone(blobs.Value(i))) // a part of the batch's memory
		read++
	}
	unitedCounter.Inc(ctx, read)
	return nil
}
