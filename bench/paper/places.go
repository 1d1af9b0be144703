package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// place is a cell, a category where the points have some, and how many points
// are there.
type place struct {
	grid.Cell
	category []byte // nil for none
	points   uint64
}

// hash is that of the cell with its category, as ccbf hashes it.
func (p *place) hash(seed uint64) (h1, h2 uint64) {
	var b [64]byte
	return key.Hash(seed, key.AppendCell(b[:0], p.X, p.Y, 0, p.category))
}

// sqlFile is a file with real data as SQL names it.
func sqlFile(folder, file string) string {
	return "'" + strings.ReplaceAll(filepath.Join(folder, file), "'", "''") + "'"
}

// readPlaces reads places: x, y, category and points.
func readPlaces(query string) []place {
	db := report.Must(connector.Open("?threads=1"))
	defer db.Close()
	rows := report.Must(db.Query(query))
	defer rows.Close()
	var places []place
	for rows.Next() {
		var p place
		report.Check(rows.Scan(&p.X, &p.Y, &p.category, &p.points))
		places = append(places, p)
	}
	report.Check(rows.Err())
	return places
}

// total is the points of all places.
func total(places []place) uint64 {
	n := uint64(0)
	for i := range places {
		n += places[i].points
	}
	return n
}

// lighten leaves two points at most in each place, for the tests.
func lighten(places []place) {
	for i := range places {
		places[i].points = min(places[i].points, 2)
	}
}

// arrivals are the points of places one by one in random order, each by the
// index of its place.
func arrivals(r *rand.Rand, places []place) []int32 {
	points := make([]int32, 0, total(places))
	for i := range places {
		for range places[i].points {
			points = append(points, int32(i))
		}
	}
	r.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	return points
}

// answers is a structure that has counted places.
type answers struct {
	count func(p *place) uint64
	view  *ccbf.View // nil where the structure is no ccbf
	bytes uint64     // of the counters as wide as the paper has them; of ccbf, of the BLOB
	most  uint64     // what its counters count to
}

// exact are the answers of a sketch that has no error.
func (a *answers) exact() bool { return a.view != nil && a.view.IsExact() }

// paperK is the paper's number of hash functions unless varied. Section 5.
const paperK = 8

// structure counts places of a grid in so many bytes. Their points arrive one by
// one in the order of points.
type structure struct {
	name  string
	count func(places []place, points []int32, res float64, bytes, seed uint64) answers
}

// The structures of the CascadeCBF paper's experiments on real data, with its k,
// and this project's defaults.
var (
	paperCascade  = cascadeOf("CascadeCBF, k 8, [16, 16], mi", paperK, ccbf.MinimalIncrement, split)
	paperStandard = cascadeOf("CascadeCBF, k 8, [16, 16], standard", paperK, ccbf.Standard, split)
	paperSpectral = spectralOf("spectral, k 8, mi, 32 bits", paperK, 32)
	paperCountMin = countMinOf("Count-Min, 5 rows, 32 bits", 5, 32)
	denseDefaults = defaultsOf("our defaults, dense", true)
	ourDefaults   = defaultsOf("our defaults", false)
)

// split shares bytes nine to one between two layers of 16 bits. Section 5.2.1.
func split(bytes uint64) []uint64 { return []uint64{bytes / 20 * 9, bytes / 20} }

// cascadeOf is a CascadeCBF in layers of 16 bits, and how many counters they
// have.
func cascadeOf(name string, k int, mode ccbf.Mode, counters func(bytes uint64) []uint64) structure {
	return structure{name, func(places []place, points []int32, res float64, bytes, seed uint64) answers {
		p := ccbf.Params{Res: res, Dense: true, K: k, Mode: mode, Counters: counters(bytes), Seed: seed}
		p.Widths = slices.Repeat([]int{16}, len(p.Counters))
		return cascaded(p, places, points)
	}}
}

// defaultsOf is a CascadeCBF that is told its size and, where it is dense, that: what
// does not fit is counted in counters, which are what the paper is about.
func defaultsOf(name string, dense bool) structure {
	return structure{name, func(places []place, points []int32, res float64, bytes, seed uint64) answers {
		return cascaded(ccbf.Params{Res: res, Bytes: bytes, Dense: dense, Overflow: ccbf.ToCounters, Seed: seed}, places, points)
	}}
}

// spectralOf is a Spectral Bloom Filter of minimal increase.
func spectralOf(name string, k, width uint64) structure {
	return structure{name, func(places []place, points []int32, _ float64, bytes, seed uint64) answers {
		counters := bytes * 8 / width
		return hashed(report.Must(sbf.New(sbf.Params{Counters: counters, K: k, Method: sbf.MI, Seed: seed})), places, points, seed, counters, width)
	}}
}

// countMinOf is a Count-Min Sketch with conservative updates.
func countMinOf(name string, rows, width uint64) structure {
	return structure{name, func(places []place, points []int32, _ float64, bytes, seed uint64) answers {
		return countMinned(cms.Params{Width: bytes * 8 / width / rows, Depth: rows, Seed: seed}, width, places, points)
	}}
}

// countMinned are the answers of a Count-Min Sketch with conservative updates.
func countMinned(p cms.Params, width uint64, places []place, points []int32) answers {
	p.Conservative = true
	sk := report.Must(cms.New(p))
	return hashed(sk, places, points, p.Seed, sk.Width()*sk.Depth(), width)
}

