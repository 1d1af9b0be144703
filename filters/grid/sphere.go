package grid

import (
	"math"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/geo"
)

// EarthRadius is the mean radius of the Earth in metres (IUGG, R1): the sphere of
// Circle and AreaKm2.
const EarthRadius = 6371008.8

// MaxCircle is the largest radius of Circle in metres. It is just below a quarter of the way round the
// globe; a larger circle can hold both poles.
const MaxCircle = 10_000_000

// areaError and rimError bound the error of a Circle. They are fractions of its area, and of its radius
// for the distance of its sides from the centre.
const (
	areaError = 0.001
	rimError  = 0.005
)

// Circle returns the polygon in degrees of all places within a number of metres of a place, on the sphere
// of EarthRadius. It is cut at the antimeridian and includes a pole that lies inside, as Globe does it.
// Its corners lie a little outside of the circle, so that its area is within 0.1% of the circle's. Its
// sides are within 0.5% of the radius from it. Errors wrap ErrPolygon or ErrNotFinite.
func Circle(lon, lat, metres float64) (orb.MultiPolygon, error) {
	for _, v := range []float64{lon, lat, metres} {
		if v-v != 0 {
			return nil, errf(ErrNotFinite, "circle: (%v %v) with a radius of %v is not finite", lon, lat, metres)
		}
	}
	switch {
	case math.Abs(lon) > 180 || math.Abs(lat) > 90:
		return nil, errf(ErrPolygon, "circle: the centre is (%v %v): longitudes are from -180 to 180, latitudes from -90 to 90", lon, lat)
	case metres < 1 || metres > MaxCircle:
		return nil, errf(ErrPolygon, "circle: the radius is %v metres, must be from 1 to %d", metres, MaxCircle)
	}
	angle := metres / EarthRadius
	half := math.Sin(angle / 2)
	want := 4 * math.Pi * half * half // the area of the circle, in steradians
	// Sides are straight in longitude and latitude. So a circle near a pole needs more corners than
	// elsewhere.
	const fewest, most = 64, 1 << 14
	for corners := fewest; corners <= most; corners *= 2 {
		polygon, _, err := circle(lon, lat, angle, corners)
		if err != nil {
			return nil, err
		}
		polygon, off, err := circle(lon, lat, angle*math.Sqrt(want/steradians(polygon)), corners)
		if err != nil {
			return nil, err
		}
		if off < rimError*angle && math.Abs(steradians(polygon)/want-1) < areaError/2 {
			return polygon, nil
		}
	}
	return nil, errf(ErrPolygon, "circle: %v metres around (%v %v) cannot be drawn within 0.1%% of its area", metres, lon, lat)
}

// circle returns a polygon with this number of corners, all at the same angle from the centre. off is the
// largest difference between that angle and the angle of the middle of a side.
func circle(lon, lat, angle float64, corners int) (polygon orb.MultiPolygon, off float64, err error) {
	sinLat, cosLat := math.Sincos(lat * math.Pi / 180)
	sinAngle, cosAngle := math.Sincos(angle)
	ring := make(orb.Ring, 0, corners+1)
	for i := range corners {
		// The corners start half a step from north, so that none lies on the meridian of the centre.
		// There a corner could be a pole.
		sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.5) / float64(corners))
		x, y := sinAngle*sin, cosAngle*cosLat-sinAngle*cos*sinLat
		z := sinLat*cosAngle + cosLat*sinAngle*cos
		ring = append(ring, orb.Point{
			lon + math.Atan2(x, y)*180/math.Pi,
			math.Atan2(z, math.Hypot(x, y)) * 180 / math.Pi,
		})
	}
	ring = append(ring, ring[0])
	for i, b := range ring[1:] {
		a := ring[i]
		east := math.Remainder(b[0]-a[0], 360)
		middle := geo.DistanceHaversine(orb.Point{lon, lat}, orb.Point{a[0] + east/2, (a[1] + b[1]) / 2}) / orb.EarthRadius
		off = max(off, math.Abs(middle-angle))
	}
	polygon, err = Globe(orb.MultiPolygon{{ring}})
	return polygon, off, err
}

// AreaKm2 returns the area in square kilometres of a polygon whose coordinates are longitudes and
// latitudes in degrees, on the sphere of EarthRadius. Sides are straight in longitude and latitude. A
// polygon that crosses the antimeridian must be cut by Globe first. Holes are left out. Members and rings
// that overlap count each by itself. Every ring must be as Scan requires. Errors wrap ErrPolygon or
// ErrNotFinite.
func AreaKm2(mp orb.MultiPolygon) (float64, error) {
	if err := check(mp, true); err != nil {
		return 0, err
	}
	return steradians(mp) * EarthRadius * EarthRadius / 1e6, nil
}

// steradians returns the area of a polygon on the sphere of radius 1.
func steradians(mp orb.MultiPolygon) float64 {
	sum := 0.0
	for _, poly := range mp {
		for i, r := range poly {
			a := math.Abs(ringSteradians(r))
			if i > 0 {
				a = -a
			}
			sum += a
		}
	}
	return max(0, sum)
}

// ringSteradians returns the area of a ring on the sphere of radius 1. It is negative if the ring runs
// counterclockwise. A side adds the integral of sin(latitude) over its longitudes.
func ringSteradians(r orb.Ring) float64 {
	// The sine of the first latitude is subtracted from all sines, so that small rings lose no digits.
	const degree = math.Pi / 180
	sum, origin := 0.0, r[0][1]*degree
	for i, b := range r[1:] {
		a := r[i]
		middle, half := (a[1]+b[1])/2*degree, (b[1]-a[1])/2*degree
		mean := 1.0 // the mean of the sine over the side, divided by the sine in the middle of the side
		if half != 0 {
			mean = math.Sin(half) / half
		}
		// This equals sin(middle) * mean - sin(origin), without cancellation.
		sine := 2*math.Sin((middle-origin)/2)*math.Cos((middle+origin)/2) + math.Sin(middle)*(mean-1)
		sum += (b[0] - a[0]) * degree * sine
	}
	return sum
}
