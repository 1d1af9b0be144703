package sketch

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

func TestReader(t *testing.T) {
	b := []byte{1, 4, 0, 0, 0, 0, 0, 0, 0, 'x', 'y'}
	b = binary.AppendUvarint(b, 300)
	r := NewReader("parameters", b)
	if a, b := r.Uint8(), r.Uint64(); a != 1 || b != 4 {
		t.Errorf("read %d %d", a, b)
	}
	if got := r.Bytes(2); string(got) != "xy" || cap(got) != 2 {
		t.Errorf("read %q with room for %d", got, cap(got))
	}
	if r.Len() != 2 || r.Uvarint() != 300 || r.Done() != nil {
		t.Errorf("the end: %d left, %v", r.Len(), r.Err())
	}
}

func TestReaderStopsAtTheEnd(t *testing.T) {
	full := make([]byte, 9)
	for n := range full {
		r := NewReader("parameters", full[:n:n])
		r.Uint64()
		r.Uint8()
		if err := r.Done(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "more bytes expected after byte") {
			t.Errorf("%d of 9 bytes: %v", n, err)
		}
		if r.Uint64() != 0 || r.Bytes(0) != nil || r.Uvarint() != 0 {
			t.Errorf("%d of 9 bytes: read after the error", n)
		}
	}
	for want, read := range map[string]func(*Reader){
		"body: 18446744073709551612 more bytes expected after byte 3": func(r *Reader) { r.Bytes(1<<64 - 1) },
		"body: 3 bytes, expected 1":                                   func(r *Reader) { r.Uint8() },
		"body: no number at byte 2":                                   func(r *Reader) { r.Bytes(2); r.Uvarint() },
	} {
		r := NewReader("body", []byte{0, 7, 0x80})
		read(r)
		if err := r.Done(); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for _, long := range [][]byte{{0x80, 0}, {0xff, 0x80, 0}, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2}} {
		r := NewReader("body", long)
		if r.Uvarint(); r.Err() == nil {
			t.Errorf("%x is a number", long)
		}
	}
}
