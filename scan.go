package ccbfsql

import (
	"database/sql"
	"fmt"
)

// Into returns a destination of (*sql.Row).Scan that decodes a BLOB into a sketch, with the Decode
// of its package. NULL is the zero S, a nil sketch.
//
//	var s *cms.Sketch
//	err := row.Scan(ccbfsql.Into(&s, cms.Decode))
//
// In the other direction, pass a sketch's Blob as an argument of a query or to an appender.
func Into[S any](s *S, decode func(blob []byte) (S, error)) sql.Scanner {
	return &into[S]{s, decode}
}

type into[S any] struct {
	s      *S
	decode func(blob []byte) (S, error)
}

// Scan implements sql.Scanner.
func (d *into[S]) Scan(value any) (err error) {
	var none S
	*d.s = none
	switch blob := value.(type) {
	case nil:
		return nil
	case []byte:
		*d.s, err = d.decode(blob)
		return err
	default:
		return fmt.Errorf("ccbfsql: a %T is not a sketch, scan a BLOB", value)
	}
}
