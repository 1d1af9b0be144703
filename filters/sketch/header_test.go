package sketch

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

func sample(params, body int) ([]byte, Header) {
	h := Header{Family: fir.ID, Flags: Additive | TotalKnown, KeyClass: 3, Levels: 2, Seed: 0x1122334455667788, Total: 99}
	blob, b := New(fir.ID, params, body)
	r := rand.New(rand.NewPCG(1, 2))
	for _, part := range [][]byte{b.Params, b.Body} {
		for i := range part {
			part[i] = byte(r.Uint32())
		}
	}
	return Seal(blob, h), h
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

func TestTruncations(t *testing.T) {
	blob, _ := sample(16, 40)
	for i := range blob {
		if _, err := Parse(blob[:i:i]); !errors.Is(err, ErrInvalid) {
			t.Errorf("%d bytes: %v", i, err)
		}
		if err := Verify(blob[:i:i]); !errors.Is(err, ErrInvalid) {
			t.Errorf("%d bytes, checksum: %v", i, err)
		}
	}
	if _, err := Parse(append(bytes.Clone(blob), 0)); !errors.Is(err, ErrInvalid) {
		t.Errorf("a byte too many: %v", err)
	}
}

// A flipped bit is noticed by Parse or by Verify, and what Parse lets through
// has the lengths of the original.
func TestBitFlips(t *testing.T) {
	blob, _ := sample(16, 40)
	for i := range 8 * len(blob) {
		blob[i/8] ^= 1 << (i % 8)
		b, err := Parse(blob)
		if err == nil && len(b.Params)+len(b.Body) != 56 {
			t.Errorf("bit %d: %d and %d bytes", i, len(b.Params), len(b.Body))
		}
		if err != nil && !errors.Is(err, ErrInvalid) {
			t.Errorf("bit %d: %v", i, err)
		}
		if err := Verify(blob); !errors.Is(err, ErrChecksum) {
			t.Errorf("bit %d, checksum: %v", i, err)
		}
		blob[i/8] ^= 1 << (i % 8)
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	change := func(at int, to ...byte) []byte {
		blob, _ := sample(16, 40)
		copy(blob[at:], to)
		return blob
	}
	for want, blob := range map[string][]byte{
		"0 bytes, a header alone has 48":                            nil,
		`the bytes begin with "SELE", a sketch with`:                []byte(strings.Repeat("SELECT 42; ", 9)),
		"format version 0, this program reads 1 to 1":               change(4, 0),
		"format version 9, this program reads 1 to 1":               change(4, 9),
		"hash version 2, this program knows 1":                      change(12, 2),
		"unknown flags 0x8000":                                      change(6, 1, 0x80),
		"reserved bytes are not 0":                                  change(47, 1),
		"parameters of 8192 bytes, at most 4096 are allowed":        change(40, 0, 32),
		"the header promises 16 bytes of parameters and 41 of body": change(32, 41),
		"the header promises 16 bytes of parameters and 184467440":  change(32, bytes.Repeat([]byte{0xff}, 8)...),
		"total 99 in a sketch whose total is unknown":               change(6, 1),
	} {
		_, err := Parse(blob)
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
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
	if err := Differ("width", 1, 2); !errors.Is(err, ErrDiffer) || err.Error() != "sketches differ: width 1 vs 2" {
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
		if HeaderSize+len(b.Params)+len(b.Body) != len(blob) {
			t.Fatalf("%d bytes have parts of %d and %d", len(blob), len(b.Params), len(b.Body))
		}
		again, parts := New(b.Family, len(b.Params), len(b.Body))
		copy(parts.Params, b.Params)
		copy(parts.Body, b.Body)
		Seal(again, b.Header)
		if err := Verify(again); err != nil {
			t.Fatal(err)
		}
		if Verify(blob) == nil && !bytes.Equal(again, blob) && blob[4] == Version {
			t.Fatalf("%x sealed again is %x", blob, again)
		}
	})
}
