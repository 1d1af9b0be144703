package grid

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
)

// parseWKT reads a POLYGON, a MULTIPOLYGON or a GEOMETRYCOLLECTION of these in well-known text. Case does
// not matter, Z and M are allowed, and members or the whole geometry may be EMPTY. "SRID=n;" may stand in
// front. The points of a polygon have two to four numbers, all of them as many.
func parseWKT(b []byte) (orb.MultiPolygon, int, error) {
	r := wktReader{textReader: textReader{assembler: assembler{format: "polygon: WKT"}, b: b}}
	err := r.readSRID()
	if err == nil {
		err = r.geometry(0, 0)
	}
	if err == nil && r.next() != 0 {
		err = r.fail(ErrPolygon, r.at, "%s follows the geometry", quote(r.b[r.at:]))
	}
	return r.result(err)
}

// wktReader reads a polygon from WKT.
type wktReader struct {
	textReader
	ordinates int // how many numbers a point of the polygon has; 0 before its first point.
}

// wktTags are the words that may stand between a type and its bracket, with the numbers that a point has
// then.
var wktTags = map[string]int{"Z": 3, "M": 3, "ZM": 4}

// word reads the letters that come next.
func (r *wktReader) word() string {
	r.next()
	from := r.at
	for r.at < len(r.b) && isLetter(r.b[r.at]) {
		r.at++
	}
	return string(r.b[from:r.at])
}

// readSRID reads "SRID=n;" if it comes next.
func (r *wktReader) readSRID() error {
	at := r.at
	if !strings.EqualFold(r.word(), "SRID") {
		r.at = at
		return nil
	}
	value, rest, found := bytes.Cut(r.b[r.at:], []byte(";"))
	value, is := bytes.CutPrefix(bytes.TrimSpace(value), []byte("="))
	n, err := strconv.Atoi(string(bytes.TrimSpace(value)))
	if !found || !is || err != nil {
		return r.fail(ErrPolygon, r.at, "SRID is not followed by = and a number and a semicolon")
	}
	r.srid = n
	r.at = len(r.b) - len(rest)
	return nil
}

// geometry reads the next geometry. depth is the number of collections around it. ordinates is how many
// numbers the collection says each point has, or 0 if it says nothing.
func (r *wktReader) geometry(depth, ordinates int) error {
	r.next()
	at := r.at
	name, tag := wktType(r.word())
	if name == "" {
		return r.fail(ErrPolygon, at, "%s does not begin with a geometry type", quote(r.b[at:]))
	}
	after := r.at
	if tag == "" {
		if tag = strings.ToUpper(r.word()); wktTags[tag] == 0 {
			r.at, tag = after, ""
		}
	}
	if tag != "" {
		ordinates = wktTags[tag]
	}
	switch name {
	case typePolygon:
		return r.polygon(ordinates)
	case typeMultiPolygon:
		return r.list(func(n int) error {
			return r.in("member", n, func() error { return r.polygon(ordinates) })
		})
	case typeCollection:
		if err := r.deeper(at, depth); err != nil {
			return err
		}
		return r.list(func(n int) error {
			return r.in("geometry", n, func() error { return r.geometry(depth+1, ordinates) })
		})
	}
	return r.noInside(at, name)
}

// wktType returns the type that a word names, in the spelling of GeoJSON. tag is the dimension written
// directly after it, as Z in POLYGONZ.
func wktType(word string) (name, tag string) {
	for _, tag := range []string{"", "ZM", "Z", "M"} {
		bare := len(word) - len(tag)
		if bare < 0 || !strings.EqualFold(word[bare:], tag) {
			continue
		}
		if i := slices.IndexFunc(typeNames[:], func(t string) bool { return strings.EqualFold(t, word[:bare]) }); i >= 0 {
			return typeNames[i], tag
		}
	}
	return "", ""
}

// list reads either EMPTY, or items in brackets. It calls item for each, with its number.
func (r *wktReader) list(item func(n int) error) error {
	at := r.at
	if strings.EqualFold(r.word(), "EMPTY") {
		return nil
	}
	r.at = at
	if r.next() != '(' {
		return r.missing("(")
	}
	r.at++
	return r.items(')', item)
}

func (r *wktReader) polygon(ordinates int) error {
	r.ordinates = ordinates
	return r.rings(r.list, r.readPoint)
}

func (r *wktReader) readPoint(int) error {
	r.next()
	at := r.at
	var p orb.Point
	n := 0
	for c := byte('0'); c != 0 && c != ',' && c != ')'; c = r.next() {
		v, err := r.number()
		if err != nil {
			return err
		}
		if n < len(p) {
			p[n] = v
		}
		n++
	}
	switch {
	case n < 2 || n > 4:
		return r.fail(ErrPolygon, at, "the point %s must have 2 to 4 numbers", quote(r.b[at:r.at]))
	case r.ordinates == 0:
		r.ordinates = n
	case r.ordinates != n:
		return r.fail(ErrPolygon, at, "the point %s must have %d numbers as the others", quote(r.b[at:r.at]), r.ordinates)
	}
	return r.point(at, p)
}

// number reads a number, which ends at a space, a comma or a bracket.
func (r *wktReader) number() (float64, error) {
	n := bytes.IndexAny(r.b[r.at:], " \t\n\v\f\r,()")
	if n < 0 {
		n = len(r.b) - r.at
	}
	if n == 0 {
		return 0, r.missing("a number")
	}
	text := r.b[r.at : r.at+n]
	v, err := strconv.ParseFloat(string(text), 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, r.fail(ErrPolygon, r.at, "the number %s does not fit a double", quote(text))
	case err != nil, bytes.ContainsAny(text, "_xX"): // numbers of Go that are none in WKT
		return 0, r.fail(ErrPolygon, r.at, "%s is not a number", quote(text))
	}
	r.at += n
	return v, nil
}
