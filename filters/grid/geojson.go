package grid

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/paulmach/orb"
)

// ParseGeoJSON reads a GeoJSON Polygon or MultiPolygon, a Feature of one, or a
// FeatureCollection whose features are all of these: the collection stands
// for the union of its members. Ordinates beyond x and y are dropped; an empty
// coordinates array gives an empty multipolygon. A feature without a geometry
// is an error. For errors see ParsePolygon.
func ParseGeoJSON(b []byte) (orb.MultiPolygon, error) {
	o, err := readObject(b)
	if err != nil {
		return nil, err
	}
	var p jsonParser
	switch o.Type {
	case "FeatureCollection":
		if o.Features == nil {
			return nil, errf(ErrPolygon, "polygon: GeoJSON FeatureCollection has no features array")
		}
		p.b.many = true
		for i, raw := range o.Features {
			f, err := readObject(raw)
			if err == nil && f.Type != "Feature" {
				err = errf(ErrPolygon, "polygon: GeoJSON FeatureCollection holds %s, not a Feature", quote(f.Type))
			}
			if err == nil {
				err = p.feature(f)
			}
			if err != nil {
				return nil, &wrapped{err.Error() + " (feature " + strconv.Itoa(i+1) + ")", err}
			}
		}
	case "Feature":
		err = p.feature(o)
	default:
		err = p.geometry(o)
	}
	if err != nil {
		return nil, err
	}
	return p.b.result(), nil
}

// object is whatever a GeoJSON object of any type may hold that matters here.
// The raw parts stay unread until the type says what they should be.
type object struct {
	Type        string            `json:"type"`
	Geometry    json.RawMessage   `json:"geometry"`
	Features    []json.RawMessage `json:"features"`
	Coordinates json.RawMessage   `json:"coordinates"`
}

func readObject(b []byte) (object, error) {
	var o object
	if err := json.Unmarshal(b, &o); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return o, errf(ErrPolygon, "polygon: GeoJSON, byte %d: %v", syntax.Offset, err)
		}
		return o, errf(ErrPolygon, "polygon: GeoJSON: %v", err)
	}
	if o.Type == "" {
		return o, errf(ErrPolygon, "polygon: GeoJSON object without a type")
	}
	return o, nil
}

type jsonParser struct {
	s []byte // the coordinates being read: valid JSON
	i int
	b builder
}

func (p *jsonParser) feature(f object) error {
	if len(f.Geometry) == 0 || string(f.Geometry) == "null" {
		return errf(ErrPolygon, "polygon: GeoJSON Feature has no geometry")
	}
	g, err := readObject(f.Geometry)
	if err != nil {
		return err
	}
	return p.geometry(g)
}

var geoJSONTypes = map[string]bool{
	"Point": true, "MultiPoint": true, "LineString": true, "MultiLineString": true,
	"GeometryCollection": true, "Feature": true, "FeatureCollection": true,
}

func (p *jsonParser) geometry(g object) error {
	if g.Type != "Polygon" && g.Type != "MultiPolygon" {
		if geoJSONTypes[g.Type] {
			return errf(ErrGeometryType, "polygon: the geometry is a %s; only Polygon and MultiPolygon have an inside", g.Type)
		}
		return errf(ErrPolygon, "polygon: GeoJSON type %s is not known", quote(g.Type))
	}
	if len(g.Coordinates) == 0 || string(g.Coordinates) == "null" {
		return errf(ErrPolygon, "polygon: GeoJSON %s has no coordinates", g.Type)
	}
	p.s, p.i = g.Coordinates, 0
	if g.Type == "Polygon" {
		return p.polygon()
	}
	p.b.many = true
	return p.list("an array of polygons", p.polygon)
}

// errorf reports what was expected at the current place in the coordinates.
func (p *jsonParser) expected(what string) error {
	return errf(ErrPolygon, "polygon: GeoJSON coordinates, byte %d, at %s: %s was expected", p.i, quote(p.s[p.i:]), what)
}

// next returns the next byte that is not space, 0 at the end.
func (p *jsonParser) next() byte {
	for ; p.i < len(p.s); p.i++ {
		switch c := p.s[p.i]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// list reads an array. That the JSON is valid has been checked before; only
// its shape is in question.
func (p *jsonParser) list(what string, item func() error) error {
	if p.next() != '[' {
		return p.expected(what)
	}
	p.i++
	if p.next() == ']' {
		p.i++
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		switch p.next() {
		case ',':
			p.i++
		case ']':
			p.i++
			return nil
		default:
			return p.expected("',' or ']'")
		}
	}
}

func (p *jsonParser) polygon() error {
	err := p.list("an array of rings", p.ring)
	p.b.end()
	return err
}

func (p *jsonParser) ring() error {
	var r orb.Ring
	err := p.list("an array of points", func() error {
		pt, err := p.point()
		r = append(r, pt)
		return err
	})
	if err != nil {
		return err
	}
	return p.b.ring(r)
}

func (p *jsonParser) point() (orb.Point, error) {
	if err := p.b.point(); err != nil {
		return orb.Point{}, err
	}
	var pt orb.Point
	n := 0
	err := p.list("a point [x, y]", func() error {
		p.next()
		from := p.i
		for p.i < len(p.s) && isNumber(p.s[p.i]) {
			p.i++
		}
		if from == p.i {
			return p.expected("a number")
		}
		if n >= len(pt) {
			return nil
		}
		f, err := strconv.ParseFloat(string(p.s[from:p.i]), 64)
		if err != nil {
			p.i = from
			return p.expected("a number that fits a double")
		}
		pt[n] = f
		n++
		return nil
	})
	if err == nil && n < len(pt) {
		err = p.expected("a point of at least two numbers before this")
	}
	return pt, err
}

func isNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}
