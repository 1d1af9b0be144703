package serve

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// statement is a SQL statement that is being written. It runs exactly as the page shows it.
type statement struct{ strings.Builder }

func (s *statement) text(format string, args ...any) { fmt.Fprintf(s, format, args...) }

// value appends a literal. cast is the type that a text is cast to; "" means none.
func (s *statement) value(v any, cast string) {
	switch v := v.(type) {
	case string:
		s.WriteString(quoteText(v))
	case float64:
		s.WriteString(float(v))
	default:
		fmt.Fprint(s, v)
	}
	if cast != "" {
		s.text("::%s", cast)
	}
}

// quoteText returns a text as a SQL string. DuckDB ends a literal at a character 0, which chr(0)
// replaces.
func quoteText(text string) string {
	quoted := lexer.QuoteText(text)
	if !strings.Contains(text, "\x00") {
		return quoted
	}
	return "(" + strings.ReplaceAll(quoted, "\x00", "' || chr(0) || '") + ")"
}

// exactDigits is the number of digits up to which DuckDB converts a decimal literal to the nearest
// double. It reads the literal as DECIMAL first.
const exactDigits = 15

// float returns a SQL literal that DuckDB reads as the same double.
func float(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if len(text) > exactDigits && !strings.Contains(text, "e") {
		text += "e0" // SQL reads a number with an exponent as DOUBLE, not as DECIMAL
	}
	return text
}

// each runs the statement and calls f for every row. It returns the time in milliseconds.
func (s *statement) each(ctx context.Context, db *sql.DB, f func(rows *sql.Rows) error) (ms float64, err error) {
	start := time.Now()
	err = eachRow(ctx, db, s.String(), f)
	return since(start), err
}

// box appends the four edges of a box as arguments.
func (s *statement) box(edges [4]float64) {
	for _, edge := range edges {
		s.text(", ")
		s.value(edge, "")
	}
}

// from appends a FROM clause for the rows of a filter whose sketches can have a point in the box.
func (s *statement) from(l *layer, f filter, box [4]float64) {
	s.text("\nFROM %s\nWHERE ccbf_bbox_overlaps(%s", l.source(), lexer.QuoteName(l.Column))
	s.box(box)
	s.text(")")
	for _, c := range f.choices {
		slider := &l.Sliders[c.slider]
		s.text("\n  AND %s BETWEEN ", lexer.QuoteName(slider.Column))
		s.value(slider.Values[c.from], slider.Type)
		s.text(" AND ")
		s.value(slider.Values[c.to], slider.Type)
	}
}

// source returns the table in SQL. BLOBs that are not sketches are replaced by NULL, if there are
// any.
func (l *layer) source() string {
	if l.BadRows == 0 {
		return lexer.QuoteName(l.Table)
	}
	return fmt.Sprintf("(SELECT * REPLACE (CASE WHEN ccbf_is_valid(%[1]s) THEN %[1]s END AS %[1]s) FROM %[2]s)", lexer.QuoteName(l.Column), lexer.QuoteName(l.Table))
}

// category appends the argument for a filter's categories, if it has any.
func (s *statement) category(l *layer, f filter) {
	valuesOf := func(c valueRange) []string { return l.Sliders[c.slider].Values[c.from : c.to+1] }
	switch {
	case f.text != nil:
		s.text(", ")
		s.anyOf(l.class, []string{*f.text})
	case len(f.parts) == 0:
	case !l.class.IsStruct():
		s.text(", ")
		s.anyOf(l.class, valuesOf(f.parts[0]))
	default:
		separator := ", {"
		for _, c := range f.parts {
			part := l.Sliders[c.slider].Part
			s.text("%s_%d: ", separator, part)
			s.anyOf(l.class.Fields()[part-1], valuesOf(c))
			separator = ", "
		}
		s.text("}")
	}
}

// anyOf appends consecutive values of a class: a single value, a range if the class has an order,
// or a list.
func (s *statement) anyOf(class key.Class, texts []string) {
	one := func(text string) { s.value(text, castOf(class, text)) }
	switch n := len(texts); {
	case n == 1:
		one(texts[0])
	case class.Ordered():
		s.text("{lo: ")
		one(texts[0])
		s.text(", hi: ")
		one(texts[n-1])
		s.text("}")
	default:
		separator := "["
		for _, text := range texts {
			s.text("%s", separator)
			one(text)
			separator = ", "
		}
		s.text("]")
	}
}

