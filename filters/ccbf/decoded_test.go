package ccbf

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/exact"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// asks are the cells of a model in any order, some twice, and cells beside them.
func asks(r *rand.Rand, p points) []grid.Cell {
	var at []grid.Cell
	for _, o := range p {
		at = append(at, o.Cell, grid.Cell{X: o.X + 1, Y: o.Y}, grid.Cell{X: o.X, Y: -o.Y})
		if r.IntN(3) == 0 {
			at = append(at, o.Cell)
		}
	}
	r.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
	return at
}

// tableCounts asks a table.
func tableCounts(d *exact.Table, at []grid.Cell, categories []uint32) []uint64 {
	dst, places, slots := make([]uint64, len(at)), make([]uint64, len(at)), make([]uint32, len(at))
	d.Find(places, slots, at, categories)
	d.Read(dst, places, slots)
	return dst
}

// tableOf is the table of an exact sketch.
func tableOf(v *View, together bool) (exact.Table, bool) {
	if !v.IsExact() {
		return exact.Table{}, false
	}
	return v.exact.Table(together)
}

// Many questions at once, of a view and of what it is decoded to, are answered as the
// points say, in cells of every kind.
func TestManyPlaces(t *testing.T) {
	for name, p := range cellSets() {
		r := rand.New(rand.NewPCG(61, 0))
		v := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Bytes: 1 << 20}), p)))
		m, at := p.model(), asks(r, p)
		d, ok := tableOf(v, true)
		// A place takes 56 bits at most.
		wide := float64(v.Bounds.MaxX-v.Bounds.MinX+1)*float64(v.Bounds.MaxY-v.Bounds.MinY+1) >= 1<<56
		if _, room := v.exact.TableBytes(true); ok == (wide || len(p) == 0) || ok != room {
			t.Errorf("%s: decoded %v, bytes %v", name, ok, room)
		}
		got := make([]uint64, len(at))
		v.Counts(got, at, Categories{})
		var again []uint64
		if ok {
			again = tableCounts(&d, at, nil)
		}
		for i, c := range at {
			want := m[spot{c, plain}]
			if got[i] != want || ok && again[i] != want {
				t.Fatalf("%s: %v counts %d among many, want %d (decoded: %v)", name, c, got[i], want, again)
			}
		}
	}
}

// With a category each, those that are there and those that are not.
func TestManyPlacesWithCategories(t *testing.T) {
	for name, params := range forms() {
		r := rand.New(rand.NewPCG(62, 0))
		params.Categories, params.Totals = true, true
		p := categorised(r, 3000)
		v := viewOf(t, blobOf(t, builderOf(t, config(t, params), p)))
		all := [][]byte{[]byte("other")}
		for _, c := range categories {
			all = append(all, []byte(c))
		}
		at := asks(r, p)
		got, which := make([]uint64, len(at)), make([]uint32, len(at))
		for i := range which {
			which[i] = r.Uint32N(uint32(len(all)))
		}
		m := p.model()
		for i, c := range at {
			got[i] = v.Count(c, all[which[i]])
			if v.IsExact() && got[i] != m[spot{c, string(all[which[i]])}] {
				t.Fatalf("%s: %v of %q counts %d", name, c, all[which[i]], got[i])
			}
		}
		d, ok := tableOf(v, false)
		if together, same := tableOf(v, true); ok != v.IsExact() || same != ok {
			t.Fatalf("%s: decoded %v, together %v", name, ok, same)
		} else if ok {
			for i, n := range tableCounts(&together, at, nil) {
				if want := v.Count(at[i], nil); n != want {
					t.Fatalf("%s: %v counts %d decoded, want %d", name, at[i], n, want)
				}
			}
			numbers := make([]uint32, len(at))
			for i, k := range which {
				numbers[i] = d.Category(all[k])
			}
			if !slices.Equal(tableCounts(&d, at, numbers), got) {
				t.Errorf("%s: decoded it answers otherwise", name)
			}
		}
	}
}
