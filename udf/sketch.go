package udf

import (
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Sketch returns the functions for a BLOB of any of the given families, and sketch_advise.
func Sketch(families []sketch.Family) functions {
	info := duck.StructOf(
		duck.Field{Name: "family", Type: duck.Varchar},
		duck.Field{Name: "version", Type: duck.UTinyInt},
		duck.Field{Name: "bytes", Type: duck.UBigInt},
		duck.Field{Name: "total", Type: duck.UBigInt},
		duck.Field{Name: "key_type", Type: duck.Varchar},
		duck.Field{Name: "seed", Type: duck.UBigInt},
		duck.Field{Name: "additive", Type: duck.Boolean},
		duck.Field{Name: "saturated", Type: duck.Boolean},
	)
	return []duck.Function{
		function("sketch", "sketch_info", info, func(c *call) error {
			return c.each(func(i int) error {
				blob := c.Col(0).Bytes(i)
				b, err := sketch.Parse(blob)
				if err != nil {
					return err
				}
				f := fields{out: c.out, row: i}
				f.text(b.Family.String())
				duck.Out[uint8](f.next())[i] = blob[4]
				f.count(uint64(len(blob)))
				f.known(knownTotal(b.Total, b.Flags.Has(sketch.TotalKnown)))
				if class := key.Class(b.KeyClass); class == key.None {
					f.null()
				} else {
					f.text(class.String())
				}
				f.count(b.Seed)
				f.flag(b.Flags.Has(sketch.Additive))
				f.flag(b.Flags.Has(sketch.Saturated))
				return nil
			})
		}, "Contents of the header of a sketch of any family.", "SELECT (sketch_info(ccbf_empty(0.1))).family", params(paramBlob)),
		isValid("sketch", "sketch_is_valid", "Whether a BLOB is a sketch of any family, complete and unchanged. Never an error, unless the memory budget is too small to check it.",
			"SELECT sketch_is_valid('no sketch'::BLOB)", families...),
		function("sketch", "sketch_svg", duck.Varchar, sketchSVG,
			"Picture of what is inside a sketch of keys, as SVG: its bits, counters or fingerprints, at most 4,096.",
			"SELECT left(sketch_svg(cms_agg('oak', {width: 4, depth: 2})), 4)", params(paramBlob)),
		sketchAdvise(),
	}
}

// isValid returns the description of X_is_valid. The family of a BLOB checks it. A BLOB of none of the families is
// not valid. The only error is that there is no memory for the check.
func isValid(group, name, summary, example string, families ...sketch.Family) duck.Function {
	check := func(c *call, blob []byte) (bool, error) {
		b, err := sketch.Parse(blob)
		i := slices.IndexFunc(families, func(f sketch.Family) bool { return err == nil && f.ID == b.Family })
		if i < 0 {
			return false, nil
		}
		f := &families[i]
		if f.CheckBytes != nil {
			if err := c.out.Grow(f.CheckBytes(blob)); err != nil {
				return false, err
			}
		}
		return f.Check(blob) == nil, nil
	}
	return function(group, name, duck.Boolean, oncePerBlob(check), summary, example, params(paramBlob))
}

// knownTotal returns the total of a header, and whether it is known. The largest one stands for all above it.
func knownTotal(n uint64, known bool) (uint64, bool) { return n, known && n < math.MaxUint64 }

// setKnown writes a number, or NULL if it is not known.
func setKnown(out *duck.Result, i int, n uint64, known bool) {
	if known {
		duck.Out[uint64](out)[i] = n
	} else {
		out.SetNull(i)
	}
}
