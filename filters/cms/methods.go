package cms

import (
	"database/sql/driver"
	"time"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// This file has the methods of the sketch for packages encoding, database/sql and fmt, and for one value
// of Go. Packages keyed and sketch implement them.

// MarshalBinary implements encoding.BinaryMarshaler. It returns the BLOB. A zero Sketch is an error.
func (s *Sketch) MarshalBinary() ([]byte, error) { return keyed.MarshalBinary(s) }

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
func (s *Sketch) String() string { return sketch.String(Family.About(), s) }

// AddString adds a VARCHAR once. A class that is not the keys' is an error that wraps key.ErrClass.
func (s *Sketch) AddString(v string) error { return Family.AddValue(s, v) }

// AddUint64 adds an integer once. For other types see Family.AddValue. A class that is not the keys' is an error
// that wraps key.ErrClass.
func (s *Sketch) AddUint64(v uint64) error { return Family.AddValue(s, v) }

// AddTime adds an instant once: a TIMESTAMPTZ, or in a sketch of TIMESTAMP keys the date and time that
// it is in UTC. SetKeyClass(key.Timestamp) makes a new one of TIMESTAMP keys. A class that is not the keys' is
// an error that wraps key.ErrClass.
func (s *Sketch) AddTime(t time.Time) error { return Family.AddValue(s, t) }

// CountString is Count of a VARCHAR. A class that does not fit the keys' is an error that wraps key.ErrClass.
func (s *Sketch) CountString(v string) (uint64, error) { return Family.CountValue(s, v) }

// CountUint64 is Count of an integer. A class that does not fit the keys' is an error that wraps key.ErrClass.
func (s *Sketch) CountUint64(v uint64) (uint64, error) { return Family.CountValue(s, v) }

// CountTime is Count of an instant, by the key of AddTime. A class that does not fit the keys' is an error that wraps key.ErrClass.
func (s *Sketch) CountTime(t time.Time) (uint64, error) { return Family.CountValue(s, t) }
