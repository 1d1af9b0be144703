package pipeline

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Column is a column of a query. Combine is the aggregate that unites its values of the
// same key; empty: the column is part of the key.
type Column struct{ Name, Type, Combine string }

// node is a part of a query as DuckDB's json_serialize_sql has it.
type node = map[string]any

// analyze returns the columns of an aggregate query over input, and how each is united. A
// query that cannot be united over parts of input is an error.
func analyze(ctx context.Context, conn *sql.Conn, query string, combine map[string]string) ([]Column, error) {
	var serial []byte
	if err := conn.QueryRowContext(ctx, "SELECT json_serialize_sql("+text(query)+")::VARCHAR::BLOB").Scan(&serial); err != nil {
		return nil, err
	}
	var parsed struct {
		Error      bool
		Message    string `json:"error_message"`
		Statements []struct{ Node node }
	}
	if err := json.Unmarshal(serial, &parsed); err != nil {
		return nil, err
	}
	switch {
	case parsed.Error:
		return nil, errors.New(parsed.Message)
	case len(parsed.Statements) != 1:
		return nil, fmt.Errorf("%d statements, must be one", len(parsed.Statements))
	}
	root := parsed.Statements[0].Node
	aggregates, err := names(ctx, conn, "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'")
	if err != nil {
		return nil, err
	}
	if err := checkParts(root, aggregates); err != nil {
		return nil, err
	}
	columns, err := describe(ctx, conn, query)
	if err != nil {
		return nil, err
	}
	list, _ := root["select_list"].([]any)
	if len(list) != len(columns) {
		return nil, errors.New("SELECT * has columns without a name: name each one")
	}
	var keys []node
	for i := range columns {
		c, e := &columns[i], list[i].(node)
		if slices.ContainsFunc(columns[:i], func(o Column) bool { return strings.EqualFold(o.Name, c.Name) }) {
			return nil, fmt.Errorf("column %q is there twice: name one of the two by AS", c.Name)
		}
		if c.Combine, err = combination(e, aggregates, combine[c.Name]); err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		if c.Combine == "" {
			keys = append(keys, e)
		}
	}
	for name := range combine {
		if !slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name }) {
			return nil, fmt.Errorf("-combine %s: the query has no such column", name)
		}
	}
	if len(keys) == len(columns) {
		return nil, errors.New("no column is a sketch, sum, min, max or count: nothing to unite")
	}
	return columns, checkGroups(root, keys)
}

// united are the aggregates that unite their own results.
var united = map[string]string{"sum": "sum", "min": "min", "max": "max", "count": "sum", "count_star": "sum", "count_if": "sum"}

// combination is the aggregate that unites the results of an expression over parts; empty
// for a part of the key.
func combination(e node, aggregates map[string]bool, given string) (string, error) {
	known := func(f string) bool {
		return f == "sum" || f == "min" || f == "max" || strings.HasSuffix(f, "_union_agg") && aggregates[f]
	}
	if given != "" {
		if !known(given) {
			return "", fmt.Errorf("-combine names %q, must be sum, min, max or a union aggregate", given)
		}
		return given, nil
	}
	name, _ := e["function_name"].(string)
	if e["class"] == "FUNCTION" && aggregates[name] {
		if e["distinct"] == true {
			return "", fmt.Errorf("%s(DISTINCT ...) of parts does not add up: take a sketch of the keys", name)
		}
		if f := united[name]; f != "" {
			return f, nil
		}
		if known(name) {
			return name, nil
		}
		if f := strings.TrimSuffix(name, "_agg") + "_union_agg"; known(f) {
			return f, nil
		}
		return "", fmt.Errorf("results of %s over parts cannot be united: take sketches, sum, min, max or count, and compute the rest by -final", name)
	}
	if inner := first(e, func(n node) bool { return isAggregate(n, aggregates) }); inner != nil {
		return "", fmt.Errorf("an expression of %v over parts cannot be united: select the aggregate itself and compute the rest by -final, or say how by -combine", inner["function_name"])
	}
	return "", nil
}

func isAggregate(n node, aggregates map[string]bool) bool {
	name, _ := n["function_name"].(string)
	return n["class"] == "FUNCTION" && aggregates[name]
}

