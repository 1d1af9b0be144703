package sketch_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// No reader accepts BLOBs that docs/FORMAT.md forbids, even with a right checksum.

// form is a BLOB of a family, and what else is known of it.
type form struct {
	name string
	blob []byte
	// check is the family's Check, unite adds the BLOB to an empty sketch.
	check func(blob []byte) error
	// totals are those that its counters cannot have.
	totals []uint64
	// padding are bits of the body that are 0.
	padding []int
	// never are flags that the family does not have.
	never sketch.Flags
	// levels says that the family has levels.
	levels bool
}

// reseal is blob with an edit and the right checksum of it, computed as
// docs/FORMAT.md says.
func reseal(blob []byte, edit func(b []byte) []byte) []byte {
	b := edit(slices.Clone(blob))
	table := crc32.MakeTable(crc32.Castagnoli)
	binary.LittleEndian.PutUint32(b[6:], crc32.Update(crc32.Checksum(b[:6], table), table, b[10:]))
	return b
}

func (f *form) refused(t *testing.T, what string, edit func(b []byte)) {
	t.Helper()
	f.refusedAll(t, what, func(b []byte) []byte { edit(b); return b })
}

func (f *form) refusedAll(t *testing.T, what string, edit func(b []byte) []byte) {
	t.Helper()
	if err := f.check(reseal(f.blob, edit)); !errors.Is(err, sketch.ErrInvalid) {
		t.Errorf("%s: %s: %v", f.name, what, err)
	}
}

// refusedHeader is refused of the BLOB with another header.
func (f *form) refusedHeader(t *testing.T, what string, edit func(h *sketch.Header)) {
	t.Helper()
	b := must(sketch.Parse(f.blob))
	edit(&b.Header)
	f.refusedAll(t, what, func([]byte) []byte { return sketch.Join(b.Header, b.Params, b.Body) })
}

func TestForbiddenIsRefused(t *testing.T) {
	for _, f := range forms(t) {
		if err := f.check(reseal(f.blob, func(b []byte) []byte { return b })); err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		h, err := sketch.Parse(f.blob)
		if err != nil {
			t.Fatal(err)
		}
		set := func(at int, c byte) func([]byte) { return func(b []byte) { b[at] = c } }
		for at := range 4 {
			f.refused(t, fmt.Sprintf("magic byte %d", at), func(b []byte) { b[at] ^= 1 })
		}
		f.refused(t, "version 0", set(4, 0))
		f.refused(t, "a version to come", set(4, sketch.Version+1))
		for id := range 256 {
			if sketch.ID(id) != h.Family {
				f.refused(t, fmt.Sprintf("family %d", id), set(5, byte(id)))
			}
		}
		for bit := range 5 {
			if flag := sketch.Flags(1) << bit; f.never.Has(flag) {
				f.refusedHeader(t, fmt.Sprintf("flag %d", bit), func(h *sketch.Header) { h.Flags |= flag })
			}
		}
		for bit := 8; bit < 64; bit++ {
			f.refusedAll(t, fmt.Sprintf("flag %d", bit), func(b []byte) []byte {
				flags, n := binary.Uvarint(b[10:])
				return slices.Concat(b[:10], binary.AppendUvarint(nil, flags|1<<bit), b[10+n:])
			})
		}
		if !f.never.Has(sketch.Saturated) {
			f.refusedHeader(t, "the flag for full counters the other way about", func(h *sketch.Header) { h.Flags ^= sketch.Saturated })
		}
		if h.Family != cuckoo.Family.ID && h.Family != cms.Family.ID { // there it tells sets and multisets apart, and the rules of update
			f.refusedHeader(t, "the flag additive the other way about", func(h *sketch.Header) { h.Flags ^= sketch.Additive })
		}
		f.refusedHeader(t, "totals without a category", func(h *sketch.Header) { h.Flags = h.Flags&^sketch.Categorised | sketch.WithTotals })
		for c := int(key.TimeTZ) + 1; c < 256; c++ {
			if !key.Class(c).Known() { // some are for STRUCTs
				f.refusedHeader(t, fmt.Sprintf("key class %d", c), func(h *sketch.Header) { h.KeyClass = uint64(c) })
			}
		}
		if !f.levels {
			f.refusedHeader(t, "a level", func(h *sketch.Header) { h.Levels = 1 })
		}
		f.refusedHeader(t, "more levels than there are", func(h *sketch.Header) { h.Levels = ccbf.MaxLevels + 1 })
		for field, flag := range map[string]uint64{"class": 1 << 5, "seed": 1 << 6, "levels": 1 << 7} {
			flags, n := binary.Uvarint(f.blob[10:])
			if flags&flag != 0 {
				continue
			}
			f.refusedAll(t, "a "+field+" that is 0", func(b []byte) []byte {
				at := 10 + n // the class is first, then the levels, then the seed
				if flag > 1<<5 && flags&(1<<5) != 0 {
					at++
				}
				if flag == 1<<6 && flags&(1<<7) != 0 {
					at++
				}
				return slices.Concat(b[:10], binary.AppendUvarint(nil, flags|flag), b[10+n:at], []byte{0}, b[at:])
			})
		}
		for _, n := range f.totals {
			if n != h.Total {
				f.refusedHeader(t, fmt.Sprintf("a total of %d, not %d", n, h.Total), func(h *sketch.Header) { h.Total = n })
			}
		}
		body := len(f.blob) - len(h.Body)
		for _, d := range []byte{1, 255} { // one byte: no family has parameters of 128
			f.refused(t, "length of the parameters", func(b []byte) { b[body-len(h.Params)-1] += d })
		}
		f.refusedAll(t, "a byte too many", func(b []byte) []byte { return append(b, 0) })
		f.refusedAll(t, "a byte too few", func(b []byte) []byte { return b[:len(b)-1] })
		f.refusedAll(t, "a parameter too many", func([]byte) []byte {
			return sketch.Join(h.Header, slices.Concat(h.Params, []byte{0}), h.Body)
		})
		f.refusedAll(t, "a parameter too few", func([]byte) []byte { return sketch.Join(h.Header, h.Params[:len(h.Params)-1], h.Body) })
		// Every number in a longer spelling, and so every byte that is none.
		for at := 10; at < body; at++ {
			if f.blob[at] >= 1<<7 {
				continue
			}
			f.refusedAll(t, fmt.Sprintf("byte %d as a number of one byte more", at), func(b []byte) []byte {
				longer := slices.Concat(b[:at], []byte{b[at] | 1<<7, 0}, b[at+1:])
				if at >= body-len(h.Params) {
					longer[body-len(h.Params)-1]++
				}
				return longer
			})
		}
		for _, bit := range f.padding {
			f.refused(t, fmt.Sprintf("bit %d of the body", bit), func(b []byte) { b[body+bit/8] |= 1 << (bit % 8) })
		}
	}
}

