package serve

import (
	"image/color"
	"testing"
)

// A difference has one colour if there is more, another if there is less, and none between equal
// rows.
func TestDifference(t *testing.T) {
	url := started(t, database(t, towns))
	const path = "/tiles/to%20wns/s%22k/6/32/21.png?top=20000"
	const month, all = "&by=month&value=month+1", ""
	const versusMonth, versusAll = `&versus={"where":[{"by":"month","value":"month%201"}]}`, `&versus={}`
	pixels := func(query string) (more, less int) {
		t.Helper()
		img := tileAt(t, url+path+query)
		for i := range tileSide * tileSide {
			switch c := color.NRGBAModel.Convert(img.At(i%tileSide, i/tileSide)).(color.NRGBA); {
			case c.A == 0:
			case c.R > c.B:
				more++
			default:
				less++
			}
		}
		return more, less
	}
	if more, less := pixels(all + versusMonth); more == 0 || less != 0 {
		t.Errorf("all and a month: %d pixels with more, %d with less", more, less)
	}
	if more, less := pixels(month + versusAll); more != 0 || less == 0 {
		t.Errorf("a month and all: %d pixels with more, %d with less", more, less)
	}
	if more, less := pixels(month + versusMonth); more != 0 || less != 0 {
		t.Errorf("a month and itself: %d pixels with more, %d with less", more, less)
	}
	for query, want := range map[string]int{
		"/tiles/to%20wns/s%22k/6/32/21.png?versus={}":                                           400, // without top
		"/tiles/to%20wns/s%22k/6/32/21.png?top=1&versus=month":                                  400,
		`/tiles/to%20wns/s%22k/6/32/21.png?top=1&versus={"where":[{"by":"month","value":"m"}]}`: 400,
		"/tiles/to%20wns/s%22k/6/32/21.mvt?versus={}":                                           400,
	} {
		if status, body := get(t, url+query); status != want {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
	_, body := get(t, url+`/api/scale?table=to+wns&column=s%22k&xmin=0&ymin=50&xmax=2&ymax=52&pixel=0.01&versus={"where":[{"by":"month","value":"month%201"}]}`)
	if s := decoded[viewScale](t, body); len(s.Colours) != 2*(steps+1) || !(s.Top > 0) {
		t.Errorf("the scale is %s", body)
	}
}
