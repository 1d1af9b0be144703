package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/queries"
	"github.com/paulmach/orb"
)

// place is a cell, a category if the points have categories, and its number of points.
type place struct {
	grid.Cell
	category []byte // bytes of the category; nil: the points have no categories
	points   uint64
}

// hash returns the hash of the cell with its category, as ccbf hashes it.
func (p *place) hash(seed uint64) (h1, h2 uint64) {
	var b [64]byte
	return key.Hash(seed, key.AppendCell(b[:0], p.X, p.Y, 0, p.category))
}

// points is a data set: how many points each place has, and the order in which they are added.
type points struct {
	name, what string  // names for tables and for texts
	res        float64 // side of a cell
	places     []place
	order      []int             // order in which points are added: indexes of places
	index      map[grid.Cell]int // index of each cell's place, while points are added
}

func (p points) total() (n uint64) {
	for i := range p.places {
		n += p.places[i].points
	}
	return n
}

// occupied returns the points without empty places.
func (p points) occupied() points {
	p.places = slices.DeleteFunc(slices.Clone(p.places), func(p place) bool { return p.points == 0 })
	return p
}

// light leaves at most two points at each place in tests, which have the smallest scale.
func (p points) light(c report.Scale) points {
	if c == report.Tiny {
		p.places = slices.Clone(p.places)
		for i := range p.places {
			p.places[i].points = min(p.places[i].points, 2)
		}
	}
	return p
}

// shuffled returns the points in random order.
func (p points) shuffled(seed, stream uint64) points {
	p.order = shuffled(report.Column(p.places, func(p place) uint64 { return p.points }), random(seed, stream))
	return p
}

// builder returns a builder of sketches of the points' cells.
func (p points) builder(of ccbf.Params) *ccbf.Builder {
	of.Res = p.res
	return ccbf.NewBuilder(report.Must(of.Config()), nil)
}

// sketched returns the BLOB of a sketch to which all points of a place are added at once.
func (p points) sketched(of ccbf.Params) []byte {
	b := p.builder(of)
	for _, at := range p.places {
		report.Check(b.Add(at.Cell, nil, key.None, at.points))
	}
	return report.Must(b.Sketch()).Blob()
}

func viewOf(blob []byte) *ccbf.View {
	v := new(ccbf.View)
	report.Check(v.Reset(blob))
	return v
}

// exactBytes is the largest size of an exact sketch.
const exactBytes = 64 << 20

// exact returns the exact sketch of the points and its bytes. More than exactBytes are a failure.
func (p points) exact() (*ccbf.View, int) {
	blob := p.sketched(ccbf.Params{Bytes: exactBytes})
	v := viewOf(blob)
	report.Require(v.IsExact(), "%s: %d cells do not fit into %d bytes", p.name, len(p.places), exactBytes)
	return v, len(blob)
}

// squareAround returns a square around a random cell with points.
func (p points) squareAround(r *rand.Rand, side int64) grid.Rect {
	at := p.places[r.IntN(len(p.places))]
	x, y := at.X-r.Int64N(side), at.Y-r.Int64N(side)
	return grid.Rect{MinX: x, MinY: y, MaxX: x + side - 1, MaxY: y + side - 1}
}

// dataSet is a file with real points.
type dataSet struct{ name, file, what string }

var (
	uk = dataSet{"UK", "uk_crime_2018q4.parquet",
		"police-recorded crimes in England, Wales and Northern Ireland, October to December 2018"}
	taxis  = dataSet{"New York", "nyc_taxi_pickups.parquet", "yellow taxi pickups in New York"}
	cities = dataSet{"cities", "geonames_cities.parquet", "populated places (GeoNames)"}
)

// Files of values, and of counts over time.
const (
	elevations = "covtype_elevation.parquet"
	covidFile  = "jhu_covid19_confirmed_global.csv"
)

// text returns a query of the folder sql.
var text = queries.Templates(files, "sql/*.sql", nil)

// read returns the places of the points. x and y are SQL expressions of lon and lat.
func (d dataSet) read(x, y, category, where string) []place {
	return readPlaces(text("places", report.At{"x": x, "y": y, "category": category, "file": duck.File(d.file), "where": where}))
}

// readPlaces runs a query for x, y, category and points.
func readPlaces(query string) (places []place) {
	db := duck.Open(1)
	defer db.Close()
	var p place
	duck.Each(db, query, func() { places = append(places, p) }, &p.X, &p.Y, &p.category, &p.points)
	return places
}

