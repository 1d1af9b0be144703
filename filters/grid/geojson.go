package grid

import (
	"bytes"
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
	r := jsonReader{assembler: assembler{format: "polygon: GeoJSON"}, b: b}
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
type jsonReader struct {
	assembler
	b []byte
}

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
	o, err := r.object(r.skip(0))
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
		return r.fail(ErrPolygon, o.at, "type %s is not known", quote(o.typ))
	case coordinates == 0:
		return r.fail(ErrPolygon, o.at, "the %s has no coordinates", o.typ)
	case o.typ == typePolygon:
		_, err := r.polygon(coordinates)
		return err
	}
	_, err := r.list(coordinates, func(n, at int) (end int, err error) {
		err = r.in("member", n, func() error {
			end, err = r.polygon(at)
			return err
		})
		return end, err
	})
	return err
}

// members calls read for each object in the array that the member with this name is. what is for errors.
func (r *jsonReader) members(o object, name, what string, read func(object) error) error {
	at := r.member(o, name)
	if at == 0 {
		return r.fail(ErrPolygon, o.at, "the %s has no %s", o.typ, name)
	}
	_, err := r.list(at, func(n, at int) (int, error) {
		return r.end(at), r.in(what, n, func() error {
			o, err := r.object(at)
			if err != nil {
				return err
			}
			return read(o)
		})
	})
	return err
}

// polygon reads the coordinates of a polygon. Like the methods below, it returns the place after the text
// that it has read.
func (r *jsonReader) polygon(at int) (end int, err error) {
	readPoint := r.readPoint
	end, err = r.list(at, func(n, at int) (end int, err error) {
		err = r.ringOf(n, at, func() error {
			end, err = r.list(at, readPoint)
			return err
		})
		return end, err
	})
	r.endPolygon()
	return end, err
}

func (r *jsonReader) readPoint(_, at int) (end int, err error) {
	var p orb.Point
	n := 0
	end, err = r.list(at, func(_, at int) (int, error) {
		end := r.end(at)
		if c := r.b[at]; c != '-' && (c < '0' || c > '9') {
			return 0, r.fail(ErrPolygon, at, "%s is not a number", quote(r.b[at:end]))
		}
		if n < len(p) {
			v, err := strconv.ParseFloat(string(r.b[at:end]), 64)
			if err != nil {
				return 0, r.fail(ErrPolygon, at, "the number %s does not fit a double", quote(r.b[at:end]))
			}
			p[n] = v
		}
		n++
		return end, nil
	})
	switch {
	case err != nil:
		return 0, err
	case n < len(p):
		return 0, r.fail(ErrPolygon, at, "the point %s has less than two numbers", quote(r.b[at:end]))
	}
	return end, r.point(at, p)
}

// list calls f for each element of the array at place at, with the number n of the element and its place.
// f returns the place after the element.
func (r *jsonReader) list(at int, f func(n, at int) (int, error)) (end int, err error) {
	if r.b[at] != '[' {
		return 0, r.fail(ErrPolygon, at, "%s where an array should be", quote(r.b[at:]))
	}
	i := r.skip(at + 1)
	for n := 1; r.b[i] != ']'; n++ {
		if i, err = f(n, i); err != nil {
			return 0, err
		}
		if i = r.skip(i); r.b[i] == ',' {
			i = r.skip(i + 1)
		}
	}
	return i + 1, nil
}

func (r *jsonReader) object(at int) (object, error) {
	o := object{at: at, members: map[string]int{}}
	if r.b[at] != '{' {
		return o, r.fail(ErrPolygon, at, "%s where an object should be", quote(r.b[at:]))
	}
	for i := r.skip(at + 1); r.b[i] != '}'; {
		end := r.end(i)
		value := r.skip(r.skip(end) + 1) // after the colon
		o.members[r.text(i, end)] = value
		if i = r.skip(r.end(value)); r.b[i] == ',' {
			i = r.skip(i + 1)
		}
	}
	if typ := o.members["type"]; r.b[typ] == '"' {
		o.typ = r.text(typ, r.end(typ))
	}
	if o.typ == "" {
		return o, r.fail(ErrPolygon, at, "the object has no type")
	}
	return o, nil
}

// text returns the string from place at to place end.
func (r *jsonReader) text(at, end int) string {
	if plain := r.b[at+1 : end-1]; bytes.IndexByte(plain, '\\') < 0 {
		return string(plain)
	}
	var s string
	_ = json.Unmarshal(r.b[at:end], &s) // it is valid JSON
	return s
}

// skip returns the first place from i on that is no space.
func (r *jsonReader) skip(i int) int {
	for r.b[i] == ' ' || r.b[i] == '\t' || r.b[i] == '\n' || r.b[i] == '\r' {
		i++
	}
	return i
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
