package grid

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/wkt"
)

// wktHead is what stands before the first bracket: 1 the type, 2 Z and M, 3
// the bracket or EMPTY.
var wktHead = regexp.MustCompile(`(?i)^\s*(?:SRID=\d{1,10};\s*)?([A-Z]{1,18}?)\s*(Z|M|ZM)?\s*(\(|EMPTY\s*$)`)

// ParseWKT reads POLYGON or MULTIPOLYGON in well-known text, any case, with or
// without a leading "SRID=n;" (dropped: coordinates are taken as they are).
// EMPTY gives an empty multipolygon; a multipolygon with EMPTY members, and Z
// and M coordinates, cannot be read. For errors see ParsePolygon.
func ParseWKT(s string) (orb.MultiPolygon, error) {
	return parse("WKT", len(s), func() (orb.MultiPolygon, error) {
		commas := strings.Count(s, ",") // one less than points
		if commas >= MaxVertices {
			return nil, tooMany()
		}
		at := wktHead.FindStringSubmatchIndex(s)
		if at == nil {
			return nil, errf(ErrPolygon, "polygon: WKT %s does not begin with a geometry type and '(' or EMPTY", quote(s))
		}
		name := strings.ToUpper(s[at[2]:at[3]])
		if name != "POLYGON" && name != "MULTIPOLYGON" {
			if !slices.ContainsFunc(typeNames[:], func(t string) bool { return strings.ToUpper(t) == name }) {
				return nil, errf(ErrPolygon, "polygon: WKT %s does not begin with a geometry type", quote(s))
			}
			return nil, errf(ErrGeometryType, "polygon: the geometry is a %s; only POLYGON and MULTIPOLYGON have an inside", name)
		}
		if s[at[6]] != '(' {
			return nil, nil
		}
		if at[4] >= 0 {
			return nil, errf(ErrGeometryType, "polygon: the geometry is a %s %s; only x and y can be read, not Z and M",
				name, strings.ToUpper(s[at[4]:at[5]]))
		}
		s := s[at[2]:]
		if strings.ContainsAny(s, "\t\r\n\v\f") || strings.Contains(s, "  ") {
			s = strings.Join(strings.Fields(s), " ") // orb wants one space between numbers
		}
		g, err := wkt.Unmarshal(s)
		if err != nil {
			return nil, wktFault(s)
		}
		mp, err := members(g)
		if err != nil {
			return nil, err
		}
		// Orb takes ",," for one comma and '|' for a space.
		for _, poly := range mp {
			for _, r := range poly {
				commas -= len(r)
			}
		}
		if commas != -1 || strings.Contains(s, "|") {
			return nil, wktFault(s)
		}
		return mp, nil
	})
}

// wktFault looks for the first point that cannot be read, which orb does not
// name.
func wktFault(s string) error {
	_, body, _ := strings.Cut(s, "(")
	for p := range strings.FieldsFuncSeq(body, func(c rune) bool { return c == '(' || c == ')' || c == ',' }) {
		numbers := strings.Fields(p)
		for _, n := range numbers {
			switch _, err := strconv.ParseFloat(n, 64); {
			case strings.EqualFold(n, "EMPTY"):
				return errf(ErrPolygon, "polygon: WKT: a member that is EMPTY cannot be read; leave it out")
			case errors.Is(err, strconv.ErrRange):
				return errf(ErrPolygon, "polygon: WKT: the number %s does not fit a double", quote(n))
			case err != nil:
				return errf(ErrPolygon, "polygon: WKT: %s is not a number", quote(n))
			}
		}
		if n := len(numbers); n == 1 || n > 2 {
			return errf(ErrPolygon, "polygon: WKT: the point %s has %d numbers, not x and y", quote(p), n)
		}
	}
	return errf(ErrPolygon, "polygon: WKT %s: a bracket or comma is missing or out of place", quote(s))
}
