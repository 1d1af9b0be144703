package pipeline

import (
	"context"
	"reflect"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/ccbfsql/ccbfsql/beam/sketches"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[*readFn]())
	register.Emitter2[[]byte, sketches.Points]()
	register.Emitter1[BadRow]()
}

// BadRow is a row that is no point, and why.
type BadRow struct {
	File   string
	Row    int64 // from 1; a CSV's header does not count
	Reason string
	Text   string
}

// readFn reads pieces of files: their points by key, and the rows that are no
// points.
type readFn struct {
	Options Options

	config ccbf.Config
}

// Setup prepares what the options ask for.
func (f *readFn) Setup() (err error) {
	f.config, err = f.Options.check()
	return err
}

// ProcessElement emits a piece's points, all of a block and a key at once.
func (f *readFn) ProcessElement(ctx context.Context, p Piece, emit func([]byte, sketches.Points), bad func(BadRow)) error {
	return f.read(ctx, p, func(b *block) error {
		pointsCounter.Inc(ctx, f.group(b, emit))
		for i := range b.n {
			why, ok := b.bad[i]
			if !ok {
				continue
			}
			bad(BadRow{p.File, b.first + int64(i), why.String(), b.text(i)})
			skippedCounter.Inc(ctx, 1)
			newCounter(skippedPrefix+why.What).Inc(ctx, 1)
		}
		return nil
	})
}

// read calls f with the rows of a piece.
func (f *readFn) read(ctx context.Context, p Piece, use func(*block) error) (err error) {
	defer naming(p.File, &err)
	if isParquet(p.File) {
		return withParquet(ctx, p.File, func(in parquet.ReaderAtSeeker) error {
			r, err := openParquet(in)
			if err != nil {
				return err
			}
			return readParquet(ctx, &f.Options, r, int(p.Group), use)
		})
	}
	in, done, err := open(ctx, p.File)
	if err != nil {
		return err
	}
	defer done()
	return readCSV(&f.Options, p.File, in, use)
}

// group emits the points of a block by key, and says how many there are. Each
// batch is a part of two columns that the block's points are sorted into.
func (f *readFn) group(b *block, emit func([]byte, sketches.Points)) int64 {
	o := &f.Options
	ids := map[string]int32{}
	var keys []string
	of := make([]int32, b.n) // the key of each row; below 0: none
	counts := []int{}
	var key, last []byte
	id := int32(-1)
	for i := range b.n {
		of[i] = -1
		if key = f.key(key[:0], b, i); key == nil {
			continue
		}
		if id < 0 || string(key) != string(last) {
			var ok bool
			if id, ok = ids[string(key)]; !ok {
				id = int32(len(keys))
				keys = append(keys, string(key))
				ids[keys[id]] = id
				counts = append(counts, 0)
			}
			last = append(last[:0], key...)
		}
		of[i] = id
		counts[id]++
	}
	all := sketches.Points{X: make([]float64, b.n), Y: make([]float64, b.n), Class: b.class}
	if o.Weight != "" {
		all.N = make([]uint64, b.n)
	}
	if o.Category != "" {
		all.Category = make([][]byte, b.n)
	}
	next := make([]int, len(keys))
	for i := 1; i < len(next); i++ {
		next[i] = next[i-1] + counts[i-1]
	}
	for i, k := range of {
		if k < 0 {
			continue
		}
		at := next[k]
		next[k]++
		all.X[at], all.Y[at] = b.x[i], b.y[i]
		if all.N != nil {
			all.N[at] = b.weights[i]
		}
		if all.Category != nil {
			all.Category[at] = b.category[i]
		}
	}
	points := 0
	for k, n := range counts {
		emit([]byte(keys[k]), part(all, points, points+n))
		points += n
	}
	return int64(points)
}

// part is points from..to-1, which share the memory of all.
func part(all sketches.Points, from, to int) sketches.Points {
	p := sketches.Points{X: all.X[from:to:to], Y: all.Y[from:to:to], Class: all.Class}
	if all.N != nil {
		p.N = all.N[from:to:to]
	}
	if all.Category != nil {
		p.Category = all.Category[from:to:to]
	}
	return p
}

// key appends the key of a row, or is nil where the row is no point. A row
// without key columns has the empty key, which is one.
func (f *readFn) key(dst []byte, b *block, i int) []byte {
	if len(b.bad) > 0 {
		if _, bad := b.bad[i]; bad {
			return nil
		}
	}
	o := &f.Options
	if _, err := f.config.Grid.Cell(b.x[i], b.y[i]); err != nil {
		b.reject(i, err.Error(), "no cell at these coordinates")
		return nil
	}
	if dst == nil {
		dst = make([]byte, 0, 64)
	}
	for _, k := range b.keys {
		if v := k[i]; v.null {
			dst = appendNull(dst)
		} else {
			dst = appendText(dst, v.text)
		}
	}
	if o.Zoom >= 0 {
		var digits [grid.MaxZoom]byte
		quadkey, err := f.config.Grid.AppendQuadkey(digits[:0], b.x[i], b.y[i], o.Zoom)
		if err != nil {
			b.reject(i, err.Error(), "no map tile at these coordinates")
			return nil
		}
		dst = appendText(dst, quadkey)
	}
	if o.Time != "" {
		var text [32]byte
		bucket := buckets[o.Bucket]
		dst = appendText(dst, bucket.begin(b.times[i].UTC()).AppendFormat(text[:0], bucket.layout))
	}
	return dst
}
