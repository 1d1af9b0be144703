package grid

// textReader reads polygons from text. at is the index of the next byte in b.
type textReader struct {
	assembler
	b  []byte
	at int
}

// next returns the next byte that is no space, without reading it. At the end of the text it returns 0.
func (r *textReader) next() byte {
	for ; r.at < len(r.b); r.at++ {
		switch c := r.b[r.at]; c {
		case ' ', '\t', '\n', '\v', '\f', '\r':
		case 0:
			// 0 would mean the end of the text. No geometry begins with '0', so the caller fails.
			return '0'
		default:
			return c
		}
	}
	return 0
}

// items reads the items of a list, after the bracket that opens it and including the one that closes it. It calls
// item for each, with its number.
func (r *textReader) items(end byte, item func(n int) error) error {
	for n := 1; ; n++ {
		if err := item(n); err != nil {
			return err
		}
		switch r.next() {
		case ',':
			r.at++
		case end:
			r.at++
			return nil
		default:
			return r.missing(", or " + string(end))
		}
	}
}

func (r *textReader) missing(what string) error {
	if r.next() == 0 {
		return r.fail(ErrPolygon, r.at, "the text ends where %s should be", what)
	}
	return r.fail(ErrPolygon, r.at, "%s where %s should be", quote(r.b[r.at:]), what)
}

// rings reads the rings of a polygon. list reads a list, and point a point.
func (r *textReader) rings(list func(item func(n int) error) error, point func(n int) error) error {
	err := list(func(n int) error {
		r.next()
		return r.ringOf(n, r.at, func() error { return list(point) })
	})
	r.endPolygon()
	return err
}
