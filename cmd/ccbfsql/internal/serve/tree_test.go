package serve

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/ccbfsql/ccbfsql/connector"
)

// Trees (nested squares with counts) are a layer like others. The bounds of sums hold, no place
// with many points is missing, and tiles are drawn.
func TestTreesAreServed(t *testing.T) {
	file := database(t, towns+`; CREATE TABLE trees AS SELECT tile, ccbf_agg(lon, lat, 0.001, {bytes: 1500}) AS s FROM points GROUP BY tile`)
	url := started(t, file)
	db, err := connector.Open(file + "?" + confined)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var trees int
	if err := db.QueryRow("SELECT count(*) FROM trees WHERE (ccbf_info(s)).encoding = 'tree'").Scan(&trees); err != nil || trees != 4 {
		t.Fatalf("%d trees, %v", trees, err)
	}
	_, body := get(t, url+"/api/layers")
	found := false
	for _, l := range decoded[[]*layer](t, body) {
		found = found || l.Table == "trees" && l.Exact == 0 && l.Total == 12000
	}
	if !found {
		t.Errorf("no layer of trees: %s", body)
	}
	for _, box := range [][4]float64{{0.3, 50.3, 0.6, 50.6}, {0, 50, 2, 52}, {0.4, 50.4, 0.41, 50.41}} {
		status, body := post(t, url+"/api/sum", fmt.Sprintf(`{"table": "trees", "column": "s", "box": [%g, %g, %g, %g]}`, box[0], box[1], box[2], box[3]))
		a := decoded[areaSum](t, body)
		var truth float64 // by the centres of cells
		err := db.QueryRow(`SELECT count(*) FROM (SELECT (2 * floor(round(lon * 1e6) / 1000) + 1) / 2000 AS x, (2 * floor(round(lat * 1e6) / 1000) + 1) / 2000 AS y FROM points) WHERE x >= ? AND x < ? AND y >= ? AND y < ?`,
			box[0], box[2], box[1], box[3]).Scan(&truth)
		if err != nil || status != http.StatusOK || truth == 0 || a.Low > truth || truth > a.High || a.Estimate < a.Low || a.Estimate > a.High {
			t.Errorf("box %v: %+v of %v points, %d, %v", box, a, truth, status, err)
		}
	}
	_, body = post(t, url+"/api/hotspots", `{"table": "trees", "column": "s", "box": [0, 50, 2, 52], "k": 5}`)
	var most uint64
	if err := db.QueryRow("SELECT max(n) FROM (SELECT count(*) AS n FROM points GROUP BY floor(round(lon * 1e6) / 1000), floor(round(lat * 1e6) / 1000))").Scan(&most); err != nil {
		t.Fatal(err)
	}
	if h := decoded[hotspots](t, body); len(h.Spots) != 5 || h.Spots[0].Count < most {
		t.Errorf("the largest cell has %d points: %s", most, body)
	}
	if drawnPixels(t, url+"/tiles/trees/s/6/32/21.png") == 0 {
		t.Error("a tile is empty")
	}
}
