package cells

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

var townsGrid, _ = grid.New(0.001)

// townsBody is the body of so many points around 300 places of a country of 6 by 5
// degrees, many small towns and few large ones, and the bounds of their cells.
func townsBody(n int) (body []byte, bounds grid.Rect) {
	r := rand.New(rand.NewPCG(65, 0))
	z := rand.NewZipf(r, 1.1, 20, 299)
	var places [300]orb.Point
	for i := range places {
		places[i] = orb.Point{-5 + 6*r.Float64(), 50 + 5*r.Float64()}
	}
	keys := make([]uint64, n)
	for i := range keys {
		at := places[z.Uint64()]
		x, y := at[0]+0.05*r.NormFloat64(), at[1]+0.03*r.NormFloat64()
		Keys(keys[i:i+1], []float64{x}, []float64{y}, townsGrid)
	}
	l := List{{Label{None: true}, RunOf(keys, nil)}}
	bounds = l.Bounds()
	body, _ = l.AppendBody(nil, bounds, 1<<30)
	return body, bounds
}

func bodyView(t *testing.T, body []byte, bounds grid.Rect, n int) *View {
	t.Helper()
	v := new(View)
	if err := v.Reset(body, bounds, false, uint64(n)); err != nil {
		t.Fatal(err)
	}
	return v
}

// outline is a polygon of n corners on the grid of the towns.
func outline(t *testing.T, x, y, radius float64, n int) Area {
	t.Helper()
	var ring orb.Ring
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		d := radius * (0.9 + 0.1*math.Sin(float64(i)/3))
		ring = append(ring, orb.Point{x + d*cos, y + d*sin})
	}
	a, err := townsGrid.Descend(orb.MultiPolygon{{append(ring, ring[0])}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// blocksRead is the number of blocks that a question to v reads, v not being
// asked anything before, and of all blocks.
func blocksRead(v *View, a Area) (read, all int) {
	for range 2 { // the second question keeps what it reads
		v.AreaSum(a, Categories{})
	}
	for i := range v.sections {
		all += blockCount(v.sections[i].cells)
		for _, block := range v.kept.sections[i] {
			if len(block.Keys) > 0 {
				read++
			}
		}
	}
	return read, all
}

// A polygon reads the blocks that its outline crosses or that are inside of it:
// no more than hold a cell of a polygon a little larger, and the first and the
// last of each of the stretches of the Z-order curve that lead through it.
func TestPolygonReadsTheBlocksItTouches(t *testing.T) {
	body, bounds := townsBody(200_000)
	for _, radius := range []float64{0.003, 0.03, 0.3, 1} {
		for i := range 20 {
			r := rand.New(rand.NewPCG(66, uint64(i)))
			x, y := -5+6*r.Float64(), 50+5*r.Float64()
			v := bodyView(t, body, bounds, 200_000)
			read, all := blocksRead(v, outline(t, x, y, radius, 40))
			s := &v.sections[0]
			near := 0
			var keys, counts [BlockCells]uint64
			for j := range all {
				n, _ := s.decode(j, &keys, &counts)
				for _, k := range keys[:n] {
					cx, cy := townsGrid.Center(CellOf(s.X, s.Y, k))
					if math.Hypot(cx-x, cy-y) < 1.5*radius {
						near++
						break
					}
				}
			}
			if read > 2*near+24 {
				t.Errorf("a polygon of radius %v around (%v %v) reads %d of %d blocks, %d are near", radius, x, y, read, all, near)
			}
		}
	}
}

// What is kept from one question to the next has a limit, and answers do not
// depend on it.
func TestAreasKeepNoMoreThanTheyMay(t *testing.T) {
	body, bounds := townsBody(20_000)
	for _, room := range []int64{0, cachedBlockBytes, 20_000, 100_000} { // the index takes some 9,000
		v, r := bodyView(t, body, bounds, 20_000), rand.New(rand.NewPCG(68, 0))
		v.kept = readCache{asked: 2, sections: make([]sectionCache, 1), room: room}
		for i := range 60 {
			a := outline(t, -5+6*r.Float64(), 50+5*r.Float64(), 0.5, 30)
			got, want := v.AreaSum(a, Categories{}), bodyView(t, body, bounds, 20_000).AreaSum(a, Categories{})
			if got != want {
				t.Fatalf("room %d, question %d: %d, a fresh view says %d", room, i, got, want)
			}
		}
		kept := int64(0)
		for _, s := range v.kept.sections {
			kept += cachedBlockBytes * int64(len(s))
			for _, b := range s {
				kept += b.Bytes()
			}
		}
		if kept > room || room > 50_000 && kept < room-RunBytes(BlockCells) {
			t.Errorf("%d bytes are kept, of %d", kept, room)
		}
	}
}
