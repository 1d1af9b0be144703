package grid

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
)

// ParseGeoJSON reads a GeoJSON Polygon or MultiPolygon, a Feature of one, or a
// FeatureCollection whose features are all of these: the collection stands
// for the union of its members. Ordinates beyond x and y are dropped; an empty
// coordinates array gives an empty multipolygon. A feature without a geometry
// is an error. For errors see ParsePolygon.
//
// The envelope is ours, so that an error can name the feature and properties
// stay unread; coordinates are read into orb's types by encoding/json, as
// orb/geojson does, which would link the bson package of the MongoDB driver as
// well, 1.2 to 1.4 MB.
func ParseGeoJSON(b []byte) (orb.MultiPolygon, error) {
	return parse("GeoJSON", len(b), func() (orb.MultiPolygon, error) {
		o, err := readObject(b)
		switch {
		case err != nil:
			return nil, err
		case o.Type == "Feature":
			return readFeature(o)
		case o.Type == "FeatureCollection":
			return readCollection(o)
		}
		return readGeometry(o)
	})
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

func readCollection(o object) (orb.MultiPolygon, error) {
	if o.Features == nil {
		return nil, errf(ErrPolygon, "polygon: GeoJSON FeatureCollection has no features array")
	}
	var union orb.MultiPolygon
	for i, raw := range o.Features {
		f, err := readObject(raw)
		if err == nil && f.Type != "Feature" {
			err = errf(ErrPolygon, "polygon: GeoJSON FeatureCollection holds %s, not a Feature", quote(f.Type))
		}
		var mp orb.MultiPolygon
		if err == nil {
			mp, err = readFeature(f)
		}
		if err == nil {
			mp, err = check(mp)
		}
		if err != nil {
			return nil, &wrapped{err.Error() + " (feature " + strconv.Itoa(i+1) + ")", err}
		}
		union = append(union, mp...)
	}
	return union, nil
}

func readFeature(f object) (orb.MultiPolygon, error) {
	if len(f.Geometry) == 0 || string(f.Geometry) == "null" {
		return nil, errf(ErrPolygon, "polygon: GeoJSON Feature has no geometry")
	}
	g, err := readObject(f.Geometry)
	if err != nil {
		return nil, err
	}
	return readGeometry(g)
}

// readGeometry reads a geometry.
func readGeometry(o object) (orb.MultiPolygon, error) {
	depth := 3
	switch {
	case o.Type == "MultiPolygon":
		depth = 4
	case o.Type == "Polygon":
	case slices.Contains(typeNames[1:8], o.Type) || o.Type == "Feature" || o.Type == "FeatureCollection":
		return nil, errf(ErrGeometryType, "polygon: the geometry is a %s; only Polygon and MultiPolygon have an inside", o.Type)
	default:
		return nil, errf(ErrPolygon, "polygon: GeoJSON type %s is not known", quote(o.Type))
	}
	if len(o.Coordinates) == 0 || string(o.Coordinates) == "null" {
		return nil, errf(ErrPolygon, "polygon: GeoJSON %s has no coordinates", o.Type)
	}
	if err := checkPoints(o.Coordinates, depth); err != nil {
		return nil, err
	}
	var mp orb.MultiPolygon
	var err error
	if depth == 3 {
		mp = orb.MultiPolygon{nil}
		err = json.Unmarshal(o.Coordinates, &mp[0])
	} else {
		err = json.Unmarshal(o.Coordinates, &mp)
	}
	if err != nil {
		var shape *json.UnmarshalTypeError
		if !errors.As(err, &shape) {
			return nil, errf(ErrPolygon, "polygon: GeoJSON: %v", err)
		}
		what := shape.Value + " where an array was expected"
		if shape.Type.Kind() == reflect.Float64 {
			if what = shape.Value + " where a number was expected"; strings.HasPrefix(shape.Value, "number ") {
				what = shape.Value + " does not fit a double"
			}
		}
		return nil, errf(ErrPolygon, "polygon: GeoJSON coordinates, byte %d: %s", shape.Offset, what)
	}
	if depth == 3 && len(mp[0]) == 0 {
		return orb.MultiPolygon{}, nil
	}
	return mp, nil
}

// checkPoints looks at the coordinates, which are valid JSON, for what
// encoding/json would quietly read as 0 or drop: a point of less than two
// numbers, and values other than numbers. Points are arrays at the given depth.
func checkPoints(s []byte, depth int) error {
	level, commas, start, points := 0, 0, 0, 0
	for i, c := range s {
		switch c {
		case 'n', 't', 'f', '"', '{':
			return errf(ErrPolygon, "polygon: GeoJSON coordinates, byte %d, at %s: neither a number nor an array", i, quote(s[i:]))
		case '[':
			if level++; level == depth {
				commas, start = 0, i
				if points++; points > MaxVertices {
					return tooMany()
				}
			}
		case ',':
			if level == depth {
				commas++
			}
		case ']':
			if level == depth && commas == 0 {
				return errf(ErrPolygon, "polygon: GeoJSON coordinates, byte %d: the point %s has less than two numbers", start, quote(s[start:i+1]))
			}
			level--
		}
	}
	return nil
}
