package args

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/paulmach/orb"
)

// corners is the names of the fields of a box, as tile_bbox returns it.
var corners = [...]string{"xmin", "ymin", "xmax", "ymax"}

// isBox reports whether a type is a box: a STRUCT with these fields, in any order.
func isBox(t duck.Type) bool {
	f := t.Fields()
	return t.ID() == duck.StructID && len(f) == len(corners) &&
		!slices.ContainsFunc(corners[:], func(name string) bool {
			i := fieldIndex(f, name)
			return i < 0 || !isNumber(f[i].Type)
		})
}

// Box returns option i of a row, a Box that is given. The error says that a field is NULL.
func (o *Options) Box(i, row int) (box orb.Bound, err error) {
	v, edges := o.at[i], [...]*float64{&box.Min[0], &box.Min[1], &box.Max[0], &box.Max[1]}
	for j, name := range corners {
		f := v.Field(fieldIndex(v.Type().Fields(), name))
		if !f.Valid(row) {
			return box, sketch.OptionError(o.known[i].Name, "has NULL for %s, must be a number", name)
		}
		*edges[j] = float(f, row)
	}
	return box, nil
}
