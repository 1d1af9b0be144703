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
	"github.com/paulmach/orb"
)

// float returns a SQL literal that DuckDB reads as the same double.
func float(v float64) string {
	return lexer.Float(strconv.FormatFloat(v, 'g', -1, 64), lexer.DoubleDigits)
}

// queryRun is part of every response from SQL: the time of the query in milliseconds, and its text.
type queryRun struct {
	Ms  float64 `json:"ms"`
	SQL string  `json:"sql"`
}

// run runs a query and calls f for every row.
func (q *queryRun) run(ctx context.Context, db *sql.DB, query string, f func(rows *sql.Rows) error) error {
	start := time.Now()
	err := eachRow(ctx, db, query, f)
	q.Ms, q.SQL = float64(time.Since(start).Microseconds())/1000, query+";"
	return err
}

// edges returns the four edges of a box as arguments, each after a comma.
func edges(box orb.Bound) (args string) {
	for _, edge := range boxOf(box) {
		args += ", " + float(edge)
	}
	return args
}

// from returns a FROM clause for the rows of a filter whose sketches can have a point in the box.
func (l *layer) from(f filter, box orb.Bound) string {
	table, column := lexer.QuoteName(l.Table), lexer.QuoteName(l.Column)
	if l.BadRows > 0 { // what is left out is replaced by NULL
		table = fmt.Sprintf("(SELECT * REPLACE (CASE WHEN NOT ccbf_is_valid(%[1]s) THEN NULL\n  WHEN coalesce((sketch_info(%[1]s)).key_type, %[3]s) = %[3]s THEN %[1]s END AS %[1]s) FROM %[2]s)",
			column, table, lexer.QuoteText(l.class.String()))
	}
	clause := fmt.Sprintf("\nFROM %s\nWHERE ccbf_bbox_overlaps(%s%s)", table, column, edges(box))
	for _, c := range f.choices {
		slider := &l.Sliders[c.slider]
		from, to := lexer.QuoteText(slider.Values[c.from]), lexer.QuoteText(slider.Values[c.to])
		clause += fmt.Sprintf("\n  AND %s BETWEEN %s::%s AND %s::%[3]s", lexer.QuoteName(slider.Column), from, slider.Type, to)
	}
	return clause
}

// category returns the argument for a filter's categories after a comma, or "" if it has none.
func (l *layer) category(f filter) string {
	valuesOf := func(c valueRange) []string { return l.Sliders[c.slider].Values[c.from : c.to+1] }
	switch {
	case f.text != nil:
		return ", " + anyOf(l.class, []string{*f.text})
	case len(f.parts) == 0:
		return ""
	case !l.class.IsStruct():
		return ", " + anyOf(l.class, valuesOf(f.parts[0]))
	}
	var fields []string
	for _, c := range f.parts {
		part := l.Sliders[c.slider].Part
		fields = append(fields, fmt.Sprintf("_%d: %s", part, anyOf(l.class.Fields()[part-1], valuesOf(c))))
	}
	return ", {" + strings.Join(fields, ", ") + "}"
}

// anyOf returns consecutive values of a class in SQL: a single value, a range if the class has an
// order, or a list.
func anyOf(class key.Class, texts []string) string {
	values := make([]string, len(texts))
	for i, text := range texts {
		values[i] = lexer.QuoteText(text)
		if cast := castOf(class, text); cast != "" {
			values[i] += "::" + cast
		}
	}
	switch n := len(values); {
	case n == 1:
		return values[0]
	case class.Ordered():
		return "{lo: " + values[0] + ", hi: " + values[n-1] + "}"
	}
	return "[" + strings.Join(values, ", ") + "]"
}

// castOf returns the SQL type for the text of a category, or "" for VARCHAR.
func castOf(class key.Class, text string) string {
	switch class {
	case key.Text, key.None:
		return ""
	case key.Decimal:
		_, digits, _ := strings.Cut(text, ".")
		return fmt.Sprintf("DECIMAL(38, %d)", len(digits))
	}
	return class.String()
}

// areaSum is the number of points in an area.
type areaSum struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Certain  bool    `json:"certain"` // true: the truth is between low and high; false: it is so with high probability
	Cells    uint64  `json:"cells"`
	Sketches int     `json:"sketches"`
	queryRun
}

// sum queries the number of points in an area.
func (q *areaRequest) sum(ctx context.Context, db *sql.DB) (any, error) {
	l := q.layer
	query := fmt.Sprintf(`SELECT coalesce(sum(e.estimate), 0) AS estimate, coalesce(sum(e.low), 0)::DOUBLE AS low, coalesce(sum(e.high), 0)::DOUBLE AS high,
  coalesce(max(e.cells), 0) AS cells, count(e) AS sketches
FROM (SELECT ccbf_polygon_estimate(%s, %s%s) AS e%s)`,
		lexer.QuoteName(l.Column), lexer.QuoteText(string(q.Polygon)), l.category(q.filter), l.from(q.filter, q.around))
	out := &areaSum{Certain: l.Dense == 0}
	return out, out.run(ctx, db, query, func(rows *sql.Rows) error {
		return rows.Scan(&out.Estimate, &out.Low, &out.High, &out.Cells, &out.Sketches)
	})
}

