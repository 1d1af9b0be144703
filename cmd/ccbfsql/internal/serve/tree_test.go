package serve

import (
	"fmt"
	"testing"
)

// Trees (nested squares with counts) are a layer like others. The bounds of sums hold, no place
// with many points is missing, and tiles are drawn.
func TestTreesAreServed(t *testing.T) {
	file := database(t, towns+`; CREATE TABLE trees AS SELECT tile, ccbf_agg(lon, lat, 0.001, {bytes: 1500}) AS s FROM points GROUP BY tile`)
	url := started(t, file)
	db := opened(t, file+"?"+confined)
	if trees := number(t, db, "SELECT count(*) FROM trees WHERE (ccbf_info(s)).encoding = 'tree'"); trees != 4 {
		t.Fatalf("%v trees", trees)
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
		a := summed(t, url, fmt.Sprintf(`{"table": "trees", "column": "s", "box": [%g, %g, %g, %g]}`, box[0], box[1], box[2], box[3]))
		// By the centres of cells.
		truth := number(t, db, fmt.Sprintf(`SELECT count(*) FROM (SELECT (2 * floor(round(lon * 1e6) / 1000) + 1) / 2000 AS x, (2 * floor(round(lat * 1e6) / 1000) + 1) / 2000 AS y FROM points) WHERE x >= %g AND x < %g AND y >= %g AND y < %g`,
			box[0], box[2], box[1], box[3]))
		if truth == 0 || a.Low > truth || truth > a.High || a.Estimate < a.Low || a.Estimate > a.High {
			t.Errorf("box %v: %+v of %v points", box, a, truth)
		}
	}
	_, body = post(t, url+"/api/hotspots", `{"table": "trees", "column": "s", "box": [0, 50, 2, 52], "k": 5}`)
	most := number(t, db, "SELECT max(n) FROM (SELECT count(*) AS n FROM points GROUP BY floor(round(lon * 1e6) / 1000), floor(round(lat * 1e6) / 1000))")
	if h := decoded[hotspots](t, body); len(h.Spots) != 5 || float64(h.Spots[0].Count) < most {
		t.Errorf("the largest cell has %v points: %s", most, body)
	}
	if drawnPixels(t, url+"/tiles/trees/s/6/32/21.png") == 0 {
		t.Error("a tile is empty")
	}
}
