package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// pointTable is a table of points without sketches.
type pointTable struct {
	Table string `json:"table"`
	X     string `json:"x"` // columns of the coordinates; twice the same for a GEOMETRY column
	Y     string `json:"y"`
}

// tablesOfPoints returns the tables of points. It returns none if the database has sketches.
func (s *server) tablesOfPoints(ctx context.Context) ([]pointTable, error) {
	found := []pointTable{}
	if layers, err := s.all(ctx); err != nil || len(layers) > 0 {
		return found, err
	}
	db, done, err := s.source.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	all, err := tables(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if at, err := located(t.columns, Points{}); err == nil {
			found = append(found, pointTable{t.name, at.columns[0], at.columns[len(at.columns)-1]})
		}
	}
	return found, nil
}

func (s *server) pointTables(r *http.Request) (any, error) { return s.tablesOfPoints(r.Context()) }

// buildTable builds the sketches of a table of points, and serves them afterwards.
func (s *server) buildTable(r *http.Request) (any, error) {
	if err := isJSON(r); err != nil {
		return nil, err
	}
	var asked struct {
		Table string `json:"table"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return nil, bad(`the body is not like {"table": "trips"}: %w`, err)
	}
	found, err := s.tablesOfPoints(r.Context())
	if err != nil {
		return nil, err
	}
	if s.build == nil || !slices.ContainsFunc(found, func(t pointTable) bool { return t.Table == asked.Table }) {
		names := make([]string, len(found))
		for i, t := range found {
			names[i] = t.Table
		}
		return nil, &problem{http.StatusNotFound, fmt.Errorf("there is no table %q to build sketches of; there are: %s", asked.Table, strings.Join(names, ", "))}
	}
	return asked, s.build(r.Context(), asked.Table)
}
