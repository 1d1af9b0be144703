// Package polygons makes random polygons for tests.
package polygons

import (
	"math"
	"math/rand/v2"

	"github.com/paulmach/orb"
)

// Kind is a kind of random polygon, by its shape.
type Kind string

// The kinds of Random. Sizes are fractions of the bound's width and height.
const (
	Star    Kind = "star"    // one ring around a centre, that does not cross itself.
	Sliver  Kind = "sliver"  // a triangle or quadrangle up to the bound's diagonal long, and 1e-6 to 1e-2 of its length wide.
	Holed   Kind = "holed"   // a star with up to four holes, which may overlap and reach out of it.
	Multi   Kind = "multi"   // two to six stars, which may overlap; one in two has a hole.
	Crossed Kind = "crossed" // a ring through random places, which crosses itself.
	Tiny    Kind = "tiny"    // a star of 1/1000 to 1/100: about a cell, where the bound is some hundred cells wide.
	Huge    Kind = "huge"    // a star that reaches out of the bound on most sides, one in two with a hole.
)

// Kinds has all kinds.
var Kinds = []Kind{Star, Sliver, Holed, Multi, Crossed, Tiny, Huge}

// Random returns a polygon with its middle inside the bound. Its rings are closed, run either way
// round, and have at least three places.
func Random(rng *rand.Rand, kind Kind, bound orb.Bound) orb.MultiPolygon {
	m := maker{rng, bound}
	switch kind {
	case Star:
		return orb.MultiPolygon{{m.star(m.place(), m.size(0.02, 0.5), 40)}}
	case Sliver:
		return orb.MultiPolygon{{m.sliver()}}
	case Holed:
		return orb.MultiPolygon{m.holed(m.place(), m.size(0.1, 0.5), 1+rng.IntN(4))}
	case Multi:
		var mp orb.MultiPolygon
		for range 2 + rng.IntN(5) {
			mp = append(mp, m.holed(m.place(), m.size(0.02, 0.3), rng.IntN(2)))
		}
		return mp
	case Crossed:
		var r orb.Ring
		for range 4 + rng.IntN(12) {
			r = append(r, m.place())
		}
		return orb.MultiPolygon{{append(r, r[0])}}
	case Tiny:
		return orb.MultiPolygon{{m.star(m.place(), m.size(0.001, 0.01), 8)}}
	case Huge:
		return orb.MultiPolygon{m.holed(m.place(), 0.8+0.4*rng.Float64(), rng.IntN(2))}
	}
	panic("no such kind of polygon: " + string(kind))
}

// maker makes random polygons inside a bound.
type maker struct {
	*rand.Rand
	bound orb.Bound
}

// place returns a random point inside the bound.
func (m maker) place() orb.Point { return m.offset(m.bound.Min, m.Float64(), m.Float64()) }

// offset returns p moved by x and y. These are fractions of the width and the height of the bound.
func (m maker) offset(p orb.Point, x, y float64) orb.Point {
	return orb.Point{p[0] + x*(m.bound.Max[0]-m.bound.Min[0]), p[1] + y*(m.bound.Max[1]-m.bound.Min[1])}
}

// size returns a random size from least to most, whose logarithm is uniform.
func (m maker) size(least, most float64) float64 {
	return least * math.Pow(most/least, m.Float64())
}

// star returns a ring around a centre, with from 3 to most corners.
func (m maker) star(centre orb.Point, radius float64, most int) orb.Ring {
	edge := m.offset(orb.Point{}, radius, radius)
	return Ring(m.Rand, centre, edge[0], edge[1], 3+m.IntN(most-2))
}

// Ring returns a ring of corners corners around a centre, at 0.2 to 1 times the distances rx and ry
// from it. It does not cross itself.
func Ring(rng *rand.Rand, centre orb.Point, rx, ry float64, corners int) orb.Ring {
	var r orb.Ring
	for i := range corners {
		sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.9*rng.Float64()) / float64(corners))
		d := 0.2 + 0.8*rng.Float64()
		r = append(r, orb.Point{centre[0] + rx*d*cos, centre[1] + ry*d*sin})
	}
	r = append(r, r[0])
	if rng.IntN(2) == 0 {
		r.Reverse()
	}
	return r
}

// holed returns a star with this number of holes. Each is at most half as large as the star, and lies
// around a place inside it.
func (m maker) holed(centre orb.Point, radius float64, holes int) orb.Polygon {
	p := orb.Polygon{m.star(centre, radius, 40)}
	for range holes {
		dx, dy := radius*(m.Float64()-0.5), radius*(m.Float64()-0.5)
		p = append(p, m.star(m.offset(centre, dx, dy), radius*m.size(0.05, 0.5), 12))
	}
	return p
}

// sliver returns a very thin ring of three or four corners.
func (m maker) sliver() orb.Ring {
	a, b := m.place(), m.place()
	width := m.size(1e-6, 1e-2)
	// (dx, dy) is the vector across the line from a to b.
	dx, dy := -width*(b[1]-a[1]), width*(b[0]-a[0])
	r := orb.Ring{a, b, {b[0] + dx, b[1] + dy}}
	if m.IntN(2) == 0 {
		r = append(r, orb.Point{a[0] + dx*m.Float64(), a[1] + dy*m.Float64()})
	}
	return append(r, r[0])
}
