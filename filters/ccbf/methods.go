package ccbf

import (
	"database/sql/driver"
	"errors"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// This file gives a Sketch the methods that packages of Go ask for.

// errZero is the error for the BLOB of a zero Sketch.
var errZero = errors.New("ccbf: a zero Sketch has no BLOB: New, Build or Decode makes one")

// AppendBinary implements encoding.BinaryAppender. The BLOB of a zero Sketch is an error.
func (s *Sketch) AppendBinary(dst []byte) ([]byte, error) {
	if s.Grid == (grid.Grid{}) {
		return dst, errZero
	}
	return s.appendBlob(dst), nil
}

// MarshalBinary implements encoding.BinaryMarshaler: it is the BLOB.
func (s *Sketch) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler: it makes *s what Decode makes.
func (s *Sketch) UnmarshalBinary(blob []byte) error { return sketch.Set(s, blob, Decode) }

// MarshalText implements encoding.TextMarshaler: the BLOB in base64, as JSON has it, also of a
// Sketch that is a field and not a pointer.
func (s Sketch) MarshalText() ([]byte, error) { return sketch.Text(s.MarshalBinary()) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Sketch) UnmarshalText(text []byte) error { return sketch.SetText(s, text, Decode) }

// Scan implements sql.Scanner. NULL is an error; a sql.Null[Sketch] takes it.
func (s *Sketch) Scan(src any) error { return sketch.Scan(s, src, Decode) }

// Value implements driver.Valuer: it is the BLOB, and NULL where s is nil.
func (s *Sketch) Value() (driver.Value, error) {
	if s == nil {
		return nil, nil
	}
	return sketch.Driver(s.MarshalBinary())
}

// String implements fmt.Stringer: what the sketch is, in a few words.
func (s *Sketch) String() string {
	blob, err := s.MarshalBinary()
	return sketch.String(Family, blob, err)
}