// cascaded are the answers of a ccbf.
func cascaded(p ccbf.Params, places []place, points []int32) answers {
	class := key.None
	if len(places) > 0 && places[0].category != nil {
		p.Categories, class = true, key.Text
	}
	config := report.Must(p.Config())
	b := ccbf.NewBuilder(config, nil)
	for _, i := range points {
		report.Check(b.Add(places[i].Cell, places[i].category, class, 1))
	}
	blob, v := report.Must(b.Sketch()).Blob(), new(ccbf.View)
	report.Check(v.Reset(blob))
	valueBits := 0 // a bit of each counter is its flag
	for _, w := range config.Widths() {
		valueBits += int(w) - 1
	}
	return answers{func(p *place) uint64 { return v.Count(p.Cell, p.category) }, v, uint64(len(blob)), 1<<valueBits - 1}
}

// hashed are the answers of a structure that takes hashed keys, as if its
// counters, which widen, stopped at a width: where only the least counters of a
// key are raised, one that stops at a ceiling holds the smaller of the ceiling
// and of what it would hold without, by induction over the points; and so does
// the least of k.
func hashed(sk interface {
	AddHashes(h1s, h2s, ns []uint64)
	Count(h1, h2 uint64) uint64
}, places []place, points []int32, seed, counters, width uint64) answers {
	of := hashes{make([]uint64, len(places)), make([]uint64, len(places))}
	for i := range places {
		of.h1[i], of.h2[i] = places[i].hash(seed)
	}
	var batch hashes
	for points := range slices.Chunk(points, pieceLen) {
		batch.h1, batch.h2 = batch.h1[:0], batch.h2[:0]
		for _, i := range points {
			batch.h1, batch.h2 = append(batch.h1, of.h1[i]), append(batch.h2, of.h2[i])
		}
		sk.AddHashes(batch.h1, batch.h2, nil)
	}
	most := uint64(1)<<width - 1
	return answers{count: func(p *place) uint64 { return min(most, sk.Count(p.hash(seed))) }, bytes: counters * width / 8, most: most}
}

// excess is by how much an answer is too high, in parts of the truth. One that
// is too low is an error, but where the counters end.
func (a *answers) excess(p *place) float64 {
	n := a.count(p)
	report.Require(n >= min(p.points, a.most), "cell %v, category %q: counts %d, the truth is %d", p.Cell, p.category, n, p.points)
	return (float64(n) - float64(p.points)) / float64(p.points)
}

// absentRate is the chance that a ccbf has a count for a key that is not there:
// that all k counters of it are in use. 0 while exact.
func (a *answers) absentRate() float64 {
	if a.view == nil || a.exact() {
		return 0
	}
	return math.Pow(a.view.Info().Fill, float64(a.view.K()))
}

// crimePoints is the UK file as SQL names it, and what it holds.
func crimePoints(folder string) (table, what string) {
	return sqlFile(folder, "uk_crime_2018q4.parquet"), "police-recorded crimes in England, Wales and Northern Ireland, October to December 2018"
}

// crimes are the cells of the UK file at a resolution in degrees, with their
// counts, in the order of rows and columns.
func crimes(folder string, res float64) (cells []grid.Cell, counts []uint64, what string) {
	table, what := crimePoints(folder)
	places := readPlaces(fmt.Sprintf("SELECT floor(lon / %v)::BIGINT AS x, floor(lat / %[1]v)::BIGINT AS y, NULL, count(*) FROM %s GROUP BY ALL ORDER BY y, x", res, table))
	for i := range places {
		cells, counts = append(cells, places[i].Cell), append(counts, places[i].points)
	}
	return cells, counts, what
}

// area is a sum over the cells of a box, from sums over all boxes from the
// south-western corner on.
type area struct {
	low    grid.Cell
	width  int64
	prefix []uint64
}

// newArea adds up cells and their counts.
func newArea(cells []grid.Cell, counts []uint64) *area {
	low, high := grid.Cell{X: math.MaxInt64, Y: math.MaxInt64}, grid.Cell{X: math.MinInt64, Y: math.MinInt64}
	for _, c := range cells {
		low = grid.Cell{X: min(low.X, c.X), Y: min(low.Y, c.Y)}
		high = grid.Cell{X: max(high.X, c.X), Y: max(high.Y, c.Y)}
	}
	a := &area{low: low, width: high.X - low.X + 2}
	height := high.Y - low.Y + 2
	a.prefix = make([]uint64, a.width*height)
	for i, c := range cells {
		a.prefix[(c.Y-low.Y+1)*a.width+c.X-low.X+1] = counts[i]
	}
	for y := int64(1); y < height; y++ {
		for x := int64(1); x < a.width; x++ {
			i := y*a.width + x
			a.prefix[i] += a.prefix[i-1] + a.prefix[i-a.width] - a.prefix[i-a.width-1]
		}
	}
	return a
}

// sum is that of a box.
func (a *area) sum(box grid.Rect) uint64 {
	at := func(x, y int64) uint64 {
		x = min(max(x-a.low.X, 0), a.width-1)
		y = min(max(y-a.low.Y, 0), int64(len(a.prefix))/a.width-1)
		return a.prefix[y*a.width+x]
	}
	return at(box.MaxX+1, box.MaxY+1) + at(box.MinX, box.MinY) - at(box.MinX, box.MaxY+1) - at(box.MaxX+1, box.MinY)
}
