package grid

import (
	"math"
	"slices"

	"github.com/paulmach/orb"
)

// maxSpan is the most degrees of longitude that a ring may run over. It exceeds the globe, for rings that
// come back. It is so small that few points are not cut into many pieces.
const maxSpan = 3 * 360

// Globe turns a polygon whose coordinates are longitudes and latitudes in degrees on the globe into a
// planar one within [-180, 180] x [-90, 90]. Longitudes are from -540 to 540, so that they may be given
// from 0 to 360 or continue past 180.
//
// Every side takes the shorter way round. If its longitudes are more than 180 degrees apart, it crosses
// the antimeridian, where the polygon is cut. Between its ends a side is straight in longitude and latitude
// (section 3.1.1 of RFC 7946). A side that ends at a pole runs along the meridian of its other end. One along
// a pole runs as written. A polygon that is already cut at 180 degrees is returned unchanged.
//
// A ring that goes once round the globe has a pole inside. It is the one that the ring touches, otherwise
// the nearer one by the ring's mean latitude. If a hole goes round as well, the polygon lies between the
// two.
//
// A ring of the result may run along the antimeridian more than once. Every ring must be as Scan requires.
// Errors wrap ErrPolygon or ErrNotFinite and name the place. Coordinates may be out of range. A side of
// exactly 180 degrees, or of 360 along one latitude, could go either way. A ring may go round more than
// once, or have a mean latitude of 0.
func Globe(mp orb.MultiPolygon) (orb.MultiPolygon, error) {
	if err := check(mp, true); err != nil {
		return nil, err
	}
	out := orb.MultiPolygon{}
	for m, poly := range mp {
		if len(poly) == 0 {
			continue
		}
		name := func(ring int) string { return ringName(mp, m, ring) }
		var laps []unrolledRing
		for i, r := range poly {
			l, err := lay(r, name(i))
			if err != nil {
				return nil, err
			}
			laps = append(laps, l)
		}
		if err := choosePoles(laps, name); err != nil {
			return nil, err
		}
		var holes []orb.Ring
		for i := range laps[1:] {
			holes = append(holes, laps[1+i].pieces()...)
		}
		for _, outer := range laps[0].pieces() {
			piece, bound := orb.Polygon{outer}, outer.Bound()
			for _, h := range holes {
				if h.Bound().Intersects(bound) {
					piece = append(piece, h)
				}
			}
			out = append(out, piece)
		}
	}
	return out, nil
}

// unrolledRing is a ring on an endless line of longitudes. The globe repeats on this line every 360
// degrees.
type unrolledRing struct {
	points   []turnedPoint
	net      int     // how often the ring goes round the globe eastward; negative for westward.
	min, max float64 // the least and the largest longitude on the line.
	mean     float64 // the mean latitude of a ring that goes round the globe.
	pole     float64 // the latitude of the pole inside the ring, or 0 if there is none.
}

// turnedPoint is a point with a number of turns round the globe. Its place is 360*turns degrees east of
// its longitude. The turns are added only at the end, so that the coordinates are not rounded before.
type turnedPoint struct {
	orb.Point
	turns int
}

func (t turnedPoint) lon() float64 { return t.Point[0] + 360*float64(t.turns) }

func atPole(p orb.Point) bool { return math.Abs(p[1]) == 90 }

// lay unrolls ring r. name is its name in errors.
func lay(r orb.Ring, name string) (unrolledRing, error) {
	l := unrolledRing{points: []turnedPoint{{Point: r[0]}}}
	for i, b := range r[1:] {
		a := l.points[len(l.points)-1]
		if atPole(b) && a.Point[1] == b[1] {
			l.points = append(l.points, turnedPoint{b, a.turns})
			continue
		}
		turns := a.turns
		step := b[0] - a.Point[0]
		round := int(math.Round(step / 360))
		turns -= round
		fault := ""
		switch rest := step - 360*float64(round); {
		case atPole(a.Point) || atPole(b):
		case math.Abs(rest) == 180:
			fault = "180 degrees either way"
		case rest == 0 && step != 0 && a.Point[1] == b[1]:
			fault = "all the way round or no way at all"
		}
		if fault != "" {
			return unrolledRing{}, errf(ErrPolygon, "polygon: %s, points %d to %d, from (%v %v) to (%v %v): %s; put points between them",
				name, i+1, i+2, a.Point[0], a.Point[1], b[0], b[1], fault)
		}
		next := turnedPoint{b, turns}
		switch {
		case a.lon() == next.lon():
		case atPole(b):
			l.points = append(l.points, turnedPoint{orb.Point{a.Point[0], b[1]}, a.turns})
		case atPole(a.Point):
			l.points = append(l.points, turnedPoint{orb.Point{b[0], a.Point[1]}, turns})
		}
		l.points = append(l.points, next)
	}
	l.net = l.points[len(l.points)-1].turns
	if l.net < 0 {
		slices.Reverse(l.points)
	}
	return l, l.measure(name)
}

