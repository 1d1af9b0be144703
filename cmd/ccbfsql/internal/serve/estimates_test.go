package serve

import (
	"fmt"
	"net/http"
	"testing"
)

// Pictures of counters show the towns and nothing between them, because what collisions add is
// subtracted. Counts in vector tiles are never below the truth.
func TestEmptyCountryIsEmpty(t *testing.T) {
	url := started(t, database(t, `CREATE TABLE towns AS SELECT i % 2 AS month, ccbf_agg(lon, lat, 0.001, {bytes: 16384, exact: false, mode: mode}) AS s, mode
		FROM (SELECT i, (i % 2) * 0.6 + 0.01 * sqrt(-2 * ln((hash(i) % 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, 1) % 1000000) / 1e6) AS lon,
			(i % 2) * 0.6 + 0.01 * (hash(i, 2) % 1000) / 1000 AS lat FROM range(20000) t(i)
			UNION ALL SELECT i, i // 2 * 0.9 - 0.1, i // 2 * 0.9 - 0.1 FROM range(4) t(i)), (VALUES ('mi'), ('standard')) m(mode) GROUP BY ALL`))
	tile := func(lon, lat float64) string { // of zoom 10, 0.35 degrees wide
		return fmt.Sprintf("10/%d/%d", int((lon+180)/360*1024), int(512-lat/360*1024)) // near the equator
	}
	for _, mode := range []string{"mi", "standard"} {
		where := "?where=" + queryText(`[{"by": "mode", "value": "`+mode+`"}]`)
		for at, want := range map[string]bool{tile(0.01, 0.005): true, tile(0.61, 0.605): true, tile(0.1, 0.61): false, tile(0.6, 0.1): false} {
			n := drawnPixels(t, url+"/tiles/towns/s/"+at+".png"+where)
			// A town has about 100 pixels. 0.1% of all pixels may be chance.
			if want && n < 15 || !want && n > tileSide*tileSide/1000 {
				t.Errorf("%s at %s: %d pixels", mode, at, n)
			}
		}
	}
	if status, body := get(t, url+"/tiles/towns/s/"+tile(0.1, 0.61)+".mvt"); status != http.StatusOK || len(body) == 0 {
		t.Errorf("vector tiles are without their counts: %d, %d bytes", status, len(body))
	}
}
