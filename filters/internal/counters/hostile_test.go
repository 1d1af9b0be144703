package counters

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// exercise reads any bytes as n counters in every way. It reports whether Check finds them valid. If so,
// they must be the bytes that their counters are written as.
func exercise(t *testing.T, e Encoding, n int, body []byte) (valid bool) {
	t.Helper()
	keep := bytes.Clone(body)
	v, err := Open(e, n, body)
	if err != nil {
		if !errors.Is(err, sketch.ErrInvalid) {
			t.Fatal(err)
		}
		return false
	}
	got := make([]uint64, n)
	v.Unpack(0, got)
	err = v.Check()
	for i := range got {
		if c := v.At(i); c != got[i] && err == nil {
			t.Fatalf("counter %d is %d, unpacked %d", i, c, got[i])
		}
	}
	if !bytes.Equal(keep, body) {
		t.Fatal("reading changed the bytes")
	}
	if err != nil {
		if !errors.Is(err, sketch.ErrInvalid) {
			t.Fatal(err)
		}
		return false
	}
	if !bytes.Equal(Encode(nil, e, slice(got)), body) {
		t.Fatal("two spellings of the same counters")
	}
	return true
}

// Every truncation of small bodies and every flipped bit, or some of many, is refused or is the only body
// of other counters.
func TestDamage(t *testing.T) {
	forEach(t, func(t *testing.T, e Encoding) {
		r := rand.New(rand.NewPCG(9, uint64(e)))
		for kind := range kinds {
			for _, n := range []int{1, 5, 64, 70, 130} {
				body := Encode(nil, e, slice(values(kind, n, r)))
				if !exercise(t, e, n, body) {
					t.Fatal("a body that was just written is refused")
				}
				for cut := range body {
					if exercise(t, e, n, body[:cut]) {
						t.Fatalf("kind %d, %d counters: %d of %d bytes are taken", kind, n, cut, len(body))
					}
				}
				if exercise(t, e, n, append(bytes.Clone(body), 0)) {
					t.Fatal("a byte too many is taken")
				}
				step := 1 + len(body)/60
				for bit := r.IntN(step); bit < len(body)*8; bit += step {
					body[bit/8] ^= 1 << (bit % 8)
					exercise(t, e, n, body)
					body[bit/8] ^= 1 << (bit % 8)
				}
			}
		}
	})
}

// Random bytes, and bytes that are all alike, with no more memory than 16
// times theirs and 64 KiB.
func TestHostileMemory(t *testing.T) {
	forEach(t, func(t *testing.T, e Encoding) {
		r := rand.New(rand.NewPCG(10, uint64(e)))
		for range 300 {
			body := make([]byte, 8+r.IntN(1<<uint(4+r.IntN(11))))
			fill := byte(r.Uint32())
			for i := range body[8:] {
				switch {
				case fill >= 128:
					body[8+i] = byte(r.Uint32())
				case fill >= 64:
					body[8+i] = fill << 1
				}
			}
			switch e {
			case Index:
				body[0], body[1] = byte(r.IntN(50)), byte(r.IntN(5))
			case Steps:
				body[0] = byte(r.IntN(len(stepCodes)))
			}
			// As many counters as there may be in so few bytes.
			for _, n := range []int{len(body), len(body) * 4, (len(body) - 8) / codedRecord * blockLen, (len(body) - 8) / indexRecord * blockLen} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				v, err := Open(e, max(n, 1), body)
				if err == nil {
					err = v.Check()
				}
				runtime.ReadMemStats(&after)
				if got, most := after.TotalAlloc-before.TotalAlloc, uint64(16*len(body)+64<<10); got > most {
					t.Fatalf("%d bytes as %d counters took %d bytes, at most %d are allowed", len(body), n, got, most)
				}
				if err == nil && !bytes.Equal(Encode(nil, e, &v), body) {
					t.Fatal("two spellings of the same counters")
				}
			}
		}
	})
}

func FuzzBody(f *testing.F) {
	r := rand.New(rand.NewPCG(11, 11))
	for _, e := range all {
		for kind := range kinds {
			n := 1 + r.IntN(100)
			f.Add(uint8(e), uint16(n), Encode(nil, e, slice(values(kind, n, r))))
		}
	}
	f.Fuzz(func(t *testing.T, e uint8, n uint16, body []byte) {
		exercise(t, Encoding(int(e)%len(names)), int(n%1000)+1, body)
	})
}
