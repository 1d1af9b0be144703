package serve

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
)

// table is a table or view of the database and its columns.
type table struct {
	name    string
	columns []tableColumn
}

// tableColumn is a column: its name and its SQL type.
type tableColumn struct{ name, typ string }

// eachRow runs a query and calls f for every row, until f returns an error.
func eachRow(ctx context.Context, db *sql.DB, query string, f func(rows *sql.Rows) error) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// tables returns the tables and views of the database, sorted by name.
func tables(ctx context.Context, db *sql.DB) (out []table, err error) {
	err = eachRow(ctx, db, `SELECT table_name, column_name, data_type FROM duckdb_columns()
		WHERE NOT internal AND database_name = current_database() AND schema_name = current_schema() ORDER BY table_name, column_index`, func(rows *sql.Rows) error {
		var name string
		var c tableColumn
		err := rows.Scan(&name, &c.name, &c.typ)
		if len(out) == 0 || out[len(out)-1].name != name {
			out = append(out, table{name: name})
		}
		t := &out[len(out)-1]
		t.columns = append(t.columns, c)
		return err
	})
	return out, err
}

// looksLike is how many values of a column are tried as sketches. One damaged BLOB does not hide
// the others.
const looksLike = 16

// isSketch reports whether one of a column's first values is a sketch of points.
func isSketch(ctx context.Context, db *sql.DB, table string, c tableColumn) (found bool, err error) {
	if c.typ != "BLOB" {
		return false, nil
	}
	query := fmt.Sprintf("SELECT %[1]s FROM %[2]s WHERE %[1]s IS NOT NULL LIMIT %[3]d", lexer.QuoteName(c.name), lexer.QuoteName(table), looksLike)
	err = eachRow(ctx, db, query, func(rows *sql.Rows) error {
		var blob []byte
		var v ccbf.View
		err := rows.Scan(&blob)
		found = found || err == nil && v.Reset(blob) == nil
		return err
	})
	return found, err
}

// mostValues is the largest number of distinct values of a slider. mostTimes is the limit for a
// slider of times: days of 50 years.
const (
	mostValues = 1000
	mostTimes  = 20_000
)

// slider is a column whose values select rows of a table.
type slider struct {
	Column string   `json:"column"`
	Type   string   `json:"type"`
	Values []string `json:"values"`          // in the order of the column's type
	Grain  string   `json:"grain,omitempty"` // for a column of times: "year", "month" or "day"; "": its values have a time of day

	Category bool `json:"category,omitempty"` // its values are the categories of the sketches
	Part     int  `json:"part,omitempty"`     // number of the field of STRUCT categories, from 1; 0: not a field
}

// grainOf returns the longest of year, month and day of which all values are the start.
func grainOf(s *slider) string {
	if !isTime(s.Type) {
		return ""
	}
	grain := "year"
	for _, v := range s.Values {
		day, clock, _ := strings.Cut(v, " ")
		switch {
		case strings.Trim(clock, "0:.+") != "":
			return ""
		case !strings.HasSuffix(day, "-01"):
			grain = "day"
		case !strings.HasSuffix(day, "-01-01") && grain == "year":
			grain = "month"
		}
	}
	return grain
}

// isTime reports whether a type is one of times.
func isTime(typ string) bool { return typ == "DATE" || strings.HasPrefix(typ, "TIMESTAMP") }

// sliderType matches the types of columns that can be sliders.
var sliderType = regexp.MustCompile(`^(BOOLEAN|DATE|TIMESTAMP.*|VARCHAR|ENUM\(.*|U?(TINY|SMALL|BIG)INT|U?INTEGER)$`)

// sliderOf returns the slider of a column, or nil if it has too few or too many values.
func sliderOf(ctx context.Context, db *sql.DB, table string, c tableColumn) (*slider, error) {
	if !sliderType.MatchString(c.typ) {
		return nil, nil
	}
	s := slider{Column: c.name, Type: c.typ}
	most := mostValues
	if isTime(s.Type) {
		most = mostTimes
	}
	err := eachRow(ctx, db, fmt.Sprintf("SELECT v::VARCHAR FROM (SELECT DISTINCT %s AS v FROM %s WHERE v IS NOT NULL LIMIT %d) ORDER BY v", lexer.QuoteName(c.name), lexer.QuoteName(table), most+1), func(rows *sql.Rows) error {
		var v string
		err := rows.Scan(&v)
		s.Values = append(s.Values, v)
		return err
	})
	noQuadkey := func(v string) bool { return len(v) < 3 || len(v) != len(s.Values[0]) || strings.Trim(v, "0123") != "" }
	// Quadkeys say where a row is, which the map shows anyway.
	if n := len(s.Values); n < 2 || n > most || c.typ == "VARCHAR" && !slices.ContainsFunc(s.Values, noQuadkey) {
		return nil, err
	}
	s.Grain = grainOf(&s)
	return &s, err
}