// forms are small sketches of all families in all their forms.
func forms(t *testing.T) []form {
	all := slices.Concat(ccbfForms(t), keyedForms())
	seen := map[sketch.ID]bool{}
	for _, f := range all {
		h, err := sketch.Parse(f.blob)
		if err != nil {
			t.Fatal(err)
		}
		seen[h.Family] = true
	}
	// For other families, the samples test the rules that hold for every family.
	for _, f := range filters.Keyed() {
		about := f.About()
		if seen[about.ID] {
			continue
		}
		for _, sample := range must(about.Samples()) {
			all = append(all, form{
				name: about.Name + ", " + sample.Name, blob: sample.Blob, never: sketch.Categorised | sketch.WithTotals,
				check: checks(sample.Blob, func(blob []byte) error { return f.UnionBlob(must(f.Load(sample.Blob)), blob) }),
			})
		}
	}
	return all
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// bitsFrom are the bits from one on to the next multiple of so many.
func bitsFrom(from, unit int) (bits []int) {
	for ; from%unit != 0; from++ {
		bits = append(bits, from)
	}
	return bits
}

// wrong are totals beside n, and some at the ends.
func wrong(n uint64) []uint64 {
	return []uint64{0, 1, n - 1, n + 1, 2 * n, 1 << 40, math.MaxUint64 - 1}
}

func ccbfForms(t *testing.T) (all []form) {
	for _, c := range []struct {
		name   string
		params ccbf.Params
		weight uint64
	}{
		{"exact", ccbf.Params{}, 1},
		{"mi", ccbf.Params{Dense: true, Widths: []int{5, 9}, Counters: []uint64{45, 15}}, 1},
		{"mi, full", ccbf.Params{Dense: true, Widths: []int{3, 3}, Counters: []uint64{45, 15}}, 100},
		{"mi, one layer", ccbf.Params{Dense: true, Widths: []int{12}, Counters: []uint64{33}}, 1},
		{"mi, levels", ccbf.Params{Dense: true, Levels: 2, Widths: []int{4, 8, 16}, Counters: []uint64{90, 18, 6}}, 3},
		{"standard", ccbf.Params{Dense: true, Mode: ccbf.Standard, Widths: []int{5, 9}, Counters: []uint64{45, 15}}, 1},
		{"standard, words", ccbf.Params{Dense: true, Mode: ccbf.Standard, Widths: []int{4, 8, 16, 32}, Counters: []uint64{1000, 50, 5, 1}}, 20},
		{"standard, full", ccbf.Params{Dense: true, Mode: ccbf.Standard, Widths: []int{3, 3}, Counters: []uint64{45, 15}}, 100},
		{"standard, levels", ccbf.Params{Dense: true, Mode: ccbf.Standard, Levels: 3, Counters: []uint64{1000, 50, 5}}, 5},
		{"standard, categories", ccbf.Params{Dense: true, Mode: ccbf.Standard, Categories: true, Totals: true, Counters: []uint64{1000, 50, 5}}, 5},
	} {
		c.params.Res = 1
		b := ccbf.NewBuilder(must(c.params.Config()), nil)
		var category []byte
		class := key.None
		if c.params.Categories {
			category, class = []byte("oak"), key.Text
		}
		total := uint64(0)
		for i := range int64(8) {
			total += c.weight
			must(0, b.Add(grid.Cell{X: 3 * i, Y: -i * i}, category, class, c.weight))
		}
		s := must(b.Sketch())
		blob := s.Blob()
		f := form{name: "ccbf, " + c.name, blob: blob, check: checks(blob, func(blob []byte) error {
			var v ccbf.View
			if err := v.Reset(blob); err != nil {
				return err
			}
			return ccbf.NewBuilder(v.Config, nil).AddView(&v)
		}), levels: true}
		if c.params.Categories {
			f.never = 0
		} else {
			f.never = sketch.WithTotals
		}
		switch {
		case !c.params.Dense:
			f.totals = wrong(total)
			f.padding = exactPadding(t, blob)
		case c.params.Mode == ccbf.Standard && !s.Saturated():
			f.totals = wrong(total)
		case c.params.Mode == ccbf.MinimalIncrement:
			f.totals = []uint64{0}
		}
		if c.params.Dense {
			at := 0
			for x, m := range c.params.Counters {
				w := []int{8, 16, 32}[x%3]
				if c.params.Widths != nil {
					w = c.params.Widths[x]
				}
				f.padding = append(f.padding, bitsFrom(at+int(m)*w, 64)...)
				at = (at + int(m)*w + 63) / 64 * 64
			}
		}
		all = append(all, f)
	}
	return append(all, treeForm())
}

// treeForm is a tree of ccbf.
func treeForm() form {
	c := must(ccbf.Params{Res: 1, Bytes: 400, Overflow: ccbf.ToTree}.Config())
	b := ccbf.NewBuilder(c, nil)
	for i := range int64(600) {
		must(0, b.Add(grid.Cell{X: i * 977 % 3331, Y: i * i * 37 % 2011}, nil, 0, 1))
	}
	blob := must(b.Sketch()).Blob()
	return form{
		name: "ccbf, tree", blob: blob, totals: wrong(600), never: sketch.Saturated | sketch.WithTotals | sketch.Categorised,
		check: checks(blob, func(blob []byte) error {
			var v ccbf.View
			if err := v.Reset(blob); err != nil {
				return err
			}
			return ccbf.NewBuilder(v.Config, nil).AddView(&v)
		}),
	}
}

// exactPadding are the bits after the last code of a body of one block.
func exactPadding(t *testing.T, blob []byte) (bits []int) {
	h := must(sketch.Parse(blob))
	last := h.Body[len(h.Body)-1]
	// A code ends with a one or is all value. The example has counts of 1, the code `1` in order 0. So
	// the bits after the last one are padding.
	for bit := 7; bit >= 0 && last>>bit == 0; bit-- {
		bits = append(bits, 8*(len(h.Body)-1)+bit)
	}
	if len(bits) == 0 {
		t.Error("the exact example has no padding")
	}
	return bits
}

// checks are that all readers of a BLOB say the same: the family's check, and a
// union with it.
func checks(blob []byte, unite func(blob []byte) error) func([]byte) error {
	family := must(sketch.Parse(blob)).Family
	return func(blob []byte) error {
		err := families[family].Check(blob)
		if again := unite(blob); (err == nil) != (again == nil) {
			return errors.Join(errors.New("check and union do not say the same"), err, again)
		}
		return err
	}
}

var families = func() map[sketch.ID]sketch.Family {
	all := map[sketch.ID]sketch.Family{}
	for _, f := range filters.Families() {
		all[f.ID] = f
	}
	return all
}()
