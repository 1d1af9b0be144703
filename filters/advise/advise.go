// Package advise chooses a sketch for data that are known by a few numbers: how
// many keys, how many occurrences, how unequal the counts, how many bytes.
//
// It decides by trying. A model of the data, of some thousand keys, goes into the
// sketches themselves, each scaled to the model; what they answer about it is the
// error that is to be expected. Nothing but the sizes of exact lists and tables is
// a constant from elsewhere. docs/ACCURACY.md, "Choosing", has how well that does.
package advise

import "fmt"

// Advice is what to build.
type Advice struct {
	// Family is "ccbf", "cms" or "sbf", or "table" where an exact table of counts
	// does better than a sketch.
	Family string
	// Options are those of the aggregate, Call is the call of it: over columns x and
	// y and cells of size res, or over a column key, and with categories over a
	// column category. A table has no options.
	Options, Call string
	// Bytes is about the length of the BLOB, or of the table in Parquet.
	Bytes uint64
	// Error is the expected mean of (estimate - count) / count over the keys.
	Error float64
	// Exact says that all counts are expected to be exact.
	Exact bool
	// Why is the reason, one sentence.
	Why string
}

// better is how much smaller an error must be for a sketch to be preferred to one
// before it: less is chance.
const better = 0.9

// For is the advice for data. Its errors name the value and its range.
func For(d Data) (Advice, error) {
	if err := d.check(); err != nil {
		return Advice{}, err
	}
	m := newModel(&d)
	table, list := m.tableBytes(&d), m.listBytes(&d)
	instead := fmt.Sprintf("an exact list of the cells takes about %d bytes", list)
	switch {
	case d.Keys && table <= d.Bytes:
		return exactTable(table, fmt.Sprintf("a table of %d keys and their counts takes about %d bytes, which fits, and it is exact", d.Distinct, table)), nil
	case d.Keys:
		instead = fmt.Sprintf("an exact table takes about %d bytes", table)
	case d.Distinct <= fewCells:
		return exactTable(table, fmt.Sprintf("a sketch has a header of %d bytes, a table of %d cells is smaller", headerBytes, d.Distinct)), nil
	case list <= d.Bytes:
		return d.exactList(list), nil
	}
	all, err := m.tried(&d)
	if err != nil {
		return Advice{}, err
	}
	best := all[0]
	for _, a := range all[1:] {
		if a.Error < best.Error*better {
			best = a
		}
	}
	best.Why = fmt.Sprintf("%s, which does not fit; of %d sketches of %d bytes, tried on a model of the data, this one comes closest", instead, len(all), d.Bytes)
	return best, nil
}

// Tried are the sketches among which For chooses where nothing exact fits, all of
// about the same bytes, without a reason.
func Tried(d Data) ([]Advice, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	return newModel(&d).tried(&d)
}

// exactTable is the advice to group and count.
func exactTable(bytes uint64, why string) Advice {
	return Advice{Family: "table", Call: "count(*)", Bytes: bytes, Exact: true, Why: why + ": GROUP BY the key"}
}

// exactList is a CascadeCBF that stays a list.
func (d *Data) exactList(list uint64) Advice {
	options := fmt.Sprintf("bytes: %d", d.Bytes)
	if d.Remove {
		options += ", mode: 'standard'"
	}
	a := d.advice(candidate{family: "ccbf", options: options, bytes: list + headerBytes})
	a.Exact = true
	a.Why = fmt.Sprintf("a compressed list of %d cells takes about %d bytes, which fits, and it is exact", d.Distinct, list)
	return a
}

// advice spells out a candidate.
func (d *Data) advice(c candidate) Advice {
	columns, more := "key", ""
	switch {
	case !d.Keys && d.Categories > 0:
		columns, more = "x, y, res", ", category: category"
	case !d.Keys:
		columns = "x, y, res"
	case d.Categories > 0:
		// A text of both, with a character between them that texts do not have.
		columns = "key || chr(31) || category"
	}
	options := "{" + c.options + more + "}"
	return Advice{
		Family: c.family, Options: options, Call: c.family + "_agg(" + columns + ", " + options + ")",
		Bytes: c.bytes, Error: c.err,
	}
}
