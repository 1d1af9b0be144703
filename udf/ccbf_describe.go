package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// errorOf is the error of a sketch in one of the forms.
type errorOf struct {
	ccbf.Error
	form ccbf.Form
}

// knowsEmpty reports whether the error of a cell without points is known.
func (e *errorOf) knowsEmpty() bool { return !e.Unknown && (e.form != ccbf.Tree || e.Measured) }

var ccbfErrorFields = keyed.InfoOf(func(e *errorOf) errorOf { return *e },
	keyed.Is("exact", func(e *errorOf) bool { return e.Exact }),
	keyed.If("empty_probability", func(e *errorOf) (float64, bool) { return e.Empty.Probability, e.knowsEmpty() }),
	keyed.If("empty_excess", func(e *errorOf) (float64, bool) { return e.Empty.Excess, e.knowsEmpty() }),
	keyed.If("occupied_probability", func(e *errorOf) (float64, bool) { return e.Occupied.Probability, e.Known }),
	keyed.If("occupied_excess", func(e *errorOf) (float64, bool) { return e.Occupied.Excess, e.Known || e.Measured }),
	keyed.If("most", func(e *errorOf) (uint64, bool) { return e.Most, e.Certain }),
)

// ccbfError computes ccbf_error.
func ccbfError(c *call) error {
	return describe(c, ccbfErrorFields.Fields, func(blob []byte) (e errorOf, err error) {
		v, err := ccbf.NewView(blob)
		if err == nil && v.Form() == ccbf.Tree { // the error of a tree needs its leaves
			err = c.out.Grow(bridge.Memory(&v))
		}
		if err != nil {
			return e, err
		}
		decodedSketches.useNoise(&v, blob)
		return errorOf{v.Error(), v.Form()}, nil
	}, ccbfErrorFields.Append, nil)
}

// infoOf is a sketch and its Info.
type infoOf struct {
	*ccbf.View
	info ccbf.Info
}

// ccbfInfoFields is the fields of ccbf_info before bbox.
var ccbfInfoFields = keyed.InfoOf(func(v *ccbf.View) infoOf { return infoOf{v, v.Info()} },
	keyed.Is("encoding", func(i *infoOf) string { return i.info.Form.String() }),
	keyed.Is("res", func(i *infoOf) float64 { return i.Grid.Res() }),
	keyed.Is("mode", func(i *infoOf) string { return i.Mode.String() }),
	keyed.Is("k", func(i *infoOf) int { return i.K() }),
	keyed.Is("layers", func(i *infoOf) (widths []uint64) {
		for _, w := range i.Widths() {
			widths = append(widths, uint64(w))
		}
		return widths
	}),
	keyed.Is("counters", func(i *infoOf) []uint64 { return i.Counters() }),
	keyed.Is("levels", func(i *infoOf) int { return int(i.Levels) }),
	keyed.Is("base_level", func(i *infoOf) int { return int(i.Base) }),
	keyed.Is("max_bytes", func(i *infoOf) uint64 { return i.Bytes }),
	keyed.Is("exact", func(i *infoOf) bool { return i.Exact }),
	keyed.Is("overflow", func(i *infoOf) string { return i.Overflow.String() }),
	keyed.Is("seed", func(i *infoOf) uint64 { return i.Seed }),
	keyed.If("category_type", func(i *infoOf) (string, bool) { return i.Class().String(), i.Class() != key.None }),
	keyed.Is("category", func(i *infoOf) bool { return i.Categories }),
	keyed.Is("totals", func(i *infoOf) bool { return i.Totals }),
	keyed.Is("additive", func(i *infoOf) bool { return i.info.Additive }),
	keyed.Is("saturated", func(i *infoOf) bool { return i.info.Saturated }),
	keyed.Is("unbiased", func(i *infoOf) bool { return i.info.Unbiased }),
	keyed.If("total", func(i *infoOf) (uint64, bool) { return knownTotal(i.Total()) }),
	keyed.If("cells", func(i *infoOf) (uint64, bool) { return i.info.Cells, i.info.CellsKnown }),
	keyed.If("categories", func(i *infoOf) (uint64, bool) {
		return i.info.Categories, i.info.Form != ccbf.Dense && i.Categories
	}),
	keyed.If("fill", func(i *infoOf) (float64, bool) { return i.info.Fill, i.info.Form == ccbf.Dense }),
	keyed.If("leaves", func(i *infoOf) (uint64, bool) { return i.info.Leaves, i.info.Form == ccbf.Tree }),
	keyed.If("tau", func(i *infoOf) (uint64, bool) { return i.info.Tau, i.info.Form == ccbf.Tree }),
	keyed.If("at_least", func(i *infoOf) (uint64, bool) { return i.info.AtLeast, i.info.AtLeast > 0 }),
	keyed.If("suppressed", func(i *infoOf) (uint64, bool) { return i.info.Suppressed, i.info.AtLeast > 0 }),
	keyed.Is("bytes", func(i *infoOf) uint64 { return i.info.Bytes }),
)

// ccbfInfo computes ccbf_info.
func ccbfInfo(c *call) error {
	return describe(c, ccbfInfoFields.Fields, ccbf.NewView, ccbfInfoFields.Append, func(v *ccbf.View, f *fields) {
		if v.Bounds.Empty() {
			f.null()
			return
		}
		b := v.Grid.Bound(v.Bounds)
		setCorners(f.next(), f.row, b.Min[0], b.Min[1], b.Max[0], b.Max[1])
	})
}
