package pipeline

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// openParquet reads the footer of a Parquet file. One that was cut short has
// none.
func openParquet(f parquet.ReaderAtSeeker) (*pqarrow.FileReader, error) {
	r, err := file.NewParquetReader(f)
	if err != nil {
		return nil, err
	}
	return pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{BatchSize: blockRows}, memory.DefaultAllocator)
}

// eachBatch calls f with the rows of some columns: those of one row group, or of
// all where group is below 0. first is the number of a batch's first row.
func eachBatch(ctx context.Context, r *pqarrow.FileReader, columns []string, group int, f func(first int64, batch arrow.RecordBatch) error) error {
	schema, err := r.Schema()
	if err != nil {
		return err
	}
	indices := make([]int, len(columns))
	for i, c := range columns {
		at := schema.FieldIndices(c)
		if len(at) == 0 {
			var names []string
			for _, field := range schema.Fields() {
				names = append(names, field.Name)
			}
			return noColumn(c, names)
		}
		// The leaf of the field, which is a column of the file.
		if indices[i] = r.ParquetReader().MetaData().Schema.ColumnIndexByName(c); indices[i] < 0 {
			return fmt.Errorf("column %q is nested: its type is %v", c, schema.Field(at[0]).Type)
		}
	}
	var groups []int
	first := int64(1)
	for g := range r.ParquetReader().NumRowGroups() {
		if group < 0 || g == group {
			groups = append(groups, g)
		} else if g < group {
			first += r.ParquetReader().RowGroup(g).NumRows()
		}
	}
	slices.Sort(indices)
	rr, err := r.GetRecordReader(ctx, slices.Compact(indices), groups)
	if err != nil {
		return err
	}
	defer rr.Release()
	for rr.Next() {
		batch := rr.RecordBatch()
		if err := f(first, batch); err != nil {
			return err
		}
		first += batch.NumRows()
	}
	if err := rr.Err(); err != nil && err != io.EOF {
		return err
	}
	return nil
}

// parquetColumns are those that the options ask for.
func (o *Options) parquetColumns() []string {
	out := append([]string{o.X, o.Y}, o.Keys...)
	for _, c := range []string{o.Time, o.Weight, o.Category} {
		if c != "" {
			out = append(out, c)
		}
	}
	return out
}

// readParquet calls f with the rows of a Parquet file's row group, or of all.
func readParquet(ctx context.Context, o *Options, r *pqarrow.FileReader, group int, f func(*block) error) error {
	return eachBatch(ctx, r, o.parquetColumns(), group, func(first int64, batch arrow.RecordBatch) error {
		b, err := parquetBlock(o, first, batch)
		if err != nil {
			return err
		}
		return f(b)
	})
}

func parquetBlock(o *Options, first int64, batch arrow.RecordBatch) (*block, error) {
	b := newBlock(o, first, int(batch.NumRows()))
	column := func(name string) arrow.Array {
		return batch.Column(batch.Schema().FieldIndices(name)[0])
	}
	b.text = func(i int) string {
		fields := make([]string, batch.NumCols())
		for c := range fields {
			fields[c] = textAt(batch.Column(c), i)
		}
		return strings.Join(fields, ",")
	}
	for _, c := range []struct {
		name string
		dst  []float64
	}{{o.X, b.x}, {o.Y, b.y}} {
		if err := b.numbers(c.dst, c.name, column(c.name)); err != nil {
			return nil, err
		}
	}
	for k, name := range o.Keys {
		a := column(name)
		for i := range b.n {
			if b.keys[k][i].null = a.IsNull(i); !a.IsNull(i) {
				b.keys[k][i].text = textAt(a, i)
			}
		}
	}
	if o.Time != "" {
		a := column(o.Time)
		b.eachGiven(o.Time, a, func(i int) { b.timeAt(i, o.Time, a) })
	}
	if o.Weight != "" {
		a := column(o.Weight)
		b.eachGiven(o.Weight, a, func(i int) { b.setWeight(i, o.Weight, textAt(a, i)) })
	}
	if o.Category != "" {
		return b, b.categories(o.Category, column(o.Category))
	}
	return b, nil
}

// eachGiven calls f for every row that has a value, and rejects the others.
func (b *block) eachGiven(name string, a arrow.Array, f func(i int)) {
	for i := range b.n {
		if a.IsNull(i) {
			b.reject(i, "", "%s is NULL", name)
		} else {
			f(i)
		}
	}
}

// numbers reads a column of coordinates.
func (b *block) numbers(dst []float64, name string, a arrow.Array) error {
	var at func(i int) float64
	switch a := a.(type) {
	case *array.Float64:
		if a.NullN() == 0 {
			copy(dst, a.Float64Values())
			return nil
		}
		at = a.Value
	case *array.Float32:
		at = func(i int) float64 { return float64(a.Value(i)) }
	case *array.Int64:
		at = func(i int) float64 { return float64(a.Value(i)) }
	case *array.Int32:
		at = func(i int) float64 { return float64(a.Value(i)) }
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		at = func(i int) float64 { return a.Value(i).ToFloat64(scale) }
	case *array.String:
		b.eachGiven(name, a, func(i int) { b.setNumber(dst, i, name, a.Value(i)) })
		return nil
	default:
		return fmt.Errorf("column %q is %v, must be a number", name, a.DataType())
	}
	b.eachGiven(name, a, func(i int) { dst[i] = at(i) })
	return nil
}

func (b *block) timeAt(i int, name string, a arrow.Array) {
	switch a := a.(type) {
	case *array.Date32:
		b.times[i] = a.Value(i).ToTime()
	case *array.Timestamp:
		b.times[i] = a.Value(i).ToTime(a.DataType().(*arrow.TimestampType).Unit)
	default:
		b.setTime(i, name, textAt(a, i))
	}
}

// categories reads a column of categories, whose class is its type's.
func (b *block) categories(name string, a arrow.Array) error {
	var at func(i int) []byte
	switch a := a.(type) {
	case *array.String:
		b.class, at = key.Text, func(i int) []byte { return []byte(a.Value(i)) }
	case *array.Int64:
		b.class, at = key.Int, func(i int) []byte { return key.AppendInt64(nil, a.Value(i)) }
	case *array.Int32:
		b.class, at = key.Int, func(i int) []byte { return key.AppendInt64(nil, int64(a.Value(i))) }
	case *array.Boolean:
		b.class, at = key.Bool, func(i int) []byte { return key.AppendBool(nil, a.Value(i)) }
	case *array.Date32:
		b.class, at = key.Date, func(i int) []byte { return key.AppendDate(nil, int32(a.Value(i))) }
	default:
		return fmt.Errorf("column %q is %v, must be VARCHAR, INTEGER, BIGINT, BOOLEAN or DATE to be a category", name, a.DataType())
	}
	b.eachGiven(name, a, func(i int) { b.category[i] = at(i) })
	return nil
}

// textAt is a value as DuckDB writes it as VARCHAR.
func textAt(a arrow.Array, i int) string {
	switch a := a.(type) {
	case *array.String:
		return strings.Clone(a.Value(i)) // not a part of the batch's memory
	case *array.Timestamp:
		if a.IsValid(i) {
			return a.Value(i).ToTime(a.DataType().(*arrow.TimestampType).Unit).Format(timeLayout)
		}
	case *array.Float64:
		if a.IsValid(i) {
			text := strconv.FormatFloat(a.Value(i), 'g', -1, 64)
			if strings.Trim(text, "-0123456789") == "" {
				text += ".0"
			}
			return text
		}
	}
	if a.IsNull(i) {
		return ""
	}
	return a.ValueStr(i)
}
