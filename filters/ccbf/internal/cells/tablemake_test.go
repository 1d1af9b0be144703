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
// the other, also where the cells of a part find no slot before its end: then those that
// are behind it have them, and behind the last part the first.
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
		// In the next round many cells of some categories, one of which ends a part, and of the last
		// want the last slots of their stretches.
		for _, category := range []string{"c15", "c16", "c17", "c18", "c19", "c20", "c29"} {
			number := alone.Category([]byte(category))
			in, n := alone.stretches[number], 2
			has := make(map[grid.Cell]bool)
			for _, c := range categories[category] {
				has[c] = true
			}
			for i := 1; n < crowd && i < side*side-1; i++ {
				c := grid.Cell{X: int64(i % side), Y: int64(i / side)}
				if in.offset(alone.place(c, number)) >= (in.from+in.slots-20)*slotBytes && !has[c] {
					categories[category][n] = c
					n++
				}
			}
		}
	}
}

// Where very many cells find no slot in their part, there is no table: nobody waits for the
// time that they would take.
func TestCrowdedTable(t *testing.T) {
	const side = 3000
	categories := map[string][]grid.Cell{}
	for i := range 3 {
		at := []grid.Cell{{}, {X: side, Y: side}}
		for x := range int64(partCells + mostLate) {
			at = append(at, grid.Cell{X: 1 + x%(side-1), Y: 1 + x/(side-1)})
		}
		categories[fmt.Sprint("c", i)] = at
	}
	v := viewOfCategories(t, categories)
	roomy, ok := v.Table(false, nil)
	if !ok {
		t.Fatal("no table")
	}
	in, number := roomy.stretches[1], uint32(1)
	at, n := categories["c1"], 2
	for i := int64(side); n < len(at) && i < side*side; i++ {
		c := grid.Cell{X: i % side, Y: i / side}
		if in.offset(roomy.place(c, number)) >= (in.from+in.slots-in.slots/100)*slotBytes {
			at[n] = c
			n++
		}
	}
	if n < len(at) {
		t.Fatalf("%d cells of %d", n, len(at))
	}
	crowded := viewOfCategories(t, categories)
	if _, ok := crowded.Table(false, nil); ok {
		t.Error("a table of cells that crowd")
	}
	if _, ok := crowded.Table(false, inGoroutines); ok {
		t.Error("a table of cells that crowd, made in parts")
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
