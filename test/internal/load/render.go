package load

import (
	"fmt"
	"strings"
)

// inner returns the query whose columns s0, l0, s1, ... are sketches and lists of their contents.
func (p *spec) inner() string {
	var b strings.Builder
	switch p.shape {
	case "correlated":
		fmt.Fprintf(&b, "SELECT %s FROM (SELECT (SELECT {%s} FROM %s e WHERE e.h = o.oh) AS r FROM (SELECT DISTINCT h AS oh FROM %s) o)",
			p.unpacked(), p.columns("%[2]s%[3]d: %[1]s"), p.from(), p.table)
	case "lateral":
		fmt.Fprintf(&b, "SELECT q.* FROM (SELECT DISTINCT h AS oh FROM %s) o, LATERAL (SELECT %s FROM %s e WHERE e.h <= o.oh) q",
			p.table, p.columns("%s AS %s%d"), p.from())
	case "window":
		fmt.Fprintf(&b, "SELECT %s FROM %s", p.columns("%s AS %s%d"), p.from())
		if p.having != "" {
			b.WriteString(" QUALIFY " + p.having)
		}
	default:
		b.WriteString("SELECT ")
		for i, k := range p.keys {
			fmt.Fprintf(&b, "%s AS key%d, ", k, i)
		}
		fmt.Fprintf(&b, "%s FROM %s", p.columns("%s AS %s%d"), p.from())
		if len(p.keys) > 0 {
			b.WriteString(" GROUP BY " + p.grouping())
		}
		if p.having != "" {
			b.WriteString(" HAVING " + p.having)
		}
		if p.sorted != "" {
			b.WriteString(" ORDER BY " + p.sorted)
		}
	}
	if p.limit != "" {
		b.WriteString(" LIMIT " + p.limit)
	}
	return b.String()
}

func (p *spec) grouping() string {
	all := strings.Join(p.keys, ", ")
	switch p.sets {
	case "":
		return all
	case "SETS":
		return fmt.Sprintf("GROUPING SETS ((%s), (%s), (%s), ())", all, p.keys[0], p.keys[len(p.keys)-1])
	}
	return p.sets + " (" + all + ")"
}

// unpacked returns SQL for the columns of a STRUCT named r, which has the sketches and lists.
func (p *spec) unpacked() string {
	var out []string
	for i := range p.items {
		out = append(out, fmt.Sprintf("r.s%[1]d AS s%[1]d, r.l%[1]d AS l%[1]d", i))
	}
	return strings.Join(out, ", ")
}

// SQL returns a query with the columns rows, bad0, bad1 and so on. A bad column is the number of
// rows in which a sketch disagrees with its list.
func (p *spec) SQL() string {
	var valid, cells, bad []string
	for i := range p.items {
		it := &p.items[i]
		names := []string{"s", fmt.Sprintf("s%d", i), "l", fmt.Sprintf("l%d", i), "v", fmt.Sprintf("v%d", i), "c", fmt.Sprintf("c%d", i)}
		list := "coalesce($l, [])"
		if p.parts != "" {
			list = "coalesce(flatten(list_filter($l, lambda p: p IS NOT NULL)), [])"
		}
		valid = append(valid, fill("list_filter("+list+", lambda p: "+it.valid+") AS $v", names...))
		each := "list_transform($v, lambda p: " + it.each + ")"
		if strings.HasPrefix(it.each, "list_transform(") {
			each = "coalesce(flatten(" + each + "), [])"
		}
		cells = append(cells, fill(each+" AS $c", names...))
		wrong := "NOT coalesce(sketch_is_valid($s), false) OR " + it.wrong
		if p.check && it.again != "" {
			wrong += " OR $s IS DISTINCT FROM (SELECT " + it.again + " FROM (SELECT unnest($v) AS p))"
		}
		bad = append(bad, fmt.Sprintf("count(*) FILTER (CASE WHEN len(v%d) = 0 THEN s%d IS NOT NULL ELSE %s END) AS bad%d", i, i, fill(wrong, names...), i))
	}
	return fmt.Sprintf("SELECT count(*) AS n, %s\nFROM (SELECT *, %s\nFROM (SELECT *, %s\nFROM %s))",
		strings.Join(bad, ",\n  "), strings.Join(cells, ", "), strings.Join(valid, ", "), strings.ReplaceAll(p.wrap, "@", "(\n  "+p.inner()+"\n)"))
}

// fill replaces the names $name in a text by values: fill("$s > 0", "s", "s0").
func fill(text string, pairs ...string) string {
	with := make([]string, len(pairs))
	for i, p := range pairs {
		if i%2 == 0 {
			p = "$" + p
		}
		with[i] = p
	}
	return strings.NewReplacer(with...).Replace(text)
}