// measure sets min, max and mean. name is the name of the ring in errors.
func (l *unrolledRing) measure(name string) error {
	if l.net < -1 || l.net > 1 {
		return errf(ErrPolygon, "polygon: %s goes %d times round the globe", name, max(l.net, -l.net))
	}
	l.min, l.max = math.Inf(1), math.Inf(-1)
	a := l.points[0]
	for _, b := range l.points {
		l.min, l.max = min(l.min, b.lon()), max(l.max, b.lon())
		l.mean += (b.lon() - a.lon()) / 360 * (a.Point[1] + b.Point[1]) / 2
		a = b
	}
	if l.max-l.min > maxSpan {
		return errf(ErrPolygon, "polygon: %s runs over %v degrees of longitude; the limit is %d", name, l.max-l.min, maxSpan)
	}
	return nil
}

// choosePoles sets the pole inside each ring that goes round the globe. laps has the rings of one
// polygon.
func choosePoles(laps []unrolledRing, name func(ring int) string) error {
	outer := &laps[0]
	hole := 1 + slices.IndexFunc(laps[1:], func(l unrolledRing) bool { return l.net != 0 })
	for i := range laps {
		l := &laps[i]
		side := l.mean
		switch {
		case l.net == 0:
			continue
		case l.touches(90) != l.touches(-90):
			side = -90
			if l.touches(90) {
				side = 90
			}
		case i == 0 && hole > 0:
			side = laps[hole].mean - l.mean
		case i > 0 && outer.net != 0:
			side = l.mean - outer.mean
		}
		if side == 0 {
			return errf(ErrPolygon, "polygon: %s goes round the globe as near to one pole as to the other", name(i))
		}
		l.pole = math.Copysign(90, side)
	}
	return nil
}

func (l *unrolledRing) touches(pole float64) bool {
	return slices.ContainsFunc(l.points, func(p turnedPoint) bool { return p.Point[1] == pole })
}

// pieces returns the parts of the ring's inside between -180 and 180 degrees.
func (l *unrolledRing) pieces() []orb.Ring {
	var out []orb.Ring
	if l.net == 0 {
		for east := math.Floor((l.min+180)/360) * 360; east-180 < l.max; east += 360 {
			out = appendStrip(out, l.shifted(nil, -int(east/360)))
		}
		return out
	}
	// The ring goes around the pole. Its line is repeated, from -180 or further west to 180 or further
	// east. Then it goes back along the pole.
	var r orb.Ring
	end := int(math.Ceil((180 - l.min) / 360))
	for turns := int(math.Floor((-180-l.max)/360)) + 1; turns < end; turns++ {
		r = l.shifted(r, turns)
	}
	r = append(r, orb.Point{r[len(r)-1][0], l.pole}, orb.Point{r[0][0], l.pole}, r[0])
	return appendStrip(out, r)
}

// shifted appends the points of l to r, moved turns times 360 degrees to the east.
func (l *unrolledRing) shifted(r orb.Ring, turns int) orb.Ring {
	for _, p := range l.points {
		r = append(r, orb.Point{p.Point[0] + 360*float64(p.turns+turns), p.Point[1]})
	}
	return r
}

// appendStrip appends the part of a ring between -180 and 180 degrees. A ring without area may give a
// line.
func appendStrip(to []orb.Ring, r orb.Ring) []orb.Ring {
	if r = cut(cut(r, -180, 1), 180, -1); len(places(r)) < 3 {
		return to
	}
	return append(to, r)
}

// cut returns the part of a closed ring on one side of meridian lon. If side is 1, this is the eastern side,
// and if it is -1, the western side. Sides along the meridian close the part.
//
// It is clip.Ring of orb for one side of the box. But two rings that share a side in either direction are
// cut in the same point to the bit, as Scanner needs.
func cut(r orb.Ring, lon, side float64) orb.Ring {
	if len(r) == 0 {
		return nil
	}
	var out orb.Ring
	a := r[len(r)-2]
	for _, b := range r[:len(r)-1] {
		if (a[0]-lon)*side < 0 != ((b[0]-lon)*side < 0) {
			out = append(out, crossing(a, b, lon))
		}
		if (b[0]-lon)*side >= 0 {
			out = append(out, b)
		}
		a = b
	}
	if len(out) > 0 && out[0] != out[len(out)-1] {
		out = append(out, out[0])
	}
	return out
}

// crossing returns the point in which a side meets a meridian between its ends.
func crossing(a, b orb.Point, lon float64) orb.Point {
	if a[0] > b[0] {
		a, b = b, a
	}
	return orb.Point{lon, a[1] + float64((b[1]-a[1])*((lon-a[0])/(b[0]-a[0])))}
}
