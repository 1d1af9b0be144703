package agg

import "github.com/ccbfsql/ccbfsql/internal/duck"

// threads is which threads filled a page.
type threads struct {
	first   uint64 // 0 for none
	several bool   // then DuckDB has as many for this query
}

// add notes those of another page.
func (t *threads) add(o threads) {
	t.several = t.several || o.several || t.first != 0 && o.first != 0 && t.first != o.first
	t.first = max(t.first, o.first)
}

// spare is what says whether a processor has nothing to do while a page becomes a BLOB, nil
// where one thread filled it.
func (t *threads) spare() func() bool {
	if t.several {
		return duck.Alone
	}
	return nil
}
