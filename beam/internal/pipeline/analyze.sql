-- Returns how each column of the aggregate query $1 is united over parts of input, or the problem
-- with it. $2 has the value of -combine for each column, or null.
WITH parsed AS (SELECT json_serialize_sql($1::VARCHAR)::JSON AS j),
root AS (SELECT j, j->'$.statements[0].node' AS n FROM parsed),
-- Each node with its place: $ is the SELECT, $.from_table.left a table of a join.
nodes AS MATERIALIZED (
    SELECT fullkey AS place, unnest(json_transform(value, '{"class": "VARCHAR", "type": "VARCHAR", "alias": "VARCHAR", "function_name": "VARCHAR",
            "distinct": "BOOLEAN", "column_names": ["VARCHAR"], "table_name": "VARCHAR", "join_type": "VARCHAR", "group_expressions": ["JSON"],
            "having": "VARCHAR", "qualify": "VARCHAR", "sample": "VARCHAR"}')),
        -- without names and places in the query, so that SELECT and GROUP BY can be compared
        regexp_replace(value::VARCHAR, '"(alias|query_location)":("([^"\\]|\\.)*"|\d+),?', '', 'g') AS bare
    FROM root, json_tree(root.n) WHERE json_tree.type = 'OBJECT'),
aggregates AS MATERIALIZED (SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'),
calls AS MATERIALIZED (SELECT place, function_name AS called, "distinct" FROM nodes SEMI JOIN aggregates USING (function_name) WHERE class = 'FUNCTION'),
inputs AS (SELECT regexp_full_match(place, '\$\.from_table(\.(left|right|subquery\.node\.from_table))*')
            AND NOT EXISTS (FROM nodes j WHERE j.type = 'JOIN' AND starts_with(b.place, j.place || '.') AND NOT (j.join_type = 'INNER'
                OR j.join_type IN ('LEFT', 'SEMI', 'ANTI') AND starts_with(b.place || '.', j.place || '.left.'))) AS reads
    FROM nodes b WHERE type = 'BASE_TABLE' AND lower(table_name) = 'input'),
columns AS (
    SELECT nodes.*, called, calls.distinct AS of_distinct, TRY_CAST(regexp_extract(place, '^\$\.select_list\[(\d+)\]$', 1) AS INTEGER) AS i, $2::VARCHAR::JSON->>i AS given,
        (SELECT any_value(called) FROM calls inside WHERE starts_with(inside.place, nodes.place || '.')) AS called_inside,
        regexp_replace(called, '(_union)?_agg$', '_union_agg') AS own,
        CASE WHEN given IS NOT NULL THEN given
            WHEN called IN ('sum', 'min', 'max') THEN called
            WHEN called IN ('count', 'count_star', 'count_if') THEN 'sum'
            WHEN ends_with(own, '_union_agg') AND own IN (FROM aggregates) THEN own END AS combine
    FROM nodes LEFT JOIN calls USING (place) WHERE i IS NOT NULL),
problems AS (SELECT CASE
        WHEN of_distinct AND given IS NULL THEN format('{}(DISTINCT ...) of parts does not add up: take a sketch of the keys', called)
        WHEN given NOT IN ('sum', 'min', 'max') AND NOT (ends_with(given, '_union_agg') AND given IN (FROM aggregates))
            THEN format('-combine names "{}", must be sum, min, max or a union aggregate', given)
        WHEN combine IS NULL AND called IS NOT NULL THEN format('results of {} over parts cannot be united: take sketches, sum, min, max or count, and compute the rest by -final', called)
        WHEN combine IS NULL AND called_inside IS NOT NULL
            THEN format('an expression of {} over parts cannot be united: select the aggregate itself and compute the rest by -final, or say how by -combine', called_inside)
    END AS problem FROM columns)
SELECT CASE
    WHEN (j->>'error') = 'true' THEN j->>'error_message'
    WHEN json_array_length(j->'statements') <> 1 THEN format('{} statements, must be one', json_array_length(j->'statements'))
    WHEN EXISTS (FROM json_tree(j) t WHERE regexp_matches(t.fullkey, 'cte_map\.map\[\d+\]\.key$') AND lower(t.value->>'$') = 'input')
        THEN 'WITH has a table of the name input: give it another one'
    WHEN (n->>'type') <> 'SELECT_NODE' THEN 'must be one SELECT over input, without UNION and the like'
    WHEN json_array_length(n->'modifiers') > 0 THEN 'ORDER BY, LIMIT and DISTINCT hold for one part of input only: leave them to the query that reads the result'
    WHEN EXISTS (FROM nodes WHERE class = 'WINDOW' OR regexp_matches(type, '(LIMIT|PERCENT|DISTINCT)_MODIFIER$') OR coalesce("having", "qualify", "sample") IS NOT NULL)
        THEN 'HAVING, QUALIFY, LIMIT, DISTINCT, samples and window functions hold for one part of input only: leave them to the query that reads the result'
    WHEN (SELECT count(*) <> 1 OR NOT bool_and(reads) FROM inputs)
        THEN 'input must be there once, in FROM, and not where an outer join adds rows of the other table'
    WHEN EXISTS (FROM nodes LEFT JOIN calls USING (place) WHERE place <> '$' AND NOT starts_with(place, '$.select_list') AND (called IS NOT NULL OR len(group_expressions) > 0))
        THEN 'a subquery with aggregates or GROUP BY holds for one part of input only'
    WHEN EXISTS (FROM problems WHERE problem IS NOT NULL) THEN (SELECT any_value(problem) FROM problems)
    WHEN NOT EXISTS (FROM columns WHERE combine IS NOT NULL) THEN 'no column is a sketch, sum, min, max or count: nothing to unite'
    WHEN json_array_length(n->'group_sets') > 1 THEN 'GROUPING SETS, ROLLUP and CUBE give rows with the same key: run one query for each'
    WHEN EXISTS (FROM nodes g WHERE regexp_full_match(place, '\$\.group_expressions\[\d+\]') AND class <> 'CONSTANT'
            AND NOT EXISTS (FROM columns c WHERE combine IS NULL AND (c.bare = g.bare OR len(g.column_names) = 1 AND c.alias = g.column_names[1])))
        THEN 'GROUP BY has an expression that SELECT does not have, so that rows of several groups would be one: use GROUP BY ALL'
    END AS problem, (SELECT list(combine ORDER BY i) FROM columns) AS combine
FROM root
