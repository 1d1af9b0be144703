package udf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/asked"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/paulmach/orb"
)

var paramPolygon = duck.Param{Name: "polygon", Type: duck.Any}

// Polygons returns the functions that make polygons for questions to sketches.
func Polygons() functions {
	return []duck.Function{
		function("polygons", "globe_polygon", duck.Blob, globePolygon,
			"WKB of a polygon on the globe, in degrees, as ccbf_polygon_sum expects it: cut where it crosses the antimeridian, and including the pole if it goes around one.",
			"SELECT ccbf_polygon_sum(ccbf_add(ccbf_empty(1), -179.5, -17.5), globe_polygon('POLYGON ((177 -20, -178 -20, -178 -15, 177 -15, 177 -20))'))",
			params(paramPolygon)),
	}
}

func globePolygon(rows *duck.Rows, out *duck.Result) error {
	polygons, err := polygonsOf(rows.Col(0))
	if err != nil {
		return err
	}
	var wkb []byte
	return eachValid(rows, out, func(i int) error {
		p, err := polygons.at(i)
		if err != nil {
			return err
		}
		if p, err = grid.Globe(p); err != nil {
			return err
		}
		wkb = grid.AppendWKB(wkb[:0], p)
		out.SetBytes(i, wkb)
		return nil
	})
}

// polygonColumn is a column of polygons in any form, of which one is read once
// where rows repeat it.
type polygonColumn struct {
	column *duck.Vector
	last   []byte
	read   orb.MultiPolygon
	asked  *ccbf.Polygon // read, for sketches; nil until then
	bound  orb.Bound     // of asked
	srid   int           // of asked

	seen asked.Areas // of the chunk
}

func polygonsOf(column *duck.Vector) (*polygonColumn, error) {
	switch t := column.Type(); {
	case t.ID() == duck.SQLNullID || t.ID() == duck.VarcharID || t.ID() == duck.BlobID || t.IsGeometry():
		return &polygonColumn{column: column}, nil
	default:
		return nil, fmt.Errorf("the polygon is %s, must be WKT or GeoJSON text, a WKB BLOB or a GEOMETRY", t)
	}
}

// at is the polygon of row i, valid until the next call.
func (p *polygonColumn) at(i int) (orb.MultiPolygon, error) {
	b := p.column.Bytes(i)
	if sameBytes(b, p.last) {
		return p.read, nil
	}
	read, err := grid.ParsePolygon(b)
	if err != nil {
		return nil, err
	}
	p.last, p.read, p.asked = b, read, nil
	return read, nil
}

// toAsk is at for many sketches.
func (p *polygonColumn) toAsk(i int) (*ccbf.Polygon, error) {
	if _, err := p.at(i); err != nil {
		return nil, err
	}
	if p.asked == nil {
		p.asked = ccbf.NewPolygon(p.read)
		p.bound, p.srid = p.read.Bound(), grid.SRID(p.last)
	}
	return p.asked, nil
}

// ask is toAsk for one of them, and whether the polygon meets it: an error where it
// cannot be meant.
func (p *polygonColumn) ask(h *ccbf.Head, i int) (polygon *ccbf.Polygon, met bool, err error) {
	if polygon, err = p.toAsk(i); err != nil {
		return nil, false, err
	}
	if met, err = polygon.Meets(h); err != nil {
		return nil, false, err
	}
	return polygon, met, p.seen.Look(h, "polygon", p.bound, p.srid, met)
}

// record leaves word of the chunk.
func (p *polygonColumn) record() { asked.Record(&p.seen) }
