package udf

import (
	"encoding/binary"
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/wkb"
	"github.com/paulmach/orb/encoding/wkt"
)

var paramPolygon = duck.Param{Name: "polygon", Type: duck.Any}

// Polygons returns the functions of polygons.
func Polygons() functions {
	return []duck.Function{
		function("polygons", "globe_polygon", duck.Blob, globePolygon,
			"WKB of a polygon on the globe, in degrees, as ccbf_polygon_sum expects it. It is cut where it crosses the antimeridian, and includes the pole if it goes around one.",
			"SELECT ccbf_polygon_sum(ccbf_add(ccbf_empty(1), -179.5, -17.5), globe_polygon('POLYGON ((177 -20, -178 -20, -178 -15, 177 -15, 177 -20))'))",
			params(paramPolygon)),
		function("polygons", "circle", duck.Varchar, circle,
			"WKT of the circle around a place on the globe, for functions that take a polygon. The circle is all that lies within a distance of the place. Its area is right to 0.1%. It is cut where it crosses the antimeridian, and includes a pole that lies inside. The radius is from 1 to 10000000 metres. The sphere has 6371008.8 metres.",
			"SELECT ccbf_polygon_sum(ccbf_add(ccbf_empty(0.001), -0.1276, 51.5072), circle(-0.1246, 51.5007, 1000))",
			params(duck.Param{Name: "lon", Type: duck.Double}, duck.Param{Name: "lat", Type: duck.Double}, duck.Param{Name: "metres", Type: duck.Double})),
		function("polygons", "area_km2", duck.Double, areaKm2,
			"Area of a polygon in degrees on the globe, in square kilometres, on a sphere of 6371008.8 metres. Points per area are ccbf_polygon_sum(s, p) / area_km2(p). Cut a polygon that crosses the antimeridian with globe_polygon first. Members that overlap count each by itself.",
			"SELECT area_km2('POLYGON ((0 51, 1 51, 1 52, 0 52, 0 51))'), area_km2(circle(0, 51, 1000)) / (pi() * 1000 * 1000 / 1e6)",
			params(paramPolygon)),
	}
}

func circle(c *call) error {
	lon, lat, metres := duck.Slice[float64](c.Col(0)), duck.Slice[float64](c.Col(1)), duck.Slice[float64](c.Col(2))
	return c.each(func(i int) error {
		p, err := grid.Circle(lon[i], lat[i], metres[i])
		if err == nil {
			c.out.SetBytes(i, wkt.Marshal(p))
		}
		return err
	})
}

// areaKm2 computes area_km2.
func areaKm2(c *call) error {
	return eachPolygon(c, func(p *orb.MultiPolygon, i int) (err error) {
		duck.Out[float64](c.out)[i], err = grid.AreaKm2(*p)
		return err
	})
}

// globePolygon computes globe_polygon.
func globePolygon(c *call) error {
	return eachPolygon(c, func(p *orb.MultiPolygon, i int) error {
		cut, err := grid.Globe(*p)
		if err != nil {
			return err
		}
		b, err := wkb.Marshal(cut, binary.LittleEndian)
		c.out.SetBytes(i, b)
		return err
	})
}

// eachPolygon is eachBlob of polygons in any format.
func eachPolygon(c *call, f func(p *orb.MultiPolygon, i int) error) error {
	if err := checkPolygons(c.Col(0).Type()); err != nil {
		return err
	}
	return eachBlob(c, grid.ParsePolygon, f)
}

// checkPolygons returns an error if a type has no polygons.
func checkPolygons(t duck.Type) error {
	if t.ID() == duck.SQLNullID || isArea(t) {
		return nil
	}
	return fmt.Errorf("the polygon is %s, must be WKT or GeoJSON text, a WKB BLOB or a GEOMETRY", t)
}

// polygon is a polygon in any format, prepared for sketches.
type polygon struct {
	bytes    []byte        // the value in SQL
	prepared *ccbf.Polygon // the polygon
	bound    orb.Bound     // its bounding box
	srid     int           // its SRID, or 0
}

// read reads a polygon. It does nothing if the bytes have not changed.
func (p *polygon) read(b []byte) error {
	if sameBytes(b, p.bytes) {
		return nil
	}
	parsed, srid, err := grid.ParsePolygonSRID(b)
	if err != nil {
		return err
	}
	*p = polygon{b, ccbf.NewPolygon(parsed), parsed.Bound(), srid}
	return nil
}
