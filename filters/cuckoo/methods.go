package cuckoo

import (
	"database/sql/driver"
	"time"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// This file gives the filter the methods that packages of Go ask for, and those for one value
// of Go. The kit has what they do (packages keyed and sketch).

// MarshalBinary implements encoding.BinaryMarshaler: it is the BLOB. That of a zero Sketch is an error.
func (s *Sketch) MarshalBinary() ([]byte, error) { return keyed.MarshalBinary(s) }

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
func (s *Sketch) Value() (driver.Value, error) { return sketch.Driver(s) }

// String implements fmt.Stringer: what the filter is, in a few words.
func (s *Sketch) String() string { return sketch.String(Family.About(), s) }

// AddString adds a VARCHAR once. A class that is not the keys' is an error that wraps key.ErrClass.
func (s *Sketch) AddString(v string) error { return Family.AddValue(s, v) }

// AddUint64 adds an integer once. A class that is not the keys' is an error that wraps key.ErrClass.
func (s *Sketch) AddUint64(v uint64) error { return Family.AddValue(s, v) }

// AddTime adds an instant once: a TIMESTAMPTZ, or in a filter of TIMESTAMP keys the date and time that
// it is in UTC. A class that is not the keys' is an error that wraps key.ErrClass.
func (s *Sketch) AddTime(t time.Time) error { return Family.AddValue(s, t) }

// CountString is Count of a VARCHAR. A class that does not fit the keys' is an error that wraps key.ErrClass.
func (s *Sketch) CountString(v string) (uint64, error) { return Family.CountValue(s, v) }

// ContainsString is Contains of a VARCHAR. A class that does not fit the keys' is an error that wraps key.ErrClass.
func (s *Sketch) ContainsString(v string) (bool, error) { return Family.ContainsValue(s, v) }

// CountUint64 is Count of an integer. A class that does not fit the keys' is an error that wraps key.ErrClass.
func (s *Sketch) CountUint64(v uint64) (uint64, error) { return Family.CountValue(s, v) }

// ContainsUint64 is Contains of an integer. A class that does not fit the keys' is an error that wraps key.ErrClass.
func (s *Sketch) ContainsUint64(v uint64) (bool, error) { return Family.ContainsValue(s, v) }

// CountTime is Count of an instant, by the key of AddTime. A class that does not fit the keys' is an error that wraps key.ErrClass.
func (s *Sketch) CountTime(t time.Time) (uint64, error) { return Family.CountValue(s, t) }

// ContainsTime is Contains of an instant, by the key of AddTime. A class that does not fit the keys' is an error that wraps key.ErrClass.
func (s *Sketch) ContainsTime(t time.Time) (bool, error) { return Family.ContainsValue(s, t) }
