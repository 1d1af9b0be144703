package session

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql"
)

// Functions lists all functions of the database. Those of this project come first, in the order of
// the package's function Functions. DuckDB's functions and the user's macros follow by name.
func (s *Session) Functions(ctx context.Context) ([]ccbfsql.Function, error) {
	out := Functions()
	own := map[string]bool{}
	for _, f := range out {
		own[f.Name] = true
	}
	// The shortest signature comes first: it is enough to recognise the function.
	rows, err := s.Strings(ctx, `
		SELECT function_name, array_to_string(list_transform(list_sort(list(DISTINCT {n: len(signature), s: signature})), lambda p: p.s), chr(10)),
		       coalesce(any_value(description), ''), coalesce((any_value(examples) FILTER (len(examples) > 0))[1], '')
		FROM (SELECT *, function_name || '('
		        || array_to_string(list_transform(list_zip(parameters, parameter_types), lambda p: concat_ws(' ', p[1], p[2])), ', ')
		        || CASE WHEN varargs IS NULL THEN '' WHEN len(parameters) = 0 THEN varargs || '...' ELSE ', ' || varargs || '...' END
		        || ')' || coalesce(' -> ' || return_type, '') AS signature
		      FROM duckdb_functions())
		GROUP BY function_name ORDER BY function_name`)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if own[row[0]] {
			continue
		}
		summary, _, _ := strings.Cut(row[2], "\n")
		out = append(out, ccbfsql.Function{Name: row[0], Group: "DuckDB", Signatures: strings.Split(row[1], "\n"), Summary: summary, Example: row[3]})
	}
	return out, nil
}

// Functions returns the project's functions, sorted by group and name.
func Functions() []ccbfsql.Function {
	out := ccbfsql.Functions()
	slices.SortFunc(out, func(a, b ccbfsql.Function) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Name, b.Name))
	})
	return out
}
