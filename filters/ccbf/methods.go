package ccbf

import (
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Methods of a Sketch for packages encoding, database/sql and fmt.

// errZero is the error for the BLOB of a zero Sketch.
var errZero = errors.New("ccbf: a zero Sketch has no BLOB: New, Build or Decode makes one")

func unknownClass(c key.Class) error { return fmt.Errorf("ccbf: %d is no class of categories", c) }

// MarshalBinary implements encoding.BinaryMarshaler. It returns the BLOB. A zero Sketch is an error.
func (s *Sketch) MarshalBinary() ([]byte, error) {
	switch {
	case s.Grid == (grid.Grid{}):
		return nil, errZero
	case !s.Class.Known():
		return nil, unknownClass(s.Class)
	}
	return s.Blob(), nil
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. It sets s to the result of Decode.
func (s *Sketch) UnmarshalBinary(blob []byte) error { return sketch.Set(s, blob, Decode) }

// MarshalText implements encoding.TextMarshaler. It returns the BLOB in base64, as JSON has it. It
// has a value receiver, so that a field of type Sketch works too.
func (s Sketch) MarshalText() ([]byte, error) { return sketch.Text(s.MarshalBinary()) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Sketch) UnmarshalText(text []byte) error { return sketch.SetText(s, text, Decode) }

// Scan implements sql.Scanner. NULL is an error; a sql.Null[Sketch] accepts it.
func (s *Sketch) Scan(src any) error { return sketch.Scan(s, src, Decode) }

// Value implements driver.Valuer. It returns the BLOB. Package database/sql writes a nil *Sketch as NULL.
func (s Sketch) Value() (driver.Value, error) { return sketch.Driver(s.MarshalBinary()) }

// String implements fmt.Stringer. It describes the sketch in a few words.
func (s *Sketch) String() string { return sketch.String(Family, s) }
