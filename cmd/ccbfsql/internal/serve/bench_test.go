package serve

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Tiles of England by zoom, from 40 sketches of 600,000 points.
func BenchmarkTile(b *testing.B) {
	db, err := connector.Open(database(b, crimes))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	mux, s := http.NewServeMux(), newServer(db, 1<<28)
	s.routes(mux)
	for _, z := range []int{5, 7, 9, 11, 13} {
		x, err := grid.TileX(-1, z)
		if err != nil {
			b.Fatal(err)
		}
		y, err := grid.TileY(52, z)
		if err != nil {
			b.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodGet, fmt.Sprintf("/tiles/tiles/sketch/%d/%d/%d.png", z, x, y), nil)
		b.Run(fmt.Sprint("zoom=", z), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.tiles.Purge()
				w := httptest.NewRecorder()
				if mux.ServeHTTP(w, r); w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}
