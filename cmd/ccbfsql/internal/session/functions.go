package session

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// DuckDBGroup is the group of DuckDB's own functions.
const DuckDBGroup = "DuckDB"

// Functions lists every function there is: the project's own as Functions
// gives them, and those of DuckDB, user's macros among them, by their names.
func (s *Session) Functions(ctx context.Context) ([]ccbfsql.Function, error) {
	out := Functions()
	own := map[string]bool{}
	for _, f := range out {
		own[f.Name] = true
	}
	rows, err := s.Strings(ctx, `
		SELECT function_name,
		       to_json(list(DISTINCT function_name || '(' ||
		         array_to_string(list_transform(list_zip(parameters, parameter_types),
		           lambda p: concat_ws(' ', p[1], p[2])), ', ')
		         || CASE WHEN varargs IS NULL THEN '' WHEN len(parameters) = 0 THEN varargs || '...' ELSE ', ' || varargs || '...' END
		         || ')' || coalesce(' -> ' || return_type, ''))),
		       coalesce(any_value(description), ''), coalesce((any_value(examples) FILTER (len(examples) > 0))[1], '')
		FROM duckdb_functions() GROUP BY function_name ORDER BY function_name`)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if own[row[0]] {
			continue
		}
		f := ccbfsql.Function{Name: row[0], Group: DuckDBGroup, Summary: firstLine(row[2]), Example: row[3]}
		if err := json.Unmarshal([]byte(row[1]), &f.Signatures); err != nil {
			return nil, err
		}
		// The shortest says most of what the others do.
		slices.SortFunc(f.Signatures, func(a, b string) int {
			if len(a) != len(b) {
				return len(a) - len(b)
			}
			return strings.Compare(a, b)
		})
		out = append(out, f)
	}
	return out, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// DescribeBlob says in a few words what a BLOB is, if it is a sketch.
func DescribeBlob(bytes string) (string, bool) {
	return sketch.Describe(families, []byte(bytes))
}

var families = filters.Families()