// castOf returns the SQL type for texts of categories, or "" for VARCHAR.
func castOf(class key.Class, texts ...string) string {
	switch class {
	case key.Text, key.None:
		return ""
	case key.Decimal:
		scale := 0
		for _, text := range texts {
			_, digits, _ := strings.Cut(text, ".")
			scale = max(scale, len(digits))
		}
		return fmt.Sprintf("DECIMAL(38, %d)", scale)
	}
	if !class.IsStruct() {
		return class.String()
	}
	var fields []string
	for i, f := range class.Fields() { // the class does not know the names of the fields, so they are numbered
		fields = append(fields, fmt.Sprintf("_%d %s", i+1, cmp.Or(castOf(f, texts...), "VARCHAR")))
	}
	return "STRUCT(" + strings.Join(fields, ", ") + ")"
}

// structType returns the SQL type of categories that are STRUCTs, for a cast from text.
func (l *layer) structType() string {
	var texts []string
	for _, s := range l.Sliders {
		if s.Part > 0 && strings.HasPrefix(s.Type, "DECIMAL") {
			texts = append(texts, s.Values...)
		}
	}
	return castOf(l.class, texts...)
}

// areaSum is the number of points in an area.
type areaSum struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Certain  bool    `json:"certain"` // true: the truth is between low and high; false: it is so with high probability
	Cells    uint64  `json:"cells"`
	Sketches int     `json:"sketches"`
	Ms       float64 `json:"ms"`
	SQL      string  `json:"sql"`
}

// sum queries the number of points in an area.
func (l *layer) sum(ctx context.Context, db *sql.DB, f filter, a area) (*areaSum, error) {
	var s statement
	s.text("SELECT coalesce(sum(e.estimate), 0) AS estimate, coalesce(sum(e.low), 0)::DOUBLE AS low, coalesce(sum(e.high), 0)::DOUBLE AS high,\n  coalesce(max(e.cells), 0) AS cells, count(e) AS sketches\nFROM (SELECT ccbf_polygon_estimate(%s, ", lexer.QuoteName(l.Column))
	s.value(string(a.polygon), "")
	s.category(l, f)
	s.text(") AS e")
	s.from(l, f, a.box)
	s.text(")")
	out := &areaSum{SQL: s.String() + ";", Certain: l.Dense == 0}
	start := time.Now()
	err := db.QueryRowContext(ctx, s.String()).Scan(&out.Estimate, &out.Low, &out.High, &out.Cells, &out.Sketches)
	out.Ms = since(start)
	return out, err
}

func since(start time.Time) float64 { return float64(time.Since(start).Microseconds()) / 1000 }

// hotspots are the places with the most points.
type hotspots struct {
	Spots []spot  `json:"spots"`
	Ms    float64 `json:"ms"`
	SQL   string  `json:"sql"`
}

// spot is one of the places with the most points: its centre, its count and the side of its square.
type spot struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Count uint64  `json:"count"`
	Side  float64 `json:"side"` // side of the cell, or of a leaf of a tree (nested squares with counts)
}

// candidates is the least number of cells among which distant places are selected.
const candidates = 2000

// hottest queries the k cells with the most points in an area. Each must have the largest count
// within a square that extends by apart to every side. An apart of 0 returns the largest cells.
func (l *layer) hottest(ctx context.Context, db *sql.DB, f filter, a area, k int, apart float64) (*hotspots, error) {
	var s statement
	cells := k
	whole := apart <= 0 && a.isBox
	if !whole {
		cells = max(candidates, k)
		s.text("WITH cells AS (\n")
	}
	s.text("SELECT unnest(ccbf_top_k(ccbf_union_agg(%s)", lexer.QuoteName(l.Column))
	s.box(a.box)
	s.text(", %d", cells)
	s.category(l, f)
	s.text("), recursive := true)")
	s.from(l, f, a.box)
	if !whole {
		s.text("\n)")
		if !a.isBox {
			// A cell is inside if a sketch with a single point in this cell has a sum above 0 in the
			// polygon.
			s.text(", inside AS (\n  FROM cells WHERE ccbf_polygon_sum(ccbf_add(ccbf_empty(%g), x, y), ", l.Res)
			s.value(string(a.polygon), "")
			s.text(") > 0\n)")
		} else {
			s.text(", inside AS (FROM cells)")
		}
		s.text("\nFROM inside AS c\nWHERE NOT EXISTS (FROM inside AS o WHERE (o.count, o.y, o.x) > (c.count, c.y, c.x)\n  AND abs(o.x - c.x) <= ")
		s.value(apart, "")
		s.text(" AND abs(o.y - c.y) <= ")
		s.value(apart, "")
		s.text(")\nORDER BY count DESC, y DESC, x DESC LIMIT %d", k)
	}
	h := &hotspots{SQL: s.String() + ";", Spots: []spot{}}
	var err error
	h.Ms, err = s.each(ctx, db, func(rows *sql.Rows) error {
		var p spot
		err := rows.Scan(&p.X, &p.Y, &p.Count, &p.Side)
		h.Spots = append(h.Spots, p)
		return err
	})
	return h, err
}

