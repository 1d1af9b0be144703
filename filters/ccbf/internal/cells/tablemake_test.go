package cells

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// inGoroutines makes every part in a goroutine of its own.
func inGoroutines(parts int, do func(part int)) {
	var all sync.WaitGroup
	for i := range parts {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// viewOfCategories is a view of cells of categories in one region, each once.
func viewOfCategories(t *testing.T, categories map[string][]grid.Cell) View {
	var l List
	for _, category := range slices.Sorted(maps.Keys(categories)) {
		var keys, counts []uint64
		for _, c := range categories[category] {
			_, _, z := Key(c)
			keys, counts = append(keys, z), append(counts, 1)
		}
		l = append(l, Section{Label{Category: category}, RunOf(keys, counts)})
	}
	body, ok := l.AppendBody(nil, l.Bounds(), 1<<24)
	if !ok {
		t.Fatal("no body")
	}
	var v View
	if err := v.Reset(body, l.Bounds(), true, l.Total()); err != nil {
		t.Fatal(err)
	}
	return v
}

// countsIn are the counts of cells of a category, by a table.
func countsIn(table *Table, category string, at []grid.Cell) []uint64 {
	numbers := make([]uint32, len(at))
	for i := range numbers {
		numbers[i] = table.Category([]byte(category))
	}
	counts, places, slots := make([]uint64, len(at)), make([]uint64, len(at)), make([]uint32, len(at))
	table.Find(places, slots, at, numbers)
	table.Read(counts, places, slots)
	return counts
}

// Parts of a table that are made at the same time count as those that are made one after
// the other, also where more cells of a category want the last slots of its stretch than
// there are behind these: then they are where it begins.
func TestPartsOfTables(t *testing.T) {
	const size, side, crowd = 3000, 1000, 300
	categories := make(map[string][]grid.Cell)
	r := rand.New(rand.NewPCG(67, 0))
	for i := range 20 {
		for _, c := range r.Perm(side * side)[:size] {
			categories[fmt.Sprint("c", 10+i)] = append(categories[fmt.Sprint("c", 10+i)], grid.Cell{X: int64(c % side), Y: int64(c / side)})
		}
		// Corners first, so that bounds stay what they are.
		copy(categories[fmt.Sprint("c", 10+i)], []grid.Cell{{}, {X: side - 1, Y: side - 1}})
	}
	for round := range 2 {
		v := viewOfCategories(t, categories)
		var parts []tablePart
		alone, ok := v.Table(false, nil)
		shared, same := v.Table(false, func(n int, do func(part int)) {
			parts = make([]tablePart, n)
			inGoroutines(n, do)
		})
		if !ok || !same || len(parts) < 3 {
			t.Fatalf("round %d: %v, %v, %d parts", round, ok, same, len(parts))
		}
		for category, at := range categories {
			asked := append([]grid.Cell{}, at...)
			want := make(map[grid.Cell]uint64)
			for _, c := range at {
				want[c]++
			}
			for range size {
				asked = append(asked, grid.Cell{X: r.Int64N(side), Y: r.Int64N(side)})
			}
			one, other := countsIn(&alone, category, asked), countsIn(&shared, category, asked)
			for i, c := range asked {
				if one[i] != want[c] || other[i] != want[c] {
					t.Fatalf("round %d: %v of %s counts %d and %d, want %d", round, c, category, one[i], other[i], want[c])
				}
			}
		}
		// In the next round many cells of some categories want the last slots of their stretches.
		for _, category := range []string{"c15", "c16", "c17", "c18", "c19", "c20", "c29"} {
			number := alone.Category([]byte(category))
			in, n := &alone.stretches[number], 2
			has := make(map[grid.Cell]bool)
			for _, c := range categories[category] {
				has[c] = true
			}
			for i := 1; n < crowd && i < side*side-1; i++ {
				c := grid.Cell{X: int64(i % side), Y: int64(i / side)}
				if alone.offset(in, alone.place(c))>>alone.slotShift >= in.from+in.slots-20 && !has[c] {
					categories[category][n] = c
					n++
				}
			}
		}
	}
}

// A part that panics leaves no table.
func TestPartThatPanics(t *testing.T) {
	m := tableMaker{Table: new(Table)}
	func() {
		defer func() { _ = recover() }()
		m.fill(&tablePart{})
	}()
	if !m.bad {
		t.Error("what a part did not count is not missed")
	}
}

// Slots of 32 bits and of 64 count alike, also what takes all bits that there are for a count,
// and what categories come to together.
func TestWidthsOfSlots(t *testing.T) {
	r := rand.New(rand.NewPCG(69, 0))
	for _, c := range []struct {
		side   int64
		mean   bool // of few points a cell
		narrow bool
	}{{200, true, true}, {1 << 13, true, true}, {1 << 14, true, false}, {1 << 13, false, false}, {1 << 27, true, false}} {
		type spot struct {
			grid.Cell
			category string
		}
		want, together := make(map[spot]uint64), make(map[grid.Cell]uint64)
		var l List
		add := func(x, y int64, category string, n uint64) {
			at := grid.Cell{X: x, Y: y}
			l = l.Add(at, []byte(category), n)
			want[spot{at, category}] += n
			together[at] += n
		}
		for _, category := range []string{"a", "b", "c"} {
			for range 1500 {
				add(r.Int64N(c.side), r.Int64N(c.side), category, 1)
			}
			add(0, 0, category, 1)
			add(c.side-1, c.side-1, category, 1)
			for n := range uint64(4) { // around all that 6 bits hold
				add(int64(n), 1, category, 61+n)
			}
			add(5, 5, category, 253)
			if !c.mean {
				add(6, 5, category, 1<<40)
				add(7, 5, category, 1<<62)
			}
		}
		body, ok := l.AppendBody(nil, l.Bounds(), 1<<20)
		if !ok {
			t.Fatal("no body")
		}
		var v View
		if err := v.Reset(body, l.Bounds(), true, l.Total()); err != nil {
			t.Fatal(err)
		}
		each, ok := v.Table(false, nil)
		all, same := v.Table(true, nil)
		if !ok || !same || (each.narrow != nil) != c.narrow || (all.narrow != nil) != c.narrow {
			t.Fatalf("side %d: %v, %v, narrow: %v", c.side, ok, same, each.narrow != nil)
		}
		if bytes, _ := v.TableBytes(false); bytes < int64(len(each.narrow)*4+len(each.wide)*8) {
			t.Errorf("side %d: slots of %d and %d bytes in %d", c.side, len(each.narrow)*4, len(each.wide)*8, bytes)
		}
		for s, n := range want {
			if got := countsIn(&each, s.category, []grid.Cell{s.Cell}); got[0] != n {
				t.Fatalf("side %d: %v of %s counts %d, want %d", c.side, s.Cell, s.category, got[0], n)
			}
		}
		var at []grid.Cell
		for cell := range together {
			at = append(at, cell, grid.Cell{X: cell.X, Y: r.Int64N(c.side)})
		}
		counts, places, slots := make([]uint64, len(at)), make([]uint64, len(at)), make([]uint32, len(at))
		all.Find(places, slots, at, nil)
		all.Read(counts, places, slots)
		for i, cell := range at {
			if counts[i] != together[cell] {
				t.Fatalf("side %d: %v counts %d together, want %d", c.side, cell, counts[i], together[cell])
			}
		}
	}
}
