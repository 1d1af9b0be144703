// Package advise chooses a sketch for data that a few numbers describe: keys, occurrences, how unequal
// the counts are, and bytes.
//
// It decides by trying. A model of the data with some thousand keys is added to the sketches
// themselves, each scaled to the model. Their errors on the model are the errors to expect. Only the
// sizes of exact lists and tables are constants from measurements. docs/accuracy/keys.md, "Choosing",
// says how good the advice is.
package advise

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
)

// Advice is the sketch or table to build.
type Advice struct {
	// Family is "ccbf", "cms" or "sbf", or "table" if an exact table of counts is better than a sketch.
	Family string
	// Options are the options of the aggregate, Call is its call. Its columns are x and y with cells of
	// size res, or key; with categories there is a column category. A table has no options.
	Options, Call string
	// Bytes is about the length of the BLOB, or of the table in Parquet, and at most Data.Bytes. If a list of
	// cells may fit, it is the largest length of that list. A CascadeCBF has up to 48 bytes more: Data.Bytes is its
	// option bytes, which does not include the header.
	Bytes uint64
	// Error is the expected mean of (estimate - count) / count over the keys. If Exact is Open, it is the
	// error of a sketch with counters. ErrorLow and ErrorHigh are bounds for all
	// data, see lowHigh. All are NaN for a tree, whose error depends on the places, which the model
	// does not have.
	Error, ErrorLow, ErrorHigh float64
	// Exact is how certain it is that all counts are exact.
	Exact Exactness
	// Why is the reason, one sentence.
	Why string
}

// Exactness is how certain it is that all counts are exact.
type Exactness uint8

// The degrees of Exactness.
const (
	Unlikely Exactness = iota // the list of the expected counts does not fit into Bytes
	Open                      // whether the list fits depends on where the cells lie

	Likely  // the list fits for all real data that were measured
	Certain // the list fits wherever the cells lie
)

func (e Exactness) String() string {
	return [...]string{"unlikely", "open", "likely", "certain"}[e]
}

// better is the factor by which an error must be smaller for a sketch to be preferred to an earlier
// one. Smaller differences are chance.
const better = 0.9

// For returns the advice for data. Its errors name the value and its range.
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
	case d.largestList() <= float64(d.Bytes):
		return d.exactList(), nil
	case most <= d.Bytes:
		exact, instead = Likely, fmt.Sprintf("exact counts of real data take %d to %d bytes, depending on how far apart the cells lie, which fits, but not for certain", least, most)
	case least <= d.Bytes:
		exact, instead = Open, fmt.Sprintf("exact counts take %d to %d bytes, depending on where the cells lie", least, most)
	default:
		instead = fmt.Sprintf("exact counts take at least about %d bytes, which does not fit", least)
	}
	if d.tree() {
		return d.treeAdvice(exact, most, instead), nil
	}
	all, err := m.candidates(&d)
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
	a.Why = fmt.Sprintf("%s; of %d sketches of %d bytes, tried on a model of the data, this one is the most accurate%s%s", instead, len(all), d.Bytes, d.denseCondition(exact), best.warning)
	if d.fitsTree() {
		a.Why += "; that is for single cells: for sums over areas and maps, a tree is more accurate, without k, layers and mode"
	}
	return a, nil
}

// treeBytes is the number of bytes for each category from which a tree is advised. Its list of squares
// has a label and some tens of leaves.
const treeBytes = 64

// tree reports whether data that do not fit are best kept as a tree, because queries are about areas.
func (d *Data) tree() bool { return d.Areas && d.fitsTree() }

// fitsTree reports whether data that do not fit can become a tree: points, with enough bytes for each
// category.
func (d *Data) fitsTree() bool {
	_, err := ccbf.Params{Res: 1, Bytes: d.Bytes}.Config()
	return !d.Keys && err == nil && d.Categories <= d.Bytes/treeBytes
}

// treeAdvice returns the advice for a CascadeCBF that is a list, or a tree if the list does not fit.
func (d *Data) treeAdvice(exact Exactness, most uint64, instead string) Advice {
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

// ExactBytes returns the largest size of a sketch with exact counts of cells: for real data, and for
// cells anywhere within the extent.
func ExactBytes(d Data) (likely, surely uint64, err error) {
	if err := d.check(); err != nil {
		return 0, 0, err
	}
	_, likely = newModel(&d).listBytes(&d)
	return likely + headerBytes, uint64(math.Ceil(math.Min(d.largestList(), 1<<62))) + headerBytes, nil
}

// denseCondition returns the condition of the reason if the sketch may need no counters.
func (d *Data) denseCondition(exact Exactness) string {
	switch {
	case exact == Unlikely:
		return ""
	case d.Extent == 0 && d.Categories == 0:
		return " once it is dense (the option extent can make it certain that it never is)"
	}
	return " once it is dense"
}

// Candidates returns the sketches among which For chooses if nothing exact fits. All have about the same
// bytes and no reason.
func Candidates(d Data) ([]Advice, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	candidates, err := newModel(&d).candidates(&d)
	if err != nil {
		return nil, err
	}
	all := make([]Advice, len(candidates))
	for i, c := range candidates {
		all[i] = d.advice(c)
	}
	return all, nil
}

// exactTable returns the advice to group and count.
func exactTable(bytes uint64, why string) Advice {
	return Advice{Family: "table", Call: "count(*)", Bytes: bytes, Exact: Certain, Why: why + ": GROUP BY the key"}
}

// exactList returns the advice for a CascadeCBF that certainly stays a list.
func (d *Data) exactList() Advice {
	options := fmt.Sprintf("bytes: %d%s", d.Bytes, d.denseLayers()[0].option)
	if d.Remove && !d.tree() { // only counters need mode 'standard' to allow removals
		options += ", mode: 'standard'"
	}
	most := uint64(d.largestList())
	a := d.advice(candidate{family: "ccbf", options: options, bytes: most + headerBytes})
	a.Exact = Certain
	where := "wherever they are"
	if d.Extent > 0 {
		where = fmt.Sprintf("within %d x %d cells", d.Extent, d.Extent)
	}
	a.Why = fmt.Sprintf("exact counts of %d cells %s take at most %d bytes, which fits", d.Distinct, where, most)
	return a
}

// advice returns the Advice to build candidate c, with its call and options in SQL.
func (d *Data) advice(c candidate) Advice {
	columns, more := "key", ""
	switch {
	case !d.Keys && d.Categories > 0:
		columns, more = "x, y, res", ", category: category"
	case !d.Keys:
		columns = "x, y, res"
	case d.Categories > 0:
		// The sketch gets one text for key and category, joined by a character that texts do not have.
		columns = "key || chr(31) || category"
	}
	options := "{" + c.options + more + "}"
	return Advice{
		Family: c.family, Options: options, Call: c.family + "_agg(" + columns + ", " + options + ")",
		Bytes: c.bytes, Error: c.err,
	}
}
