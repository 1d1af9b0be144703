package serve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/connector"
)

// Every layer is drawn at every zoom, also counters over the whole world. The response says whether
// cells were sampled, and whether all counts can be chance.
func TestEveryLayerDraws(t *testing.T) {
	const world = `CREATE TABLE points AS SELECT (hash(i) % 360)::DOUBLE - 179.5 + (hash(i, 1) % 1000) / 1000 AS lon, (hash(i, 2) % 160)::DOUBLE - 80 + (hash(i, 3) % 1000) / 1000 AS lat FROM range(20000) t(i);
		CREATE TABLE small AS FROM (SELECT 'tree' AS form, ccbf_agg(lon, lat, 0.001, {bytes: 4096}) AS s FROM points UNION ALL
			SELECT 'counters', ccbf_agg(lon, lat, 0.001, {bytes: 4096, overflow: 'counters'}) FROM points);
		CREATE TABLE levels AS SELECT ccbf_agg(lon, lat, 0.001, {bytes: 65536, exact: false, levels: 3}) AS s FROM points;
		CREATE TABLE months AS SELECT i % 60 AS month, ccbf_agg(lon, lat, 0.0001, {bytes: 8192, exact: false}) AS s FROM points, range(60) t(i) GROUP BY month`
	url := started(t, database(t, world))
	for _, layer := range []string{"small", "levels", "months"} {
		for _, at := range []string{"0/0/0", "1/1/0", "3/4/2", "7/64/42", "12/2048/1361", "18/131072/87150"} {
			if n := drawnPixels(t, fmt.Sprintf("%s/tiles/%s/s/%s.png", url, layer, at)); n == 0 && layer != "levels" && at != "18/131072/87150" {
				t.Errorf("%s at %s shows nothing", layer, at)
			}
		}
		_, body := get(t, url+"/api/scale?table="+layer+"&column=s&xmin=-180&ymin=-80&xmax=180&ymax=80&pixel=0.5")
		if s := decoded[viewScale](t, body); !s.Sampled || !s.Dense || (s.Top > 0) == s.Hidden || s.Hidden != (layer == "levels") {
			t.Errorf("%s: the scale is %s", layer, body)
		}
	}
}

// A BLOB that is not a sketch is named and left out, also from sums.
func TestBadRows(t *testing.T) {
	file := database(t, towns+`;
		CREATE TABLE partly AS SELECT month, CASE WHEN month = 'month 1' THEN s."s""k"[:20] WHEN month = 'month 2' THEN s."s""k"[:-2] || '\x00'::BLOB ELSE s."s""k" END AS s FROM "to wns" s WHERE tile = 0 ORDER BY month DESC;
		CREATE TABLE none AS SELECT 'no sketch'::BLOB AS s`)
	url := started(t, file)
	_, body := get(t, url+"/api/layers")
	var some *layer
	for _, l := range decoded[[]*layer](t, body) {
		switch l.Table {
		case "partly":
			some = l
		case "none":
			t.Errorf("a table without sketches is a layer: %+v", l)
		}
	}
	if some == nil || some.Rows != 1 || some.BadRows != 2 || len(some.Bad) != 2 || some.Bad[0].Row != 1 || some.Bad[1].Row != 2 || !strings.Contains(some.Bad[1].Error, "not a valid sketch") {
		t.Fatalf("the layer is %+v in %s", some, body)
	}
	a := summed(t, url, `{"table": "partly", "column": "s", "box": [0, 50, 1, 51]}`)
	db := opened(t, file+"?"+confined)
	if truth := number(t, db, "SELECT count(*) FROM points WHERE tile = 0 AND month = 'month 0'"); a.Estimate != truth || truth == 0 || !a.Certain {
		t.Errorf("%+v, want %v", a, truth)
	}
}

// A layer that exceeds the memory limit has an error, and the others are served.
func TestLayerTooLarge(t *testing.T) {
	file := database(t, towns)
	db, err := connector.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	var kinds int64
	if err := db.QueryRow("SELECT sum(octet_length(s)) FROM kinds").Scan(&kinds); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	layers, err := newServer(file, kinds+1).all(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	good := 0
	for _, l := range layers {
		if l.Error == "" {
			good++
		} else if !strings.Contains(l.Error, "start with a larger -memory") {
			t.Errorf("%s: %s", l.Table, l.Error)
		}
	}
	if good == 0 || good == len(layers) {
		t.Errorf("%d of %d layers fit", good, len(layers))
	}
}

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
