package tree

import (
	"math/rand/v2"
	"slices"
	"testing"
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
				keys = append(keys, s.Keys[i], s.last(i), s.last(i)+1, s.Keys[i]-1, s.Keys[i]+r.Uint64N(side2(s.Level(i))+1), r.Uint64())
			}
			slices.Sort(keys)
			var b Packet
			kept, room := sheet, int64(1<<16)
			kept.Keep(&room)
			all, keptAll := make([]Leaf, len(keys)), make([]Leaf, len(keys))
			sheet.FindAll(keys, all, &b)
			for range 2 {
				kept.FindAll(keys, keptAll, &b)
			}
			for i, k := range keys {
				var want Leaf
				if n := searchAbove(s.Keys, k); n > 0 && k <= s.last(n-1) {
					want = Leaf{s.Keys[n-1], s.Counts[n-1], s.Level(n - 1)}
				}
				one, ok := sheet.Find(k, &b)
				again, okAgain := kept.Find(k, &b)
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
