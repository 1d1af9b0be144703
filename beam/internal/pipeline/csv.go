package pipeline

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// readCSV calls f with the rows of a CSV file that begins with a header. What is
// no CSV at all, or was cut short so that one can tell, is an error; a row with
// too few or too many fields is a bad row.
func readCSV(o *Options, name string, file io.Reader, f func(*block) error) error {
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(file)
		if err != nil {
			return err
		}
		file = z
	}
	in := bufio.NewReaderSize(file, 1<<20)
	if bom, _ := in.Peek(3); string(bom) == "\xef\xbb\xbf" {
		_, _ = in.Discard(3)
	}
	r := csv.NewReader(in)
	r.ReuseRecord = true
	header, err := r.Read()
	if err == io.EOF {
		return errors.New("no header: the file is empty")
	}
	if err != nil {
		return err
	}
	c, err := newCSVColumns(o, slices.Clone(header))
	if err != nil {
		return err
	}
	for first := int64(1); ; first += blockRows {
		b, err := c.block(r, first)
		if err != nil && err != io.EOF {
			return err
		}
		if b.n > 0 {
			if err := f(b); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// csvColumns are where a file has what the options ask for; -1 is nowhere.
type csvColumns struct {
	o                         *Options
	fields                    int
	x, y, time, weight, group int
	keys                      []int
}

func newCSVColumns(o *Options, header []string) (*csvColumns, error) {
	c := &csvColumns{o: o, fields: len(header), keys: make([]int, len(o.Keys))}
	find := func(at *int, name string) error {
		if *at = -1; name == "" {
			return nil
		}
		if *at = slices.Index(header, name); *at < 0 {
			return noColumn(name, header)
		}
		return nil
	}
	err := errors.Join(find(&c.x, o.X), find(&c.y, o.Y), find(&c.time, o.Time), find(&c.weight, o.Weight), find(&c.group, o.Category))
	for i, k := range o.Keys {
		err = errors.Join(err, find(&c.keys[i], k))
	}
	return c, err
}

// noColumn is the error for a column that a file does not have.
func noColumn(name string, names []string) error {
	return fmt.Errorf("no column %q among %s", name, strings.Join(names, ", "))
}

// block reads up to blockRows rows; io.EOF says that they were the last.
func (c *csvColumns) block(r *csv.Reader, first int64) (*block, error) {
	b := newBlock(c.o, first, blockRows)
	b.class = key.Text
	texts := map[int]string{}
	b.text = func(i int) string { return texts[i] }
	for i := range blockRows {
		record, err := r.Read()
		if err != nil && !errors.Is(err, csv.ErrFieldCount) {
			b.cut(i)
			return b, err
		}
		if err != nil {
			b.reject(i, fmt.Sprint(len(record)), "not the %d fields of the header", c.fields)
		} else {
			c.row(b, i, record)
		}
		if _, bad := b.bad[i]; bad {
			texts[i] = strings.Join(record, ",")
		}
	}
	return b, nil
}

// row reads one record. An empty field is NULL, as DuckDB reads it.
func (c *csvColumns) row(b *block, i int, record []string) {
	o := c.o
	given := func(at int, name string) bool {
		if record[at] == "" {
			b.reject(i, "", "%s is NULL", name)
		}
		return record[at] != ""
	}
	if given(c.x, o.X) {
		b.setNumber(b.x, i, o.X, record[c.x])
	}
	if given(c.y, o.Y) {
		b.setNumber(b.y, i, o.Y, record[c.y])
	}
	if c.time >= 0 && given(c.time, o.Time) {
		b.setTime(i, o.Time, record[c.time])
	}
	if c.weight >= 0 && given(c.weight, o.Weight) {
		b.setWeight(i, o.Weight, record[c.weight])
	}
	if c.group >= 0 && given(c.group, o.Category) {
		b.category[i] = []byte(record[c.group])
	}
	for k, at := range c.keys {
		b.keys[k][i] = value{strings.Clone(record[at]), record[at] == ""}
	}
}

// cut keeps the first n rows.
func (b *block) cut(n int) {
	b.n, b.x, b.y = n, b.x[:n], b.y[:n]
	for i := range b.keys {
		b.keys[i] = b.keys[i][:n]
	}
	b.times = cutTo(b.times, n)
	b.weights = cutTo(b.weights, n)
	b.category = cutTo(b.category, n)
}

func cutTo[T any](v []T, n int) []T {
	if v == nil {
		return nil
	}
	return v[:n]
}
