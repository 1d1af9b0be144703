package sketch

import (
	"database/sql/driver"
	"encoding"
	"encoding/base64"
)

// This file has what the methods for encoding, database/sql and encoding/json have in common in all
// families. A sketch is its BLOB, in text the BLOB in base64.

// Set sets *s to the sketch of a BLOB, which decode copies. An error changes nothing.
func Set[S any](s *S, blob []byte, decode func(blob []byte) (*S, error)) error {
	made, err := decode(blob)
	if err == nil {
		*s = *made
	}
	return err
}

// SetText is Set for a BLOB in base64, as Text writes it. The error wraps ErrInvalid.
func SetText[S any](s *S, text []byte, decode func(blob []byte) (*S, error)) error {
	blob, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return Invalidf("text is not base64: %v", err)
	}
	return Set(s, blob, decode)
}

// Scan implements sql.Scanner for a BLOB column, as Set does for a BLOB. For NULL it returns an error
// that says to scan into a sql.Null of the sketch.
func Scan[S any](s *S, src any, decode func(blob []byte) (*S, error)) error {
	switch src := src.(type) {
	case []byte:
		return Set(s, src, decode)
	case nil:
		return Invalidf("NULL; scan it into a sql.Null[%T]", *s)
	}
	return Invalidf("a %T where a sketch is a BLOB", src)
}

// Text returns a BLOB in base64, for encoding.TextMarshaler and so for encoding/json.
func Text(blob []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.AppendEncode(nil, blob), nil
}

// Driver returns the result of MarshalBinary as a parameter of a statement, for driver.Valuer.
func Driver(blob []byte, err error) (driver.Value, error) {
	if err != nil { // not a []byte, which would be an empty BLOB
		return nil, err
	}
	return blob, nil
}

// String is Describe for a sketch of a family, for fmt.Stringer. It is empty if the sketch has no BLOB.
func String(f Family, s encoding.BinaryMarshaler) string {
	blob, err := s.MarshalBinary()
	if err != nil {
		return ""
	}
	words, _ := Describe([]Family{f}, blob)
	return words
}
