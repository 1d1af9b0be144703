package args

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// CheckParts is an error where DuckDB may have damaged the options of a part of a
// chunk, or its keys where they are STRUCTs (duck.ChangedFields). Of options: where one
// that is the same for all rows of a group differs from the part before, or one of
// several that may differ between rows. At least one field is a column, and with a
// single one that may differ between rows it is taken to be that one, unless it is a
// STRUCT with fields of its own. Of keys: where a field differs that did not in the
// part before. It is to be called before anything else reads the arguments of an
// aggregate whose rows are all of one group, which has the state. keys may be nil.
func (o *Options) CheckParts(state *duck.State, keys *duck.Vector) error {
	// Of a STRUCT of constants alone, or of one field, DuckDB copies nothing wrongly.
	options := o.col
	if options != nil && options.Type().Leaves() < 2 {
		options = nil
	}
	if keys != nil && keys.Type().Leaves() < 2 {
		keys = nil
	}
	if options == nil && keys == nil {
		return nil
	}
	changed := duck.ChangedFields(state, options, keys)
	if changed[1] != 0 {
		return fmt.Errorf("the fields of a key may not be what the query says: %s", damaged)
	}
	if changed[0] == 0 {
		return nil
	}
	perRow := 0
	for i, v := range o.at {
		if v != nil && o.known[i].PerRow {
			perRow += v.Type().Leaves()
		}
	}
	for j := range o.col.NumFields() {
		if changed[0]>>j&1 == 0 {
			continue
		}
		if k := o.known[o.index(o.col.FieldName(j))]; !k.PerRow || perRow > 1 {
			return fmt.Errorf("option %q may not be what the query says: %s", k.Name, damaged)
		}
	}
	return nil
}

const damaged = "in a window over whole partitions, DuckDB damages constants next to columns in a STRUCT; use GROUP BY instead of the window, or FILTER (WHERE ...) before OVER"
