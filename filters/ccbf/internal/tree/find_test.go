package tree

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
)

// Every way to find a cell gives the same leaf: alone, with many others, from kept packets, and in the
// list of all leaves. Cells beside leaves and at both ends of the curve are among them.
func TestFindAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 0))
	for name, counts := range inOrder(shapes()) {
		for _, tau := range []Tau{0, 3, 40, 90} {
			s := cut(squaresOf(counts), tau)
			sheet := sheetsOf(t, &s)[0]
			keys := []uint64{0, 1, ^uint64(0), ^uint64(0) - 1}
			for range 600 {
				i := r.IntN(s.Len())
				keys = append(keys, s.Keys[i], s.Last(i), s.Last(i)+1, s.Keys[i]-1, s.Keys[i]+r.Uint64N(cells.LowBits(s.Level(i))+1), r.Uint64())
			}
			slices.Sort(keys)
			kept, room := sheet, int64(1<<16)
			kept.Keep(&room)
			all, keptAll := make([]cells.Leaf, len(keys)), make([]cells.Leaf, len(keys))
			sheet.FindAll(keys, all)
			for range 2 {
				kept.FindAll(keys, keptAll)
			}
			for i, k := range keys {
				var want cells.Leaf
				if n := cells.SearchAbove(s.Keys, k); n > 0 && k <= s.Last(n-1) {
					want = s.Leaf(n - 1)
				}
				one, ok := find(&sheet, k)
				again, okAgain := find(&kept, k)
				if one != want || all[i] != want || keptAll[i] != want || again != want || ok != (want.Count > 0) || okAgain != ok {
					t.Fatalf("%s, threshold %d: cell %#x is in %+v, found alone %+v, with others %+v, kept %+v and %+v", name, tau.Value(), k, want, one, all[i], again, keptAll[i])
				}
			}
			if room < 0 {
				t.Errorf("%s: %d bytes too many are kept", name, -room)
			}
		}
	}
}
