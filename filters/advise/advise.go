// Package advise chooses a sketch for data that are known by a few numbers: how
// many keys, how many occurrences, how unequal the counts, how many bytes.
//
// It decides by trying. A model of the data, of some thousand keys, goes into the
// sketches themselves, each scaled to the model; what they answer about it is the
// error that is to be expected. Nothing but the sizes of exact lists and tables is
// a constant from elsewhere. docs/accuracy/keys.md, "Choosing", has how well that does.
package advise

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
)

// Advice is what to build.
type Advice struct {
	// Family is "ccbf", "cms" or "sbf", or "table" where an exact table of counts
	// does better than a sketch.
	Family string
	// Options are those of the aggregate, Call is the call of it: over columns x and
	// y and cells of size res, or over a column key, and with categories over a
	// column category. A table has no options.
	Options, Call string
	// Bytes is about the length of the BLOB, or of the table in Parquet; where a list
	// of cells may fit, what it takes at most.
	Bytes uint64
	// Error is the expected mean of (estimate - count) / count over the keys, of counters
	// where it is open whether the sketch needs them. ErrorLow and ErrorHigh are between
	// what it should be whatever the data are: see lowHigh. NaN of a tree, whose error
	// depends on the places, which the model does not have.
	Error, ErrorLow, ErrorHigh float64
	// Exact says whether all counts are exact.
	Exact Exactness
	// Why is the reason, one sentence.
	Why string
}

// Exactness is how certain it is that all counts are exact.
type Exactness uint8

// The degrees of Exactness.
const (
	Unlikely Exactness = iota // they do not fit, by the counts that are expected
	Open                      // it depends on where the cells lie
	Likely                    // they fit however far apart cells of real data were found to lie
	Certain                   // they fit wherever the cells lie
)

func (e Exactness) String() string {
	return [...]string{"unlikely", "open", "likely", "certain"}[e]
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
	exact, instead := Unlikely, ""
	least, most := m.listBytes(&d)
	switch table := m.tableBytes(&d); {
	case d.Keys && table <= d.Bytes:
		return exactTable(table, fmt.Sprintf("a table of %d keys and their counts takes about %d bytes, which fits, and it is exact", d.Distinct, table)), nil
	case d.Keys:
		instead = fmt.Sprintf("an exact table takes about %d bytes, which does not fit", table)
	case d.Distinct <= fewCells:
		return exactTable(table, fmt.Sprintf("the header of a sketch alone takes about %d bytes; a table of %d cells is smaller", usualHeader, d.Distinct)), nil
	case d.surely() <= float64(d.Bytes):
		return d.exactList(), nil
	case most <= d.Bytes:
		exact, instead = Likely, fmt.Sprintf("exact counts of real data take %d to %d bytes, depending on how far apart the cells lie, which fits, but not for certain", least, most)
	case least <= d.Bytes:
		exact, instead = Open, fmt.Sprintf("exact counts take %d to %d bytes, depending on where the cells lie", least, most)
	default:
		instead = fmt.Sprintf("exact counts take at least about %d bytes, which does not fit", least)
	}
	if d.tree() {
		return d.overflowing(exact, most, instead), nil
	}
	all, err := m.tried(&d)
	if err != nil {
		return Advice{}, err
	}
	best := all[0]
	for _, c := range all[1:] {
		if c.err < best.err*better {
			best = c
		}
	}
	a := d.advice(best)
	if a.ErrorLow, a.ErrorHigh, err = best.lowHigh(&d); err != nil {
		return Advice{}, err
	}
	if a.Exact = exact; exact != Unlikely {
		a.ErrorLow = 0
		a.Bytes = d.Bytes + headerBytes
	}
	if exact == Likely {
		a.Error = 0
		a.Bytes = min(a.Bytes, most+headerBytes)
	}
	a.Why = fmt.Sprintf("%s; of %d sketches of %d bytes, tried on a model of the data, this one is the most accurate%s%s", instead, len(all), d.Bytes, d.ifDense(exact), best.but)
	if d.fitsTree() {
		a.Why += "; that is for single cells: for sums over areas and maps, a tree is more accurate, without k, layers and mode"
	}
	return a, nil
}

