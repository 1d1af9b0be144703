package grid

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
)

// parseGeoJSON reads a GeoJSON Polygon or MultiPolygon, a GeometryCollection of these, a Feature of any of
// them, or a FeatureCollection of such features. Other members of an object, for example bbox, crs and
// properties, are ignored. Empty coordinates are an empty polygon, and so is a feature whose geometry is
// null. A feature without a geometry is an error.
//
// encoding/json checks the text, which is then read in place. The decoder of encoding/json does not say
// where in the text a value is, and takes a point of one number for one of two.
func parseGeoJSON(b []byte) (orb.MultiPolygon, int, error) {
	if !json.Valid(b) {
		return nil, 0, notJSON(b)
	}
	r := jsonReader{textReader{assembler: assembler{format: "polygon: GeoJSON"}, b: b}}
	return r.result(r.root())
}

// notJSON returns an error that says where a text stops being JSON.
func notJSON(b []byte) error {
	err := json.Unmarshal(b, new(json.RawMessage))
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return errf(ErrPolygon, "polygon: GeoJSON: %v", err)
	}
	at := syntax.Offset // the offset after the wrong byte, or the end of the text
	if !strings.HasPrefix(syntax.Error(), "unexpected end") {
		at--
	}
	return errf(ErrPolygon, "polygon: GeoJSON (byte %d): %v", at, syntax)
}

// jsonReader reads a valid JSON text. A place in the text is an index of b.
type jsonReader struct{ textReader }

// object is a GeoJSON object: its type, and the places where the object and the values of its members begin.
type object struct {
	at      int
	typ     string
	members map[string]int
}

// member returns the place where the value of a member begins, or 0 if it is missing or null.
func (r *jsonReader) member(o object, name string) int {
	at := o.members[name]
	if r.b[at] == 'n' {
		return 0
	}
	return at
}

func (r *jsonReader) root() error {
	r.next()
	o, err := r.object(r.at)
	switch {
	case err != nil:
		return err
	case o.typ == "Feature":
		return r.feature(o)
	case o.typ == "FeatureCollection":
		return r.members(o, "features", "feature", func(o object) error {
			if o.typ != "Feature" {
				return r.fail(ErrPolygon, o.at, "a FeatureCollection holds %s, not a Feature", quote(o.typ))
			}
			return r.feature(o)
		})
	}
	return r.geometry(o, 0)
}

func (r *jsonReader) feature(o object) error {
	at, has := o.members["geometry"]
	switch {
	case !has:
		return r.fail(ErrPolygon, o.at, "the Feature has no geometry")
	case r.b[at] == 'n': // RFC 7946, section 3.2
		return nil
	}
	g, err := r.object(at)
	if err != nil {
		return err
	}
	return r.geometry(g, 0)
}

// geometry reads a geometry from object o. depth is the number of collections around it.
func (r *jsonReader) geometry(o object, depth int) error {
	coordinates := r.member(o, "coordinates")
	switch {
	case o.typ == typeCollection:
		if err := r.deeper(o.at, depth); err != nil {
			return err
		}
		return r.members(o, "geometries", "geometry", func(o object) error { return r.geometry(o, depth+1) })
	case o.typ == "Feature" || o.typ == "FeatureCollection":
		return r.fail(ErrPolygon, o.at, "a %s where a geometry should be", o.typ)
	case o.typ != typePolygon && o.typ != typeMultiPolygon:
		if slices.Contains(typeNames[1:wkbMultiPolygon], o.typ) {
			return r.noInside(o.at, o.typ)
		}
		for _, name := range typeNames {
			if strings.EqualFold(name, o.typ) {
				return r.fail(ErrPolygon, o.at, "type %s is not known: it is %q in GeoJSON", quote(o.typ), name)
			}
		}
		return r.fail(ErrPolygon, o.at, "type %s is not known", quote(o.typ))
	case coordinates == 0:
		return r.fail(ErrPolygon, o.at, "the %s has no coordinates", o.typ)
	}
	r.at = coordinates
	if o.typ == typePolygon {
		return r.rings(r.list, r.readPoint)
	}
	return r.list(func(n int) error {
		return r.in("member", n, func() error { return r.rings(r.list, r.readPoint) })
	})
}

// members calls read for each object in the array that the member with this name is. what is for errors.
func (r *jsonReader) members(o object, name, what string, read func(object) error) error {
	at := r.member(o, name)
	if at == 0 {
		return r.fail(ErrPolygon, o.at, "the %s has no %s", o.typ, name)
	}
	r.at = at
	return r.list(func(n int) error {
		r.next()
		at, end := r.at, r.end(r.at)
		err := r.in(what, n, func() error {
			o, err := r.object(at)
			if err != nil {
				return err
			}
			return read(o)
		})
		r.at = end
		return err
	})
}

func (r *jsonReader) readPoint(int) error {
	r.next()
	at := r.at
	var p orb.Point
	n := 0
	err := r.list(func(int) error {
		c := r.next()
		text := r.b[r.at:r.end(r.at)]
		if c != '-' && (c < '0' || c > '9') {
			return r.fail(ErrPolygon, r.at, "%s is not a number", quote(text))
		}
		if n < len(p) {
			v, err := strconv.ParseFloat(string(text), 64)
			if err != nil {
				return r.fail(ErrPolygon, r.at, "the number %s does not fit a double", quote(text))
			}
			p[n] = v
		}
		n++
		r.at += len(text)
		return nil
	})
	switch {
	case err != nil:
		return err
	case n < len(p):
		return r.fail(ErrPolygon, at, "the point %s has less than two numbers", quote(r.b[at:r.at]))
	}
	return r.point(at, p)
}

// list reads an array. It calls item for each element, with its number.
func (r *jsonReader) list(item func(n int) error) error {
	if r.next() != '[' {
		return r.fail(ErrPolygon, r.at, "%s where an array should be", quote(r.b[r.at:]))
	}
	r.at++
	if r.next() == ']' {
		r.at++
		return nil
	}
	return r.items(']', item)
}

func (r *jsonReader) object(at int) (object, error) {
	o := object{at: at, members: map[string]int{}}
	if r.b[at] != '{' {
		return o, r.fail(ErrPolygon, at, "%s where an object should be", quote(r.b[at:]))
	}
	r.at = at + 1
	for r.next() != '}' {
		name := r.text(r.at)
		r.at = r.end(r.at)
		r.next()
		r.at++ // the colon
		r.next()
		o.members[name] = r.at
		if r.at = r.end(r.at); r.next() == ',' {
			r.at++
		}
	}
	if typ := o.members["type"]; r.b[typ] == '"' {
		o.typ = r.text(typ)
	}
	if o.typ == "" {
		return o, r.fail(ErrPolygon, at, "the object has no type")
	}
	return o, nil
}

// text returns the string at a place.
func (r *jsonReader) text(at int) (s string) {
	_ = json.Unmarshal(r.b[at:r.end(at)], &s) // it is valid JSON
	return s
}

// end returns the place after the value at i.
func (r *jsonReader) end(i int) int {
	for depth := 0; ; i++ {
		switch r.b[i] {
		case '"':
			for i++; r.b[i] != '"'; i++ {
				if r.b[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			// The bracket ends the value around a number or a word.
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
	}
}