// first is a node, or one below it, that a condition holds for; nil: none.
func first(v any, holds func(node) bool) node {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if n := first(e, holds); n != nil {
				return n
			}
		}
	case node:
		if holds(v) {
			return v
		}
		for _, e := range v {
			if n := first(e, holds); n != nil {
				return n
			}
		}
	}
	return nil
}

// checkParts returns an error for a query whose rows depend on other parts of input.
func checkParts(root node, aggregates map[string]bool) error {
	if root["type"] != "SELECT_NODE" {
		return errors.New("must be one SELECT over input, without UNION and the like")
	}
	if m, _ := root["modifiers"].([]any); len(m) > 0 {
		return errors.New("ORDER BY, LIMIT and DISTINCT hold for one part of input only: leave them to the query that reads the result")
	}
	inputs := 0
	bad := first(root, func(n node) bool {
		if name, _ := n["table_name"].(string); n["type"] == "BASE_TABLE" && strings.EqualFold(name, "input") {
			inputs++
		}
		kind, _ := n["type"].(string)
		return n["class"] == "WINDOW" || n["having"] != nil || n["qualify"] != nil || n["sample"] != nil ||
			strings.HasSuffix(kind, "LIMIT_MODIFIER") || strings.HasSuffix(kind, "PERCENT_MODIFIER") || kind == "DISTINCT_MODIFIER"
	})
	if bad != nil {
		return errors.New("HAVING, QUALIFY, LIMIT, DISTINCT, samples and window functions hold for one part of input only: leave them to the query that reads the result")
	}
	if inputs != 1 || !reads(root["from_table"]) {
		return errors.New("input must be there once, in FROM, and not where an outer join adds rows of the other table")
	}
	for name, part := range root {
		if name == "select_list" {
			continue
		}
		if n := first(part, func(n node) bool {
			groups, _ := n["group_expressions"].([]any)
			return isAggregate(n, aggregates) || len(groups) > 0
		}); n != nil {
			return errors.New("a subquery with aggregates or GROUP BY holds for one part of input only")
		}
	}
	return nil
}

// reads is whether each row of a table of FROM has one row of input.
func reads(table any) bool {
	n, _ := table.(node)
	switch n["type"] {
	case "BASE_TABLE":
		name, _ := n["table_name"].(string)
		return strings.EqualFold(name, "input")
	case "JOIN":
		kind, _ := n["join_type"].(string)
		return slices.Contains([]string{"INNER", "LEFT", "SEMI", "ANTI"}, kind) && reads(n["left"]) || kind == "INNER" && reads(n["right"])
	case "SUBQUERY":
		sub, _ := n["subquery"].(node)
		inner, _ := sub["node"].(node)
		return reads(inner["from_table"])
	}
	return false
}

// checkGroups returns an error where rows of several groups have the same key.
func checkGroups(root node, keys []node) error {
	groups, _ := root["group_expressions"].([]any)
	if sets, _ := root["group_sets"].([]any); len(sets) > 1 {
		return errors.New("GROUPING SETS, ROLLUP and CUBE give rows with the same key: run one query for each")
	}
	for _, g := range groups {
		e := g.(node)
		alias := ""
		if names, _ := e["column_names"].([]any); len(names) == 1 {
			alias, _ = names[0].(string)
		}
		if e["class"] == "CONSTANT" || slices.ContainsFunc(keys, func(k node) bool {
			return alias != "" && k["alias"] == alias || expression(k) == expression(e)
		}) {
			continue
		}
		return errors.New("GROUP BY has an expression that SELECT does not have, so that rows of several groups would be one: use GROUP BY ALL")
	}
	return nil
}

// expression is a node as text, without its name and place in the query.
func expression(n node) string {
	var strip func(any) any
	strip = func(v any) any {
		switch v := v.(type) {
		case []any:
			out := make([]any, len(v))
			for i := range v {
				out[i] = strip(v[i])
			}
			return out
		case node:
			out := node{}
			for k, e := range v {
				if k != "alias" && k != "query_location" {
					out[k] = strip(e)
				}
			}
			return out
		}
		return v
	}
	b, _ := json.Marshal(strip(n)) // it came from JSON
	return string(b)
}
