package pipeline

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// blockRows is how many rows are taken at once: many points of a key then
// travel together.
const blockRows = 1 << 17

// block is some rows of a file, column by column.
type block struct {
	first    int64 // number of the first row in its file, from 1
	n        int
	x, y     []float64
	keys     [][]value
	times    []time.Time // nil: none
	weights  []uint64    // nil: one each
	category [][]byte    // nil: none
	class    key.Class
	bad      map[int]reason // why a row is no point
	// text is a bad row as people read it.
	text func(i int) string
}

// value is one of a key's texts.
type value struct {
	text string
	null bool
}

// reason is why a row is no point. What is counted; Detail names the value.
type reason struct{ What, Detail string }

func (r reason) String() string {
	if r.Detail == "" {
		return r.What
	}
	return r.What + ": " + r.Detail
}

// newBlock is a block for what o asks of a file.
func newBlock(o *Options, first int64, n int) *block {
	b := &block{first: first, n: n, x: make([]float64, n), y: make([]float64, n), bad: map[int]reason{}}
	b.keys = make([][]value, len(o.Keys))
	for i := range b.keys {
		b.keys[i] = make([]value, n)
	}
	if o.Time != "" {
		b.times = make([]time.Time, n)
	}
	if o.Weight != "" {
		b.weights = make([]uint64, n)
	}
	if o.Category != "" {
		b.category = make([][]byte, n)
	}
	return b
}

// reject says why a row is no point; the first reason stays.
func (b *block) reject(i int, detail, format string, args ...any) {
	if _, ok := b.bad[i]; !ok {
		b.bad[i] = reason{fmt.Sprintf(format, args...), detail}
	}
}

// setNumber reads a text as a coordinate.
func (b *block) setNumber(dst []float64, i int, column, text string) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil && !math.IsInf(v, 0) {
		b.reject(i, strconv.Quote(text), "%s is not a number", column)
		return
	}
	dst[i] = v
}

func (b *block) setTime(i int, column, text string) {
	t, err := parseTime(text)
	if err != nil {
		b.reject(i, strconv.Quote(text), "%s is not a time", column)
		return
	}
	b.times[i] = t
}

func (b *block) setWeight(i int, column, text string) {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil {
		b.reject(i, strconv.Quote(text), "%s is not a whole number from 0", column)
		return
	}
	b.weights[i] = n
}
