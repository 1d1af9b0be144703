package serve

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/paulmach/orb"
)

// layer is a column of sketches in memory. Tiles are drawn from these BLOBs, without the database.
type layer struct {
	Table      string     `json:"table"`
	Column     string     `json:"column"`
	Rows       int        `json:"rows"`
	Bytes      int64      `json:"bytes"`
	Total      uint64     `json:"total"`
	Res        float64    `json:"res"`        // Side of the largest cells.
	Finest     float64    `json:"finest"`     // Side of the smallest cells.
	Bounds     [4]float64 `json:"bounds"`     // West, south, east, north.
	Exact      int        `json:"exact"`      // Rows whose sketch is exact (a sorted list of cells).
	Dense      int        `json:"dense"`      // Rows whose sketch is counters (a layered counting Bloom filter).
	Categories bool       `json:"categories"` // Queries must name a category.
	Class      string     `json:"class"`      // Type of the categories if they cannot be listed.
	Sliders    []slider   `json:"sliders"`
	Bad        []badRow   `json:"bad,omitempty"`     // The first rows that are left out, at most shownBad.
	BadRows    int        `json:"badRows,omitempty"` // Number of all rows that are left out: no sketch, or with other categories.
	Error      string     `json:"error,omitempty"`   // Why the layer cannot be drawn.

	grid     grid.Grid // Grid with cells of side Res.
	plain    bool      // Some sketch has no categories.
	class    key.Class // Type of the categories.
	keys     [][]byte  // Keys of the categories, in the order of their slider's values.
	parts    [][]int   // For each key the indexes of its fields' values in their sliders; -1: NULL. A key that is no STRUCT has one field.
	listed   map[string]bool
	unlisted bool // a sketch of counters cannot list its categories, so Sliders has none for them
	sketches []rowSketch
	looks    atomic.Pointer[layerExtent]
	tops     *lru.Cache[string, topModel] // by the category
}

// keptTops is the number of categories of a layer whose tops are kept.
const keptTops = 1000

// badRow is a row that is left out. Row is its number among the rows with a value.
type badRow struct {
	Row   int    `json:"row"`
	Error string `json:"error"`
}

// shownBad is the largest number of bad rows in a response.
const shownBad = 20

// rowSketch is the sketch of a row, its bounds, and the row's values of the sliders.
type rowSketch struct {
	blob   []byte
	bounds orb.Bound
	values []int // for each slider the index of the row's value; -1: NULL

	// noise returns how much counters add to counts by collisions, computed at its first call. It
	// returns nil for other forms.
	noise func() *bridge.Noise
}

