package grid

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
)

// ParseWKT reads POLYGON or MULTIPOLYGON in well-known text, any case, with or
// without Z, M or ZM (the extra ordinates are read and dropped) and with or
// without a leading "SRID=n;" (dropped: coordinates are taken as they are).
// EMPTY gives an empty multipolygon. For errors see ParsePolygon.
func ParseWKT(s string) (orb.MultiPolygon, error) {
	p := wktParser{s: s}
	p.space()
	if len(s)-p.i > 5 && strings.EqualFold(s[p.i:p.i+5], "SRID=") {
		semi := strings.IndexByte(s[p.i:], ';')
		if semi < 0 {
			return nil, errf(ErrPolygon, "polygon: WKT %s: no ';' after SRID", quote(s))
		}
		if _, err := strconv.ParseUint(s[p.i+5:p.i+semi], 10, 32); err != nil {
			return nil, errf(ErrPolygon, "polygon: WKT %s: the SRID is not a number", quote(s))
		}
		p.i += semi + 1
		p.space()
	}
	word := strings.ToUpper(p.word())
	name := word
	for _, suffix := range [...]string{"ZM", "Z", "M"} {
		if base, ok := strings.CutSuffix(name, suffix); ok && (base == "POLYGON" || base == "MULTIPOLYGON") {
			name, p.dims = base, 2+len(suffix)
			break
		}
	}
	if name != "POLYGON" && name != "MULTIPOLYGON" {
		if !wktTypes[strings.TrimRight(word, "ZM")] {
			return nil, errf(ErrPolygon, "polygon: WKT %s does not begin with a geometry type", quote(s))
		}
		return nil, errf(ErrGeometryType, "polygon: the geometry is a %s; only POLYGON and MULTIPOLYGON have an inside", word)
	}
	p.b.many = name == "MULTIPOLYGON"
	p.space()
	empty := false
	for p.i < len(s) && isLetter(s[p.i]) && !empty {
		switch w := strings.ToUpper(p.word()); {
		case (w == "Z" || w == "M" || w == "ZM") && p.dims == 0:
			p.dims = 2 + len(w)
		case w == "EMPTY":
			empty = true
		default:
			return nil, errf(ErrPolygon, "polygon: WKT: unexpected word %s after %s", quote(w), name)
		}
		p.space()
	}
	var err error
	switch {
	case empty:
	case p.b.many:
		err = p.list(p.polygon)
	default:
		err = p.polygon()
	}
	if err != nil {
		return nil, err
	}
	if p.space(); p.i < len(s) {
		return nil, p.errorf("nothing more was expected")
	}
	return p.b.result(), nil
}

var wktTypes = map[string]bool{
	"POINT": true, "MULTIPOINT": true, "LINESTRING": true, "MULTILINESTRING": true, "LINEARRING": true,
	"GEOMETRYCOLLECTION": true, "GEOMETRY": true, "TRIANGLE": true, "TIN": true, "POLYHEDRALSURFACE": true,
	"CIRCULARSTRING": true, "COMPOUNDCURVE": true, "CURVEPOLYGON": true, "MULTICURVE": true,
	"MULTISURFACE": true, "CURVE": true, "SURFACE": true, "CIRCLE": true,
}

type wktParser struct {
	s    string
	i    int
	dims int // ordinates per point as the tag says; 0: untagged, 2 to 4
	b    builder
}

func (p *wktParser) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\r', '\n':
			p.i++
		default:
			return
		}
	}
}

func (p *wktParser) word() string {
	from := p.i
	for p.i < len(p.s) && isLetter(p.s[p.i]) {
		p.i++
	}
	return p.s[from:p.i]
}

func (p *wktParser) errorf(format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	if p.i >= len(p.s) {
		return errf(ErrPolygon, "polygon: WKT ends after %d bytes: %s", len(p.s), what)
	}
	return errf(ErrPolygon, "polygon: WKT, byte %d, at %s: %s", p.i, quote(p.s[p.i:]), what)
}

// take eats one byte after any space, or says that it is missing.
func (p *wktParser) take(c byte) error {
	p.space()
	if p.i >= len(p.s) || p.s[p.i] != c {
		return p.errorf("'%c' was expected", c)
	}
	p.i++
	return nil
}

// list reads "(item, item, ...)".
func (p *wktParser) list(item func() error) error {
	if err := p.take('('); err != nil {
		return err
	}
	for {
		if err := item(); err != nil {
			return err
		}
		p.space()
		if p.i >= len(p.s) || p.s[p.i] != ',' && p.s[p.i] != ')' {
			return p.errorf("',' or ')' was expected")
		}
		p.i++
		if p.s[p.i-1] == ')' {
			return nil
		}
	}
}

// polygon reads "(ring, ring, ...)" or EMPTY.
func (p *wktParser) polygon() error {
	p.space()
	if p.i < len(p.s) && isLetter(p.s[p.i]) {
		if w := p.word(); !strings.EqualFold(w, "EMPTY") {
			return errf(ErrPolygon, "polygon: WKT: unexpected word %s", quote(w))
		}
		return nil
	}
	err := p.list(p.ring)
	p.b.end()
	return err
}

func (p *wktParser) ring() error {
	var r orb.Ring
	err := p.list(func() error {
		pt, err := p.point()
		r = append(r, pt)
		return err
	})
	if err != nil {
		return err
	}
	return p.b.ring(r)
}

func (p *wktParser) point() (orb.Point, error) {
	if err := p.b.point(); err != nil {
		return orb.Point{}, err
	}
	var v [4]float64
	n := 0
	for p.space(); p.i < len(p.s) && p.s[p.i] != ',' && p.s[p.i] != ')'; p.space() {
		if n == len(v) {
			return orb.Point{}, p.errorf("a point has at most 4 numbers")
		}
		from := p.i
		for p.i < len(p.s) && !strings.ContainsRune(" \t\r\n,()", rune(p.s[p.i])) {
			p.i++
		}
		f, err := strconv.ParseFloat(p.s[from:p.i], 64)
		if err != nil {
			end := p.i
			p.i = from
			if ne, ok := err.(*strconv.NumError); ok && ne.Err == strconv.ErrRange {
				return orb.Point{}, p.errorf("the number does not fit a double")
			}
			return orb.Point{}, p.errorf("%s is not a number", quote(p.s[from:end]))
		}
		v[n] = f
		n++
	}
	if p.dims != 0 && n != p.dims {
		return orb.Point{}, p.errorf("a point of %d numbers where %d were declared", n, p.dims)
	}
	if n < 2 {
		return orb.Point{}, p.errorf("a point of %d numbers; it needs x and y", n)
	}
	return orb.Point{v[0], v[1]}, nil
}