// hotspots are the places with the most points.
type hotspots struct {
	Spots []spot `json:"spots"`
	queryRun
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

// hotspots queries the k cells with the most points in an area. Each must have the largest count
// within a square that extends by apart to every side. An apart of 0 returns the largest cells.
func (q *areaRequest) hotspots(ctx context.Context, db *sql.DB) (any, error) {
	l, k := q.layer, cmp.Or(q.K, 20)
	if k < 1 || k > maxSpots || !(q.Apart >= 0) {
		return nil, bad("k is %d, must be from 1 to %d, and apart is %v, must not be below 0", k, maxSpots, q.Apart)
	}
	cells := k
	whole := q.Apart <= 0 && q.Box != nil
	if !whole {
		cells = max(candidates, k)
	}
	query := fmt.Sprintf("SELECT unnest(ccbf_top_k(ccbf_union_agg(%s)%s, %d%s), recursive := true)%s",
		lexer.QuoteName(l.Column), edges(q.around), cells, l.category(q.filter), l.from(q.filter, q.around))
	if !whole {
		inside := "FROM cells"
		if q.Box == nil {
			// A cell is inside if a sketch with a single point in this cell has a sum above 0 in the
			// polygon.
			inside = fmt.Sprintf("\n  FROM cells WHERE ccbf_polygon_sum(ccbf_add(ccbf_empty(%s), x, y), %s) > 0\n", float(l.Res), lexer.QuoteText(string(q.Polygon)))
		}
		query = fmt.Sprintf(`WITH cells AS (
%s
), inside AS (%s)
FROM inside AS c
WHERE NOT EXISTS (FROM inside AS o WHERE (o.count, o.y, o.x) > (c.count, c.y, c.x)
  AND abs(o.x - c.x) <= %s AND abs(o.y - c.y) <= %[3]s)
ORDER BY count DESC, y DESC, x DESC LIMIT %d`, query, inside, float(q.Apart), k)
	}
	h := &hotspots{Spots: []spot{}}
	return h, h.run(ctx, db, query, func(rows *sql.Rows) error {
		var p spot
		err := rows.Scan(&p.X, &p.Y, &p.Count, &p.Side)
		h.Spots = append(h.Spots, p)
		return err
	})
}

// bars are the numbers of points in an area by the values of a column.
type bars struct {
	Bars []bar `json:"bars"`
	All  int   `json:"all"` // number of values of the column; Bars has those with the most points
	queryRun
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
func (q *areaRequest) bars(ctx context.Context, db *sql.DB) (any, error) {
	l, by := q.layer, q.Bars
	at := l.slider(by)
	if at < 0 {
		return nil, bad("%s has no column %q to choose by", l.Table, by)
	}
	f := q.filter.without(at)
	polygon, column, value := lexer.QuoteText(string(q.Polygon)), lexer.QuoteName(l.Column), lexer.QuoteName(by)+"::VARCHAR"
	rows := fmt.Sprintf("SELECT %s AS v, ccbf_polygon_estimate(%s, %s%s) AS e%s", value, column, polygon, l.category(f), l.from(f, q.around))
	if l.Sliders[at].Category {
		value = "e.category"
		if part := l.Sliders[at].Part; part > 0 {
			var fields []string
			for i := range l.class.Fields() { // the class does not know their names, so they are numbered
				fields = append(fields, fmt.Sprintf("_%d VARCHAR", i+1))
			}
			value = fmt.Sprintf("(e.category::STRUCT(%s))._%d", strings.Join(fields, ", "), part)
		}
		rows = fmt.Sprintf("SELECT %s AS v, e FROM (SELECT unnest(ccbf_categories(%s, %s%s)) AS e%s)", value, column, polygon, l.category(f), l.from(f, q.around))
	}
	query := fmt.Sprintf("SELECT v, sum(e.estimate) AS estimate, sum(e.low)::DOUBLE AS low, sum(e.high)::DOUBLE AS high\nFROM (%s)\nGROUP BY v ORDER BY estimate DESC, v", rows)
	out := &bars{Bars: []bar{}}
	return out, out.run(ctx, db, query, func(rows *sql.Rows) error {
		var b bar
		err := rows.Scan(&b.Value, &b.Estimate, &b.Low, &b.High)
		if out.All++; q.All || out.All <= mostBars {
			out.Bars = append(out.Bars, b)
		}
		return err
	})
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
	level := uint8(0)
	for side := l.Res; side < least && level < mostLevel; side *= 2 {
		level++
	}
	c, err := l.grid.Cell(x, y)
	if err != nil {
		return nil, bad("%w", err)
	}
	square := grid.Cell{X: c.X >> level << level, Y: c.Y >> level << level}.Square(level)
	box := l.grid.Bound(square)
	p := &place{Box: boxOf(box), Cells: float64(square.Count())}
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
		row.noise().Use(&v)
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