// degrees returns the points in cells of res degrees, without those at (0, 0), whose place is
// unknown.
func (d dataSet) degrees(res float64) points {
	places := d.read(fmt.Sprint("lon / ", res), fmt.Sprint("lat / ", res), "NULL", "lon <> 0 OR lat <> 0")
	return points{name: fmt.Sprintf("%s, %v degrees", d.name, res), what: d.what, res: res, places: places}
}

// rasterSide is the number of cells along a raster's side. CascadeCBF, section 5.2.4.
const rasterSide = 4096

// raster returns the points within a box of degrees on a raster over that box. Each cell is divided
// into parts by parts parts.
func (d dataSet) raster(west, south, east, north float64, parts int) points {
	side := float64(rasterSide * parts)
	return points{what: d.what, res: 1, places: d.read(
		fmt.Sprintf("(lon - %v) * %v", west, side/(east-west)), fmt.Sprintf("(lat - %v) * %v", south, side/(north-south)), "NULL",
		fmt.Sprintf("lon >= %v AND lon < %v AND lat >= %v AND lat < %v", west, east, south, north))}
}

// crimeCategories returns the cells of the UK file with their categories, by category, row and
// column. Some rows have other text in place of a category; every category has thousands of rows.
func crimeCategories(res float64) points {
	known := fmt.Sprintf("category IN (SELECT category FROM %s GROUP BY category HAVING count(*) > 1000)", duck.File(uk.file))
	return points{name: fmt.Sprintf("crimes, %v degrees", res), what: uk.what, res: res,
		places: uk.read(fmt.Sprint("lon / ", res), fmt.Sprint("lat / ", res), "category", known)}
}

// add adds n points at a cell, after all others. Each cell has one place.
func (p *points) add(c grid.Cell, n uint64) {
	if p.index == nil {
		p.index = map[grid.Cell]int{}
	}
	at, known := p.index[c]
	if !known {
		at = len(p.places)
		p.index[c] = at
		p.places = append(p.places, place{Cell: c})
	}
	p.places[at].points += n
	for range n {
		p.order = append(p.order, at)
	}
}

// covidDates are the dates of table 2 of the CascadeCBF paper, as in the columns of the file.
var covidDates = []string{"3/15/2020", "6/15/2020", "12/31/2020", "6/30/2021", "12/31/2021", "6/30/2022"}

const covidWhat = "confirmed COVID-19 cases (JHU CSSE)"

// covidSide is the number of the raster's cells from pole to pole, and around the equator.
const covidSide = 8192

// covid returns the cells of the COVID-19 file's places with the new points at each date. A place
// has a thousandth of all cases until then, rounded down.
func covid() (byDate [][]place) {
	return byCategory(readPlaces(text("covid", report.At{"file": duck.File(covidFile), "dates": covidDates, "side": covidSide})))
}

// byCategory splits places, which are sorted by category, into the places of each category.
func byCategory(places []place) (all [][]place) {
	for from, to := 0, 0; from < len(places); from = to {
		for to < len(places) && string(places[to].category) == string(places[from].category) {
			to++
		}
		all = append(all, places[from:to])
	}
	return all
}

// covidDegrees returns the points of the COVID-19 file at a resolution in degrees.
func covidDegrees(res float64) points {
	out := points{name: fmt.Sprintf("COVID-19, %v degrees", res), what: covidWhat, res: res}
	const width, height = 360.0 / covidSide, 180.0 / covidSide // size of a raster's cell in degrees
	for _, p := range slices.Concat(covid()...) {
		if p.points > 0 {
			x, y := ((float64(p.X)+0.5)*width-180)/res, ((float64(p.Y)+0.5)*height-90)/res
			out.add(grid.Cell{X: int64(math.Floor(x)), Y: int64(math.Floor(y))}, p.points)
		}
	}
	return out
}

// outlines returns the polygons of a query for GeoJSON.
func outlines(query string) []orb.MultiPolygon {
	db := duck.Open(1)
	defer db.Close()
	return report.Column(duck.Column[string](db, query), func(text string) orb.MultiPolygon { return report.Must(grid.ParsePolygon([]byte(text))) })
}

// star returns a polygon of 5 to 40 corners around a centre, at 0.2 to 1 times the radius.
func star(r *rand.Rand, centre orb.Point, radius float64) orb.MultiPolygon {
	var ring orb.Ring
	n := 5 + r.IntN(36)
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.9*r.Float64()) / float64(n))
		d := radius * (0.2 + 0.8*r.Float64())
		ring = append(ring, orb.Point{centre[0] + d*cos, centre[1] + d*sin})
	}
	return orb.MultiPolygon{{append(ring, ring[0])}}
}