// bars are the numbers of points in an area by the values of a column.
type bars struct {
	Bars []bar   `json:"bars"`
	All  int     `json:"all"` // number of values of the column; Bars has those with the most points
	Ms   float64 `json:"ms"`
	SQL  string  `json:"sql"`
}

// bar is the number of points of one value of a column.
type bar struct {
	Value    *string `json:"value"` // text of the value; nil: NULL
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// mostBars is the largest number of bars in a response, unless all are requested.
const mostBars = 200

// bars queries an area by the values of a column, or by the categories of the sketches: all values,
// or the largest. It ignores what the filter says about that column.
func (l *layer) bars(ctx context.Context, db *sql.DB, f filter, a area, by string, all bool) (*bars, error) {
	at := l.slider(by)
	if at < 0 {
		return nil, bad("%s has no column %q to choose by", l.Table, by)
	}
	var s statement
	s.text("SELECT v, sum(e.estimate) AS estimate, sum(e.low)::DOUBLE AS low, sum(e.high)::DOUBLE AS high\nFROM (SELECT ")
	f = f.without(at)
	isCategory := l.Sliders[at].Category
	if isCategory {
		v := "e.category"
		if part := l.Sliders[at].Part; part > 0 {
			v = fmt.Sprintf("(e.category::%s)._%d::VARCHAR", l.structType(), part)
		}
		s.text("%s AS v, e FROM (SELECT unnest(ccbf_categories(%s, ", v, lexer.QuoteName(l.Column))
		s.value(string(a.polygon), "")
		s.category(l, f)
		s.text(")) AS e")
	} else {
		s.text("%s::VARCHAR AS v, ccbf_polygon_estimate(%s, ", lexer.QuoteName(by), lexer.QuoteName(l.Column))
		s.value(string(a.polygon), "")
		s.category(l, f)
		s.text(") AS e")
	}
	s.from(l, f, a.box)
	if isCategory {
		s.text(")")
	}
	s.text(")\nGROUP BY v ORDER BY estimate DESC, v")
	out := &bars{SQL: s.String() + ";", Bars: []bar{}}
	var err error
	out.Ms, err = s.each(ctx, db, func(rows *sql.Rows) error {
		var b bar
		err := rows.Scan(&b.Value, &b.Estimate, &b.Low, &b.High)
		if out.All++; all || out.All <= mostBars {
			out.Bars = append(out.Bars, b)
		}
		return err
	})
	return out, err
}

// place is the number of points in the cell or square at a point of the map.
type place struct {
	Box      [4]float64 `json:"box"`
	Cells    float64    `json:"cells"` // number of cells in the box
	Estimate float64    `json:"estimate"`
	Low      float64    `json:"low"`
	High     float64    `json:"high"`
}

// mostLevel limits the side of a square to 2^30 cells, so that it stays within the grid.
const mostLevel = 30

// at counts the cell at a point. If cells are smaller than least, it counts the smallest square of
// 2^n cells a side that is at least that large.
func (l *layer) at(ctx context.Context, f filter, x, y, least float64) (*place, error) {
	if len(l.sketches) == 0 {
		return &place{Box: [4]float64{x, y, x, y}}, nil
	}
	level := 0
	for side := l.Res; side < least && level < mostLevel; side *= 2 {
		level++
	}
	c, err := l.grid.Cell(x, y)
	if err != nil {
		return nil, err
	}
	square := grid.Rect{MinX: c.X >> level << level, MinY: c.Y >> level << level}
	square.MaxX, square.MaxY = square.MinX+1<<level-1, square.MinY+1<<level-1
	box := l.grid.Bound(square)
	p := &place{Box: [4]float64{box.Min[0], box.Min[1], box.Max[0], box.Max[1]}, Cells: float64(square.Count())}
	var v ccbf.View
	bridge.LimitAreas(&v)
	for _, row := range l.selected(&f, box) {
		if err := row.open(ctx, &v, &f); err != nil {
			return nil, err
		}
		cells, err := v.Grid.Box(p.Box[0], p.Box[1], p.Box[2], p.Box[3])
		if err != nil {
			return nil, err
		}
		e, err := v.Estimate(ccbf.Box(cells), f.of)
		if err != nil {
			return nil, err
		}
		p.Estimate += e.Value
		p.Low += float64(e.Low)
		p.High += float64(e.High)
	}
	return p, nil
}
