package pipeline

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// Kind is the type of a column of the key in the files written.
type Kind uint8

// The kinds of columns.
const (
	Text      Kind = iota // VARCHAR
	Date                  // DATE
	Timestamp             // TIMESTAMP
)

// Column is a column of the key.
type Column struct {
	Name string
	Kind Kind
}

// A key is the texts of its columns one after the other, each after its length
// plus one, or 0 for NULL: no two different keys have the same bytes.

func appendText[T ~string | ~[]byte](key []byte, text T) []byte {
	key = binary.AppendUvarint(key, uint64(len(text))+1)
	return append(key, text...)
}

func appendNull(key []byte) []byte { return append(key, 0) }

var errKey = errors.New("a key was truncated in transit")

// splitKey calls f with each of the n texts of a key.
func splitKey(key []byte, n int, f func(i int, text []byte, null bool) error) error {
	for i := range n {
		size, used := binary.Uvarint(key)
		if used <= 0 || size > uint64(len(key)-used)+1 {
			return errKey
		}
		key = key[used:]
		if size == 0 {
			if err := f(i, nil, true); err != nil {
				return err
			}
			continue
		}
		if err := f(i, key[:size-1], false); err != nil {
			return err
		}
		key = key[size-1:]
	}
	if len(key) != 0 {
		return errKey
	}
	return nil
}

// The texts of dates and timestamps in a key.
const (
	dateLayout = "2006-01-02"
	timeLayout = "2006-01-02 15:04:05.999999"
)

// bucket is how a time becomes the beginning of its bucket, in UTC.
type bucket struct {
	begin  func(t time.Time) time.Time
	layout string
}

var buckets = map[string]bucket{
	"year":  {func(t time.Time) time.Time { return time.Date(t.Year(), 1, 1, 0, 0, 0, 0, time.UTC) }, dateLayout},
	"month": {func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC) }, dateLayout},
	"day":   {func(t time.Time) time.Time { return t.Truncate(24 * time.Hour) }, dateLayout},
	"hour":  {func(t time.Time) time.Time { return t.Truncate(time.Hour) }, timeLayout},
}

// timeLayouts are the texts that are taken for a time; without a zone it is UTC.
var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999",
	"2006-01-02 15:04:05.999999999", dateLayout, "2006-01-02 15:04", "2006-01",
}

func parseTime(s string) (time.Time, error) {
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time, for example 2018-10-31 23:59:59, 2018-10-31 or 2018-10", s)
}
