package sketch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func sample(params, body int) ([]byte, Header) {
	h := Header{Family: fir.ID, Flags: Additive | TotalKnown, KeyClass: 3, Levels: 2, Seed: 0x1122334455667788, Total: 99}
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte {
		part := make([]byte, n)
		for i := range part {
			part[i] = byte(r.Uint32())
		}
		return part
	}
	return Join(h, random(params), random(body)), h
}

func TestRoundTrip(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {16, 0}, {0, 5}, {16, 100}, {MaxParams, 1}} {
		blob, want := sample(size[0], size[1])
		b, err := Parse(blob)
		if err != nil {
			t.Fatal(err)
		}
		if b.Header != want || len(b.Params) != size[0] || len(b.Body) != size[1] {
			t.Errorf("%v: read back %+v with %d and %d bytes", size, b.Header, len(b.Params), len(b.Body))
		}
		if cap(b.Params) != len(b.Params) {
			t.Errorf("%v: appending to the parameters would write into the body", size)
		}
		if err := Verify(blob); err != nil {
			t.Error(err)
		}
		if _, err := ParseAs(oak.ID, blob); err == nil || !strings.Contains(err.Error(), "a fir sketch, expected an oak sketch") {
			t.Errorf("as another family: %v", err)
		}
	}
}

// Defaults take no bytes.
func TestHeaderIsSmall(t *testing.T) {
	for want, h := range map[int]Header{
		12: {Family: fir.ID},
		13: {Family: fir.ID, Flags: Additive | TotalKnown, Total: 127},
		15: {Family: fir.ID, Flags: Additive | TotalKnown, Total: 1 << 20},
		16: {Family: fir.ID, Flags: TotalKnown, Total: 127, KeyClass: 3, Seed: 300},
		// The most: flags, class and levels, two numbers of 64 bits.
		MaxHeader - 1: {Family: fir.ID, Flags: TotalKnown, Total: 1<<64 - 1, KeyClass: 3, Levels: 24, Seed: 1<<64 - 1},
	} {
		blob := Join(h, nil, nil)
		if b, err := Parse(blob); len(blob) != want || err != nil || b.Header != h {
			t.Errorf("%+v: %d bytes, want %d, error %v", h, len(blob), want, err)
		}
	}
	if begun := Begin([]byte("before"), Header{Seed: 1<<64 - 1, KeyClass: 1, Levels: 1, Flags: TotalKnown, Total: 1<<64 - 1}, make([]byte, MaxParams)); len(begun) != 6+MaxHeader+MaxParams {
		t.Errorf("%d bytes", len(begun))
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	blob, _ := sample(16, 40)
	change := func(at, until int, to ...byte) []byte {
		return slices.Concat(blob[:at], to, blob[until:])
	}
	length := len(blob) - 40 - 16 - 1
	for want, blob := range map[string][]byte{
		"0 bytes, but a header alone has at least 12":                  nil,
		`the bytes begin with "SELE", but a sketch begins with`:        []byte(strings.Repeat("SELECT 42; ", 9)),
		"format version 0, but this program reads 1 to 1":              change(4, 5, 0),
		"format version 9, but this program reads 1 to 1":              change(4, 5, 9),
		"unknown flags 0x100":                                          change(10, 12, 0xe3, 3),
		"unknown flags 0x8000000000000000":                             change(10, 12, 0xe3, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1),
		"header: no number at byte 10":                                 change(10, 12, 0xe3, 0x81, 0),
		"promise a class of keys, levels or a seed that is 0":          change(12, 13, 0),
		"header: no number at byte 14":                                 change(14, 15, 0x88, 0x80),
		"header: no number at byte 12":                                 blob[:12],
		"parameters of 8192 bytes, at most 4096 are allowed":           change(length, length+1, 0x80, 0x40),
		"the header promises 16 bytes of parameters, but 3 follow":     blob[:length+4],
		"parameters of 9223372036854775808 bytes, at most 4096 are al": change(length, length+1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1),
	} {
		_, err := Parse(blob)
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for i := range blob {
		if err := Verify(blob[:i:i]); !errors.Is(err, ErrInvalid) {
			t.Errorf("the first %d bytes of a BLOB: %v", i, err)
		}
	}
}

func TestFamilyNames(t *testing.T) {
	for id, want := range map[ID]string{oak.ID: "oak", fir.ID: "fir", 0: "unknown (family 0)", 200: "unknown (family 200)"} {
		if got := id.String(); got != want {
			t.Errorf("family %d is %s, want %s", uint8(id), got, want)
		}
	}
	if again := Define(oak); again.ID != oak.ID {
		t.Error("a family cannot be defined again")
	}
	for _, f := range []Family{{ID: oak.ID, Name: "ash"}, {ID: 252, Name: "oak"}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("family %d can have the name %s", f.ID, f.Name)
				}
			}()
			Define(f)
		}()
	}
	if err := Differ("width", 1, 2); !errors.Is(err, ErrDiffer) || err.Error() != "sketches differ: width 1 vs 2; build both with the same width" {
		t.Error(err)
	}
}

// Whatever Parse accepts lies inside the bytes and is the same again after
// sealing.
func FuzzParse(f *testing.F) {
	for _, size := range [][2]int{{0, 0}, {16, 40}} {
		blob, _ := sample(size[0], size[1])
		f.Add(blob)
		f.Add(blob[:len(blob)-1])
	}
	f.Add([]byte("a text file that is longer than the header of a sketch is"))
	f.Fuzz(func(t *testing.T, blob []byte) {
		b, err := Parse(blob)
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		again := Join(b.Header, b.Params, b.Body)
		if err := Verify(again); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again, Seal(bytes.Clone(blob))) {
			t.Fatalf("%x joined again is %x", blob, again)
		}
	})
}

// A family of these tests: those of the project are not part of this program.
var (
	oak = Define(Family{ID: 250, Name: "oak", Article: "an"})
	fir = Define(Family{ID: 251, Name: "fir", Article: "a"})
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