// treeBytes is in how many bytes for each category a tree is advised: its list of
// squares has a label, and some tens of leaves.
const treeBytes = 64

// tree says that what does not fit is best a tree, as the questions are about areas.
func (d *Data) tree() bool { return d.Areas && d.fitsTree() }

// fitsTree says that what does not fit can be a tree: of points, with bytes for each
// category.
func (d *Data) fitsTree() bool {
	_, err := ccbf.Params{Res: 1, Bytes: d.Bytes}.Config()
	return !d.Keys && err == nil && d.Categories <= d.Bytes/treeBytes
}

// overflowing is a CascadeCBF that is a list, or a tree where that does not fit.
func (d *Data) overflowing(exact Exactness, most uint64, instead string) Advice {
	a := d.advice(candidate{family: "ccbf", options: fmt.Sprintf("bytes: %d", d.Bytes), bytes: d.Bytes + headerBytes, err: math.NaN()})
	a.Exact, a.ErrorLow, a.ErrorHigh = exact, math.NaN(), math.NaN()
	if exact == Likely {
		a.Error, a.ErrorLow = 0, 0
		a.Bytes = min(a.Bytes, most+headerBytes)
	}
	a.Why = instead + "; what does not fit becomes a tree: counts of squares of cells, whose sums over areas have bounds that always hold; " +
		"ccbf_error returns the error of single cells, which depends on where the points lie; for advice on single cells, use areas: false"
	return a
}

// ExactBytes is the largest size of a sketch with exact counts of cells, for real
// data, and wherever the cells lie within the extent.
func ExactBytes(d Data) (likely, surely uint64, err error) {
	if err := d.check(); err != nil {
		return 0, 0, err
	}
	_, likely = newModel(&d).listBytes(&d)
	return likely + headerBytes, uint64(math.Ceil(math.Min(d.surely(), 1<<62))) + headerBytes, nil
}

// ifDense says which sketches were tried where the one advised may need no counters.
func (d *Data) ifDense(exact Exactness) string {
	switch {
	case exact == Unlikely:
		return ""
	case d.Extent == 0 && d.Categories == 0:
		return " once it is dense (the option extent can make it certain that it never is)"
	}
	return " once it is dense"
}

// Tried returns the sketches among which For chooses if nothing exact fits, all
// of about the same bytes, without a reason.
func Tried(d Data) ([]Advice, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	candidates, err := newModel(&d).tried(&d)
	if err != nil {
		return nil, err
	}
	all := make([]Advice, len(candidates))
	for i, c := range candidates {
		all[i] = d.advice(c)
	}
	return all, nil
}

// exactTable is the advice to group and count.
func exactTable(bytes uint64, why string) Advice {
	return Advice{Family: "table", Call: "count(*)", Bytes: bytes, Exact: Certain, Why: why + ": GROUP BY the key"}
}

// exactList is a CascadeCBF that surely stays a list.
func (d *Data) exactList() Advice {
	options := fmt.Sprintf("bytes: %d%s", d.Bytes, d.denseLayers()[0].option)
	if d.Remove && !d.tree() { // from an exact sketch and a tree points can be removed as they are
		options += ", mode: 'standard'"
	}
	most := uint64(d.surely())
	a := d.advice(candidate{family: "ccbf", options: options, bytes: most + headerBytes})
	a.Exact = Certain
	where := "wherever they are"
	if d.Extent > 0 {
		where = fmt.Sprintf("within %d x %d cells", d.Extent, d.Extent)
	}
	a.Why = fmt.Sprintf("exact counts of %d cells %s take at most %d bytes, which fits", d.Distinct, where, most)
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
