package agg

import (
	"testing"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
)

// A process that has seen many resolutions numbers the next one too: without a
// number groups of few points would need blocks for ever after.
func TestManyConfigurations(t *testing.T) {
	seen := map[uint32]bool{}
	for i := range 10000 {
		c, err := ccbf.New(ccbf.Params{Res: 1 + float64(i)/1024})
		if err != nil {
			t.Fatal(err)
		}
		id := intern(c)
		if id == 0 || seen[id] || *interned(id) != c || intern(c) != id {
			t.Fatalf("configuration %d has the number %d", i, id)
		}
		seen[id] = true
	}
	// Each is there twice, as a key and in the list.
	if most := 2 * maxConfigs * unsafe.Sizeof(ccbf.Config{}); most > 32<<20 {
		t.Errorf("%d configurations take %d bytes", maxConfigs, most)
	} else {
		t.Logf("%d configurations take %d bytes and the map's own", maxConfigs, most)
	}
}
