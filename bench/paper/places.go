package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

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

// fileOr is a file with real data as SQL names it, and what it holds; where it
// is not there, a query for made-up rows, and that they are that.
func fileOr(folder, file, what, madeUp, madeUpWhat string) (table, said string) {
	path := filepath.Join(folder, file)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "(" + madeUp + ")", madeUpWhat + ", as " + file + " is not there"
	}
	return "'" + strings.ReplaceAll(path, "'", "''") + "'", what
}

// readPlaces reads places: x, y, category and points.
func readPlaces(query string) ([]place, error) {
	db, err := connector.Open("?threads=1")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.Query(query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var places []place
	for rows.Next() {
		var p place
		if err := rows.Scan(&p.X, &p.Y, &p.category, &p.points); err != nil {
			return nil, err
		}
		places = append(places, p)
	}
	return places, rows.Err()
}

// total is the points of all places.
func total(places []place) uint64 {
	n := uint64(0)
	for i := range places {
		n += places[i].points
	}
	return n
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
}

// exact are the answers of a sketch that has no error.
func (a *answers) exact() bool { return a.view != nil && a.view.IsExact() }

// paperK is the paper's number of hash functions on real data.
const paperK = 8

// structure counts places of a grid in so many bytes. Their points arrive one by
// one in the order of points.
type structure struct {
	name  string
	count func(places []place, points []int32, res float64, bytes, seed uint64) (answers, error)
}

// The structures of the CascadeCBF paper's experiments on real data, with its k,
// and this project's defaults.
var (
	paperCascade  = structure{"CascadeCBF, k 8, [16, 16], mi", split(ccbf.MinimalIncrement)}
	paperStandard = structure{"CascadeCBF, k 8, [16, 16], standard", split(ccbf.Standard)}
	paperSpectral = structure{"spectral, k 8, mi, 32 bits", func(places []place, points []int32, _ float64, bytes, seed uint64) (answers, error) {
		sk, err := sbf.New(sbf.Params{Counters: bytes / 4, K: paperK, Method: sbf.MI, Seed: seed})
		if err != nil {
			return answers{}, err
		}
		return hashed(sk, places, points, seed, bytes/4*4), nil
	}}
	paperCountMin = structure{"Count-Min, 5 rows, 32 bits", func(places []place, points []int32, _ float64, bytes, seed uint64) (answers, error) {
		sk, err := cms.New(cms.Params{Width: bytes / 20, Depth: 5, Conservative: true, Seed: seed})
		if err != nil {
			return answers{}, err
		}
		return hashed(sk, places, points, seed, bytes/20*20), nil
	}}
	denseDefaults = structure{"our defaults, dense", func(places []place, points []int32, res float64, bytes, seed uint64) (answers, error) {
		return cascaded(ccbf.Params{Res: res, Bytes: bytes, Dense: true, Seed: seed}, places, points)
	}}
	ourDefaults = structure{"our defaults", func(places []place, points []int32, res float64, bytes, seed uint64) (answers, error) {
		return cascaded(ccbf.Params{Res: res, Bytes: bytes, Seed: seed}, places, points)
	}}
)

// split is a cascade of two layers of 16 bits that share the bytes nine to one.
// Section 5.2.1.
func split(mode ccbf.Mode) func([]place, []int32, float64, uint64, uint64) (answers, error) {
	return func(places []place, points []int32, res float64, bytes, seed uint64) (answers, error) {
		second := bytes / 20
		return cascaded(ccbf.Params{
			Res: res, Dense: true, K: paperK, Mode: mode, Widths: []int{16, 16}, Counters: []uint64{9 * second, second}, Seed: seed,
		}, places, points)
	}
}

// cascaded are the answers of a ccbf.
func cascaded(p ccbf.Params, places []place, points []int32) (answers, error) {
	class := key.None
	if len(places) > 0 && places[0].category != nil {
		p.Categories, class = true, key.Text
	}
	config, err := ccbf.New(p)
	if err != nil {
		return answers{}, err
	}
	b := ccbf.NewBuilder(config, nil)
	for _, i := range points {
		if err := b.Add(places[i].Cell, places[i].category, class, 1); err != nil {
			return answers{}, err
		}
	}
	sk, err := b.Sketch()
	if err != nil {
		return answers{}, err
	}
	blob, v := sk.AppendBlob(nil), new(ccbf.View)
	if err := v.Reset(blob); err != nil {
		return answers{}, err
	}
	return answers{func(p *place) uint64 { return v.Count(p.Cell, p.category) }, v, uint64(len(blob))}, nil
}

// hashed are the answers of a structure that takes hashed keys.
func hashed(sk interface {
	Add(h1, h2, n uint64)
	Count(h1, h2 uint64) uint64
}, places []place, points []int32, seed, bytes uint64) answers {
	h := hashes{make([]uint64, len(places)), make([]uint64, len(places))}
	for i := range places {
		h.h1[i], h.h2[i] = places[i].hash(seed)
	}
	for _, i := range points {
		sk.Add(h.h1[i], h.h2[i], 1)
	}
	return answers{count: func(p *place) uint64 { return sk.Count(p.hash(seed)) }, bytes: bytes}
}

// excess is by how much an answer is too high, in parts of the truth. One that
// is too low is an error.
func (a *answers) excess(p *place) (float64, error) {
	n := a.count(p)
	if n < p.points {
		return 0, fmt.Errorf("cell %v, category %q: counts %d, the truth is %d", p.Cell, p.category, n, p.points)
	}
	return float64(n-p.points) / float64(p.points), nil
}

// absentRate is the chance that a ccbf has a count for a key that is not there:
// that all k counters of it are in use. 0 while exact.
func (a *answers) absentRate() float64 {
	if a.view == nil || a.exact() {
		return 0
	}
	return math.Pow(a.view.Info().Fill, float64(a.view.K()))
}
