package serve

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// statement is SQL in the making, twice: with parameters to run, and with their
// values to show.
type statement struct {
	run, show strings.Builder
	values    []any
}

func (s *statement) text(format string, args ...any) {
	fmt.Fprintf(&s.run, format, args...)
	fmt.Fprintf(&s.show, format, args...)
}

// value adds a value; cast is the type that a text of it is read as.
func (s *statement) value(v any, cast string) {
	s.run.WriteString("?")
	switch v := v.(type) {
	case string:
		s.show.WriteString(literal(v))
	default:
		fmt.Fprint(&s.show, v)
	}
	s.values = append(s.values, v)
	if cast != "" {
		s.text("::%s", cast)
	}
}

// box adds the arguments of a box.
func (s *statement) box(edges [4]float64) {
	for _, edge := range edges {
		s.text(", ")
		s.value(edge, "")
	}
}

// from adds the rows of a filter whose sketches can have a point in a box.
func (s *statement) from(l *layer, f filter, box [4]float64) {
	s.text("\nFROM %s\nWHERE ccbf_bbox_overlaps(%s", quoted(l.Table), quoted(l.Column))
	s.box(box)
	s.text(")")
	if f.slider >= 0 {
		slider := &l.Sliders[f.slider]
		s.text("\n  AND %s BETWEEN ", quoted(slider.Column))
		s.value(slider.Values[f.from], slider.Type)
		s.text(" AND ")
		s.value(slider.Values[f.to], slider.Type)
	}
}

// category adds the argument of a filter's category, if it has one.
func (s *statement) category(f filter) {
	if f.given {
		s.text(", ")
		s.value(f.category, "")
	}
}

// answer is that of a question for an area.
type answer struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Cells    uint64  `json:"cells"`
	Sketches int     `json:"sketches"`
	Ms       float64 `json:"ms"`
	SQL      string  `json:"sql"`
}

// sum asks for a polygon, GeoJSON, inside a box.
func (l *layer) sum(ctx context.Context, db *sql.DB, f filter, polygon json.RawMessage, box [4]float64) (*answer, error) {
	var s statement
	s.text("SELECT coalesce(sum(e.estimate), 0) AS estimate, coalesce(sum(e.low), 0)::DOUBLE AS low, coalesce(sum(e.high), 0)::DOUBLE AS high,\n  coalesce(max(e.cells), 0) AS cells, count(e) AS sketches\nFROM (SELECT ccbf_polygon_estimate(%s, ", quoted(l.Column))
	s.value(string(polygon), "")
	s.category(f)
	s.text(") AS e")
	s.from(l, f, box)
	s.text(")")
	a := &answer{SQL: s.show.String() + ";"}
	start := time.Now()
	err := db.QueryRowContext(ctx, s.run.String(), s.values...).Scan(&a.Estimate, &a.Low, &a.High, &a.Cells, &a.Sketches)
	a.Ms = float64(time.Since(start).Microseconds()) / 1000
	return a, err
}

// hotspots is the answer to a question for the places with the most points.
type hotspots struct {
	Spots []spot  `json:"spots"`
	Ms    float64 `json:"ms"`
	SQL   string  `json:"sql"`
}

type spot struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Count uint64  `json:"count"`
	Side  float64 `json:"side"` // of the cell, or of a tree's leaf
}

// hottest asks for the k places with the most points in a box.
func (l *layer) hottest(ctx context.Context, db *sql.DB, f filter, box [4]float64, k int) (*hotspots, error) {
	var s statement
	s.text("SELECT unnest(ccbf_top_k(ccbf_union_agg(%s)", quoted(l.Column))
	s.box(box)
	s.text(", %d", k)
	s.category(f)
	s.text("), recursive := true)")
	s.from(l, f, box)
	h := &hotspots{SQL: s.show.String() + ";", Spots: []spot{}}
	start := time.Now()
	rows, err := db.QueryContext(ctx, s.run.String(), s.values...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var p spot
		if err := rows.Scan(&p.X, &p.Y, &p.Count, &p.Side); err != nil {
			return nil, err
		}
		h.Spots = append(h.Spots, p)
	}
	h.Ms = float64(time.Since(start).Microseconds()) / 1000
	return h, rows.Err()
}
