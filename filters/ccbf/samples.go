package ccbf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// samples are small sketches of every form: of the rows 0 to n-1, in cells that
// follow from the row.
func samples() ([]sketch.Sample, error) {
	few := func(i int64) grid.Cell { return grid.Cell{X: i % 3, Y: i % 2} }
	many := func(i int64) grid.Cell { return grid.Cell{X: i * 977 % 331, Y: i % 7} }
	scattered := func(i int64) grid.Cell { return grid.Cell{X: i * 977 % 3331, Y: i * i * 37 % 2011} }
	number := func(i int64) ([]byte, key.Class) { return key.AppendInt64(nil, i%2), key.Int }
	text := func(i int64) ([]byte, key.Class) { return fmt.Appendf(nil, "c%d", i%2), key.Text }
	mask := func(s *Sketch) error { return s.Mask(s) }
	var out []sketch.Sample
	for _, form := range []struct {
		name     string
		p        Params
		rows     int64
		cell     func(i int64) grid.Cell
		category func(i int64) ([]byte, key.Class)
		change   func(s *Sketch) error
		words    string
	}{
		{"empty", Params{}, 0, few, nil, nil, "exact, 0 cells"},
		{"exact", Params{}, 20, few, nil, nil, "exact, 6 cells"},
		{"exact, categories", Params{Categories: true, Totals: true}, 20, few, number, nil, "exact, 6 cells"},
		{"exact, blocks", Params{}, 300, many, nil, nil, "exact, 300 cells"},
		{"tree", Params{Overflow: ToTree, Bytes: 400}, 900, scattered, nil, nil, "tree, 508 leaves, 900 added"},
		{"tree, categories", Params{Overflow: ToTree, Bytes: 400, Categories: true, Totals: true}, 900, scattered, text, nil, "tree, 411 leaves, 900 added"},
		{"mi", Params{Dense: true, Widths: []int{4, 8}, Counters: []uint64{32, 4}}, 20, few, nil, nil, "dense, 2 layers, 20 added"},
		{"standard", Params{Dense: true, Mode: Standard, Widths: []int{4, 8}, Counters: []uint64{32, 4}}, 200, few, nil, nil, "dense, 2 layers, 200 added"},
		{"standard, categories", Params{Dense: true, Mode: Standard, Widths: []int{5, 9}, Counters: []uint64{32, 4}, Categories: true, Totals: true}, 20, few, text, nil, "dense, 2 layers, 20 added"},
		{"mi, levels", Params{Dense: true, Widths: []int{4, 8}, Counters: []uint64{64, 4}, Levels: 2}, 20, few, nil, nil, "dense, 2 layers, 20 added"},
		{"masked", Params{Dense: true, Mode: Standard, Widths: []int{8}, Counters: []uint64{16}}, 20, few, nil, mask, "dense, 1 layer"},
	} {
		form.p.Res = 1
		blob, err := sample(form.p, form.rows, form.cell, form.category, form.change)
		if err != nil {
			return nil, fmt.Errorf("ccbf %s: %w", form.name, err)
		}
		out = append(out, sketch.Sample{Name: form.name, Blob: blob, Words: form.words})
	}
	return out, nil
}

func sample(p Params, rows int64, cell func(int64) grid.Cell, category func(int64) ([]byte, key.Class), change func(*Sketch) error) ([]byte, error) {
	c, err := p.Config()
	if err != nil {
		return nil, err
	}
	b := NewBuilder(c, nil)
	for i := range rows {
		var text []byte
		class := key.None
		if category != nil {
			text, class = category(i)
		}
		if err := b.Add(cell(i), text, class, 1); err != nil {
			return nil, err
		}
	}
	s, err := b.Sketch()
	if err != nil {
		return nil, err
	}
	if change != nil {
		if err := change(s); err != nil {
			return nil, err
		}
	}
	return s.Blob(), nil
}