// load reads a layer of at most most bytes. If atLeast is above 1, squares with fewer points are
// removed from its sketches.
func load(ctx context.Context, db *sql.DB, t *table, column string, most int64, atLeast uint64) (*layer, error) {
	tops, err := lru.New[string, topModel](keptTops)
	if err != nil {
		return nil, err
	}
	l := &layer{Table: t.name, Column: column, Sliders: []slider{}, listed: map[string]bool{}, tops: tops}
	blobs := lexer.QuoteName(column)
	if atLeast > 1 {
		blobs = fmt.Sprintf("CASE WHEN ccbf_is_valid(%[1]s) THEN ccbf_suppress(%[1]s, %[2]d) ELSE %[1]s END", blobs, atLeast)
	}
	for _, c := range t.columns {
		s, err := sliderOf(ctx, db, t.name, c)
		if err != nil {
			return nil, err
		}
		if s != nil {
			l.Sliders = append(l.Sliders, *s)
		}
	}
	// Sliders of times come first, then those with few values.
	order := func(s slider) int {
		if isTime(s.Type) {
			return len(s.Values) - mostTimes
		}
		return len(s.Values)
	}
	slices.SortStableFunc(l.Sliders, func(a, b slider) int { return order(a) - order(b) })
	var texts []string
	places := make([]map[string]int, len(l.Sliders))
	for i, s := range l.Sliders {
		texts = append(texts, lexer.QuoteName(s.Column)+"::VARCHAR")
		places[i] = map[string]int{}
		for j, v := range s.Values {
			places[i][v] = j
		}
	}
	n := 0
	err = eachRow(ctx, db, fmt.Sprintf("SELECT %s, [%s]::VARCHAR[] FROM %s WHERE %s IS NOT NULL", blobs, strings.Join(texts, ", "), lexer.QuoteName(t.name), lexer.QuoteName(column)), func(rows *sql.Rows) error {
		var blob []byte
		var values []any
		if err := rows.Scan(&blob, &values); err != nil {
			return err
		}
		if l.Bytes += int64(len(blob)); l.Bytes > most {
			return fmt.Errorf("sketches do not fit in memory: those of %s.%s take more than %d bytes (start with a larger -memory)", t.name, column, most)
		}
		n++
		p := rowSketch{blob: blob}
		for i, v := range values {
			at := -1
			if text, ok := v.(string); ok {
				at = places[i][text]
			}
			p.values = append(p.values, at)
		}
		if err := l.add(p); err != nil {
			if l.BadRows++; l.BadRows <= shownBad {
				l.Bad = append(l.Bad, badRow{n, err.Error()})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if atLeast > 1 {
		l.forgetUnused()
	}
	l.list()
	return l, nil
}

// forgetUnused removes the values of sliders that no sketch has: they tell of few points.
func (l *layer) forgetUnused() {
	for i := range l.Sliders {
		s := &l.Sliders[i]
		used := make([]bool, len(s.Values))
		for _, p := range l.sketches {
			if at := p.values[i]; at >= 0 {
				used[at] = true
			}
		}
		places, values := make([]int, len(used)), []string{}
		for at, is := range used {
			if places[at] = len(values); is {
				values = append(values, s.Values[at])
			}
		}
		s.Values = values
		for _, p := range l.sketches {
			if at := p.values[i]; at >= 0 {
				p.values[i] = places[at]
			}
		}
	}
}

// list adds a slider for each field of the categories, or for categories that are no STRUCTs one slider,
// if all sketches list theirs.
func (l *layer) list() {
	nested := slices.ContainsFunc(l.class.Fields(), key.Class.IsStruct)
	if l.unlisted || l.plain || nested || len(l.listed) == 0 || len(l.listed) > mostTimes {
		if !l.plain && l.class != key.None {
			l.Class = l.class.String()
		}
		return
	}
	for k := range l.listed {
		l.keys = append(l.keys, []byte(k))
	}
	slices.SortFunc(l.keys, orderOf(l.class))
	if !l.class.IsStruct() {
		l.field(slider{Column: byCategory}, l.class, l.keys)
		return
	}
	rests := slices.Clone(l.keys)
	for n, class := range l.class.Fields() {
		values := make([][]byte, len(l.keys))
		for i, rest := range rests {
			values[i], rests[i], _ = key.CutField(class, rest)
		}
		l.field(slider{Column: fmt.Sprintf("%s._%d", byCategory, n+1), Part: n + 1}, class, values)
	}
}

// field adds a slider s for a field of the categories. values are the field's keys; nil is NULL.
func (l *layer) field(s slider, class key.Class, values [][]byte) {
	s.Type, s.Category = class.String(), true
	distinct := slices.DeleteFunc(slices.Clone(values), func(v []byte) bool { return v == nil })
	order := orderOf(class)
	slices.SortFunc(distinct, order)
	distinct = slices.CompactFunc(distinct, bytes.Equal)
	for _, v := range distinct {
		s.Values = append(s.Values, string(key.AppendText(nil, class, v)))
	}
	if l.parts == nil {
		l.parts = make([][]int, len(l.keys))
	}
	for i, v := range values {
		at := -1
		if v != nil {
			at, _ = slices.BinarySearchFunc(distinct, v, order)
		}
		l.parts[i] = append(l.parts[i], at)
	}
	s.Grain = grainOf(&s)
	l.Sliders = append(l.Sliders, s)
}

// orderOf returns the order of the keys of a class.
func orderOf(class key.Class) func(a, b []byte) int {
	return func(a, b []byte) int {
		if order, ok := key.Compare(class, a, b); ok {
			return order
		}
		return bytes.Compare(a, b)
	}
}

// add adds a sketch to the layer.
func (l *layer) add(p rowSketch) error {
	v, err := ccbf.NewView(p.blob)
	if err == nil {
		err = sketch.Verify(p.blob) // also checks the checksum
	}
	if err != nil {
		return err
	}
	if c := v.Class(); c != key.None && l.class != key.None && c != l.class {
		return fmt.Errorf("its categories are of type %v, those of rows before of type %v", c, l.class)
	}
	l.class = max(l.class, v.Class())
	l.Rows++
	p.noise = func() *bridge.Noise { return nil }
	switch v.Form() {
	case ccbf.Exact:
		l.Exact++
	case ccbf.Dense:
		l.Dense++
		p.noise = sync.OnceValue(func() *bridge.Noise { return bridge.NoiseOf(&v) })
	}
	if n, known := v.Total(); known {
		l.Total += min(n, math.MaxUint64-l.Total) // a sum above 2^64-1 stays at 2^64-1, which stands for that number or more
	}
	l.Categories = l.Categories || v.CheckCategory(false) != nil
	l.plain = l.plain || v.CheckCategory(true) != nil
	list, err := v.ListCategories()
	l.unlisted = l.unlisted || err != nil
	for _, c := range list {
		l.listed[string(c.Key)] = true
	}
	if v.Bounds.Empty() {
		return nil
	}
	p.bounds = v.Grid.Bound(v.Bounds)
	all := p.bounds
	if len(l.sketches) > 0 {
		all = l.bound().Union(all)
	}
	l.Bounds = boxOf(all)
	if l.Finest == 0 || v.Grid.Res() < l.Finest {
		l.Finest = v.Grid.Res()
	}
	if v.Grid.Res() > l.Res {
		l.grid, l.Res = v.Grid, v.Grid.Res()
	}
	l.sketches = append(l.sketches, p)
	return nil
}

func (l *layer) bound() orb.Bound { return boundOf(l.Bounds) }
