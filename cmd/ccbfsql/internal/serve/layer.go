package serve

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/key"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/paulmach/orb"
)

// layer is a column of sketches, held in memory: the database is read-only, so
// that they cannot change. Tiles are drawn from these BLOBs alone.
type layer struct {
	Table      string     `json:"table"`
	Column     string     `json:"column"`
	Rows       int        `json:"rows"`
	Bytes      int64      `json:"bytes"`
	Total      uint64     `json:"total"`
	Res        float64    `json:"res"`
	Bounds     [4]float64 `json:"bounds"` // west, south, east, north
	Exact      int        `json:"exact"`  // rows whose sketch is exact
	Categories bool       `json:"categories"`
	Sliders    []slider   `json:"sliders"`

	plain    bool      // a row has no categories
	class    key.Class // of categories that cannot be given as text; 0 where there are none
	sketches []placed
	tops     *lru.Cache[filter, topOf]
}

// placed is a sketch, where it is, and what the sliders say of its row.
type placed struct {
	blob   []byte
	bounds orb.Bound
	values []int // of each slider, the index of the row's value; -1 where it is NULL
}

// keptTops is how many filters have their scale kept: a client can ask for more of
// them than there is memory.
const keptTops = 1 << 12

// newCache is a cache of the n entries used last.
func newCache[K comparable, V any](n int) *lru.Cache[K, V] {
	c, err := lru.New[K, V](n)
	if err != nil {
		panic(err) // of a size below 1
	}
	return c
}

// errTooLarge says that a table does not fit the memory given.
var errTooLarge = errors.New("sketches do not fit in memory")

// load reads a layer of at most so many bytes.
func load(ctx context.Context, db *sql.DB, t *table, column string, most int64) (*layer, error) {
	l := &layer{Table: t.name, Column: column, Sliders: []slider{}, tops: newCache[filter, topOf](keptTops)}
	names := []string{quoted(column)}
	for _, c := range t.columns {
		s, err := sliderOf(ctx, db, t.name, c)
		if err != nil {
			return nil, err
		}
		if s != nil {
			l.Sliders = append(l.Sliders, *s)
		}
	}
	// What people want to move through first: time, then what has few values.
	slices.SortStableFunc(l.Sliders, func(a, b slider) int {
		return cmp.Or(cmp.Compare(b.rank(), a.rank()), cmp.Compare(len(a.Values), len(b.Values)))
	})
	for _, s := range l.Sliders {
		names = append(names, quoted(s.Column)+"::VARCHAR")
	}
	rows, err := db.QueryContext(ctx, fmt.Sprintf("SELECT %s FROM %s WHERE %s IS NOT NULL", strings.Join(names, ", "), quoted(t.name), quoted(column)))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	places := make([]map[string]int, len(l.Sliders))
	for i, s := range l.Sliders {
		places[i] = map[string]int{}
		for j, v := range s.Values {
			places[i][v] = j
		}
	}
	var blob []byte
	texts := make([]sql.NullString, len(l.Sliders))
	into := []any{&blob}
	for i := range texts {
		into = append(into, &texts[i])
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		if l.Bytes += int64(len(blob)); l.Bytes > most {
			return nil, fmt.Errorf("%w: those of %s.%s take more than %d bytes (start with a larger -memory)", errTooLarge, t.name, column, most)
		}
		p := placed{blob: slices.Clone(blob)}
		for i, text := range texts {
			at := -1
			if text.Valid {
				at = places[i][text.String]
			}
			p.values = append(p.values, at)
		}
		if err := l.add(p); err != nil {
			return nil, fmt.Errorf("%s.%s, row %d: %w", t.name, column, l.Rows+1, err)
		}
	}
	return l, rows.Err()
}

// add puts a sketch into the layer.
func (l *layer) add(p placed) error {
	v, err := ccbf.NewView(p.blob)
	if err != nil {
		return err
	}
	l.Rows++
	if v.IsExact() {
		l.Exact++
	}
	if n, known := v.Total(); known {
		l.Total += n
	}
	l.Categories = l.Categories || v.CheckCategory(false) != nil
	l.plain = l.plain || v.CheckCategory(true) != nil
	if c := v.Class(); c != key.Text && c != key.None {
		l.class = c
	}
	if v.Bounds.Empty() {
		return nil
	}
	p.bounds = v.Grid.Bound(v.Bounds)
	all := p.bounds
	if len(l.sketches) > 0 {
		all = l.bound().Union(all)
	}
	l.Bounds = [4]float64{all.Min[0], all.Min[1], all.Max[0], all.Max[1]}
	l.Res = max(l.Res, v.Grid.Res())
	l.sketches = append(l.sketches, p)
	return nil
}

func (l *layer) bound() orb.Bound {
	return orb.Bound{Min: orb.Point{l.Bounds[0], l.Bounds[1]}, Max: orb.Point{l.Bounds[2], l.Bounds[3]}}
}

// filter chooses rows by one slider, from one of its values to another, and
// points by a category. The zero value but for slider -1 is all.
type filter struct {
	slider   int // index, or -1
	from, to int
	category string
	given    bool // a category is
}

// filter reads one from the words of a request; by is a column, empty for none.
func (l *layer) filter(by, from, to, category string, given bool) (filter, error) {
	f := filter{slider: -1, category: category, given: given}
	if l.Categories && !given {
		return f, fmt.Errorf("the sketches of %s.%s were built with a category: give one", l.Table, l.Column)
	}
	switch {
	case given && l.plain:
		return f, fmt.Errorf("the sketches of %s.%s were built without a category: give none", l.Table, l.Column)
	case given && l.class != key.None:
		return f, fmt.Errorf("categories of type %v cannot be chosen here", l.class)
	case by == "":
		return f, nil
	}
	f.slider = slices.IndexFunc(l.Sliders, func(s slider) bool { return s.Column == by })
	if f.slider < 0 {
		return f, fmt.Errorf("%s has no slider %q", l.Table, by)
	}
	if to == "" {
		to = from
	}
	for _, end := range []struct {
		text string
		at   *int
	}{{from, &f.from}, {to, &f.to}} {
		if *end.at = slices.Index(l.Sliders[f.slider].Values, end.text); *end.at < 0 {
			return f, fmt.Errorf("%s is never %q in %s", by, end.text, l.Table)
		}
	}
	return f, nil
}

// holds reports whether a row is chosen.
func (f *filter) holds(p *placed) bool {
	return f.slider < 0 || p.values[f.slider] >= f.from && p.values[f.slider] <= f.to
}
