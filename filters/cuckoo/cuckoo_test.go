package cuckoo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func mustNew(t testing.TB, p Params) *Sketch { t.Helper(); return conform.Made(t, Family, p) }

func TestOptions(t *testing.T) {
	for want, p := range map[string]Params{
		`option "fingerprint_bits" is 3, must be from 4 to 32`:                            {FingerprintBits: 3},
		`option "fingerprint_bits" is 33, must be from 4 to 32`:                           {FingerprintBits: 33},
		`option "slots" is 9, must be from 1 to 8`:                                        {Slots: 9},
		`option "max_kicks" is 100001, must be from 1 to 100000`:                          {MaxKicks: 100_001},
		`option "variant" is 2, must be 0 or 1`:                                           {Variant: 2},
		`option "variable_length" is true with "slots" 1`:                                 {Slots: 1, VariableLength: true},
		`option "capacity" is 18446744073709551615, which needs more than the 1073741824`: {Capacity: math.MaxUint64},
		`option "capacity" is 700000000, which needs more than the 1073741824 bytes`:      {Capacity: 700_000_000, FingerprintBits: 12, Variant: Tagged},
		`option "capacity" is 600000000, which needs more than the 1073741824 bytes`:      {Capacity: 600_000_000, FingerprintBits: 12},
	} {
		if _, err := New(p); !errors.Is(err, sketch.ErrOption) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", p, err, want)
		}
	}
	s := mustNew(t, Params{})
	if p := s.Params(); p != (Params{Capacity: 100_000, FingerprintBits: 12, Slots: 4, MaxKicks: 500}) || s.Buckets() != 1<<15 {
		t.Errorf("defaults %+v, %d buckets", p, s.Buckets())
	}
	if Plain.String() != "plain" || Tagged.String() != "tagged" {
		t.Error("names of variants")
	}
}

// More moves fill a filter further, and the error says how many were made. A filter that is
// read from its BLOB has the default.
func TestMaxKicks(t *testing.T) {
	taken := make(map[uint64]uint64)
	for _, kicks := range []uint64{1, 10, 500} {
		s := mustNew(t, Params{Buckets: 1 << 10, Slots: 2, MaxKicks: kicks})
		var err error
		for i := uint64(0); err == nil; i++ {
			err = s.AddKey(binary.BigEndian.AppendUint64(nil, i), 1)
		}
		if want := fmt.Sprintf(" and %d moves made no room", kicks); !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		taken[kicks] = s.Stored()
		read, err := Decode(s.Blob())
		if err != nil || read.Params().MaxKicks != DefaultMaxKicks {
			t.Errorf("of %d kicks: read %+v, %v", kicks, read.Params(), err)
		}
	}
	if taken[1] >= taken[10] || taken[10] >= taken[500] {
		t.Errorf("fingerprints of a full filter, by kicks: %v", taken)
	}
}

// A set takes a key once, whatever its weight; its total counts occurrences.
func TestSet(t *testing.T) {
	for _, variable := range []bool{false, true} {
		s := mustNew(t, Params{VariableLength: variable})
		for i := range uint64(3) {
			if err := s.AddKey([]byte("oak"), i); err != nil { // 0, 1 and 2 times
				t.Fatal(err)
			}
		}
		total, _ := s.Total()
		if s.Stored() != 1 || total != 3 || s.CountKey([]byte("oak")) != 1 || !s.ContainsKey([]byte("oak")) || s.ContainsKey([]byte("elm")) {
			t.Errorf("stored %d, total %d", s.Stored(), total)
		}
		before := s.Blob()
		if err := s.RemoveKey([]byte("oak"), 1); !errors.Is(err, sketch.ErrNotAdditive) {
			t.Errorf("removing from a set: %v", err)
		}
		if !bytes.Equal(before, s.Blob()) {
			t.Error("a refused removal changed the filter")
		}
	}
}

func TestMultiset(t *testing.T) {
	for _, p := range everyForm() {
		p.Duplicates = true
		s := mustNew(t, p)
		most := 2 * s.params.Slots
		for n := uint64(1); n <= most; n++ {
			if err := s.AddKey([]byte("oak"), 1); err != nil || s.CountKey([]byte("oak")) != n {
				t.Fatalf("%s: occurrence %d: count %d, error %v", p.name(), n, s.CountKey([]byte("oak")), err)
			}
		}
		before := s.Blob()
		for _, n := range []uint64{1, 2, math.MaxUint64} {
			err := s.AddKey([]byte("oak"), n)
			if want := fmt.Sprintf("it is there %d times and %d more cannot be added, because its two buckets of %d slots hold %d", most, n, most/2, most); !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", p.name(), err, want)
			}
		}
		if err := s.RemoveKey([]byte("oak"), most+1); !errors.Is(err, sketch.ErrTooMany) {
			t.Errorf("removing more than there are: %v", err)
		}
		if err := s.RemoveKey([]byte("elm"), 1); !errors.Is(err, sketch.ErrTooMany) {
			t.Errorf("removing what is not there: %v", err)
		}
		if !bytes.Equal(before, s.Blob()) {
			t.Errorf("%s: errors changed the filter", p.name())
		}
		if err := s.RemoveKey([]byte("oak"), most); err != nil || s.Stored() != 0 || s.ContainsKey([]byte("oak")) {
			t.Errorf("%s: removing all: %v, %d are left", p.name(), err, s.Stored())
		}
		if total, known := s.Total(); total != 0 || !known {
			t.Errorf("total %d", total)
		}
		if empty := mustNew(t, p); !bytes.Equal(empty.Blob(), s.Blob()) {
			t.Errorf("%s: emptied, it is not as it was", p.name())
		}
	}
}

// The other bucket is an involution without fixed points, whatever the number of buckets.
func TestOtherBucket(t *testing.T) {
	for _, variant := range []Variant{Plain, Tagged} {
		for _, capacity := range []uint64{1, 5, 100, 1000, 77_777} {
			s := mustNew(t, Params{Capacity: capacity, Variant: variant})
			for h := range uint64(200_000) {
				h1, h2 := key.HashUint64(3, h)
				i, v := s.first(h1), s.fingerprintOf(h2)
				j := s.other(i, v)
				if i >= s.buckets || j >= s.buckets || i == j || s.other(j, v) != i {
					t.Fatalf("%v, %d buckets: %d and %d and %d", variant, s.buckets, i, j, s.other(j, v))
				}
				if v == 0 || v > s.base {
					t.Fatalf("fingerprint %d", v)
				}
			}
		}
	}
}

// The layouts of every length and number of slots have the codes of the paper's figure 2. Fields do not
// overlap, and each class has enough bits for the next.
func TestLayouts(t *testing.T) {
	l := layoutOf(12, 4, true)
	// Slot 0 is the lowest bit: 010, 100, 101, 110.
	if want := [4]uint64{0b010, 0b001, 0b101, 0b011}; [4]uint64(l.code[:4]) != want || l.codeShift != 45 {
		t.Errorf("codes %03b from bit %d on", l.code[:4], l.codeShift)
	}
	for code, n := range [8]uint8{4, 1, 0, 3, 4, 2, 4, 4} {
		if l.class[code].n != n {
			t.Errorf("code %03b has %d fingerprints, want %d", code, l.class[code].n, n)
		}
	}
	for f := uint(MinFingerprintBits); f <= MaxFingerprintBits; f++ {
		for b := uint(2); b <= MaxSlots; b++ {
			l := layoutOf(f, b, true)
			codes := map[uint64]bool{}
			for n := uint(1); n < b; n++ {
				c := &l.class[l.code[n]]
				codes[l.code[n]] = true
				used := make([]int, l.bits)
				mark := func(from, n uint) {
					for i := range n {
						used[from+i]++
					}
				}
				mark(0, n*l.lane)
				mark(l.codeShift, l.bits-l.codeShift)
				if c.flag {
					mark(uint(c.flagAt), 1)
				}
				for j := range n {
					mark(uint(c.start[j]), uint(c.width[j]))
					if w := c.width[j]; w < 1 || uint(w)+l.lane > hashBits || c.mask[j] != 1<<w-1 || w > 1 && !c.flag {
						t.Fatalf("%d x %d, %d of them: field %d has %d bits", b, f, n, j, w)
					}
					// Whatever slot a fingerprint had, in the next class it needs
					// no more than it had here.
					if n+1 < b && l.class[l.code[n+1]].width[0] > c.width[j] {
						t.Fatalf("%d x %d: a field of %d bits among %d, of %d before", b, f, l.class[l.code[n+1]].width[0], n+1, c.width[j])
					}
				}
				for i, times := range used {
					if times > 1 {
						t.Fatalf("%d x %d, %d of them: bit %d is used twice", b, f, n, i)
					}
				}
			}
			if codes[l.code[0]] || uint(len(codes)) != b-1 {
				t.Fatalf("%d slots: codes %b", b, l.code[:b])
			}
			// A code is a full bucket's where its markers, slot 0 first, ascend.
			m := markers(b)
			for code := range uint64(1) << m {
				full := bits.Reverse64(code)>>(64-m)&(bits.Reverse64(code)>>(64-m)+1) == 0
				at := code << (l.bits - l.codeShift - m)
				if (uint(l.class[at].n) == b) != full {
					t.Fatalf("%d slots: code %b has %d", b, code, l.class[at].n)
				}
			}
			if free := 1<<m - (m + 1); b > 2 && free < b {
				t.Fatalf("%d slots: %d codes", b, free)
			}
		}
	}
}

// Lengths of fingerprints of the default bucket: 48 bits, of which 3 are
// markers and 1 says whether lengths are marked.
func TestLengths(t *testing.T) {
	for f, want := range map[uint][][]uint{
		12: {{44}, {22, 22}, {15, 15, 14}},
		8:  {{28}, {14, 14}, {9, 9, 10}},
		16: {{60}, {30, 30}, {20, 20, 20}},
		32: {{63}, {62, 62}, {41, 41, 42}},
		4:  {{12}, {6, 6}, {4, 4, 4}},
	} {
		l := layoutOf(f, 4, true)
		for n := 1; n < 4; n++ {
			c := &l.class[l.code[n]]
			for j, bits := range want[n-1] {
				if got := l.lane + uint(c.width[j]); got != bits {
					t.Errorf("%d bits, %d fingerprints: number %d has %d, want %d", f, n, j, got, bits)
				}
			}
		}
	}
}

// The paths for one word do what those for any bucket do, bit for bit.
func TestWordsAndBits(t *testing.T) {
	for f := uint64(MinFingerprintBits); f <= 16; f++ {
		for b := uint64(1); b <= MaxSlots; b++ {
			for _, variable := range []bool{false, true} {
				p := Params{Capacity: 60, FingerprintBits: f, Slots: b, VariableLength: variable, Duplicates: true, Variant: Variant(f % 2)}
				if variable && b == 1 || !layoutOf(uint(f), uint(b), variable).narrow {
					continue
				}
				fast, slow := mustNew(t, p), mustNew(t, p)
				l := *slow.layout
				l.narrow = false
				slow.layout = &l
				compareForms(t, fast, slow)
			}
		}
	}
}

func compareForms(t *testing.T, fast, slow *Sketch) {
	t.Helper()
	r := rand.New(rand.NewPCG(fast.params.FingerprintBits, fast.params.Slots))
	var live [][2]uint64
	for step := range 1000 {
		if r.IntN(100) < 55 {
			h := [2]uint64{r.Uint64(), r.Uint64() | 1}
			add := fast.Add
			if step%3 == 0 {
				add = func(h1, h2, _ uint64) error { return fast.AddHashes(h[:1], h[1:], nil) }
			}
			a, b := add(h[0], h[1], 1), slow.Add(h[0], h[1], 1)
			if (a == nil) != (b == nil) {
				t.Fatalf("%s: %v, %v", fast.params.name(), a, b)
			}
			if a == nil {
				live = append(live, h)
			}
		} else if len(live) > 0 {
			k := r.IntN(len(live))
			h := live[k]
			live[k] = live[len(live)-1]
			live = live[:len(live)-1]
			if a, b := fast.Remove(h[0], h[1], 1), slow.Remove(h[0], h[1], 1); a != nil || b != nil {
				t.Fatalf("%s: %v, %v", fast.params.name(), a, b)
			}
		}
		if step%50 == 0 {
			emptyAbove(t, fast)
			blob := fast.Blob()
			if !bytes.Equal(blob, slow.Blob()) {
				t.Fatalf("%s: other bytes after %d steps", fast.params.name(), step)
			}
			if err := Check(blob); err != nil {
				t.Fatal(err)
			}
		}
		h := [2]uint64{r.Uint64(), r.Uint64() | 1}
		if len(live) > 0 && step%2 == 0 {
			h = live[r.IntN(len(live))]
		}
		var dst [1]bool
		fast.ContainsHashes(dst[:], h[:1], h[1:])
		if n := slow.Count(h[0], h[1]); fast.Count(h[0], h[1]) != n || fast.Contains(h[0], h[1]) != (n > 0) || dst[0] != (n > 0) || slow.Contains(h[0], h[1]) != (n > 0) {
			t.Fatalf("%s: counts %d and %d", fast.params.name(), fast.Count(h[0], h[1]), n)
		}
	}
	for _, h := range live {
		if !fast.Contains(h[0], h[1]) {
			t.Fatalf("%s: a key is not there", fast.params.name())
		}
	}
}

// emptyAbove checks that in buckets of fixed length no fingerprint is above an empty slot. enter relies
// on it to find the emptier of two.
func emptyAbove(t *testing.T, s *Sketch) {
	t.Helper()
	for i := uint64(0); i < s.buckets && !s.variable; i++ {
		for k, empty := uint64(0), false; k < uint64(s.b); k++ {
			none := s.get(i*uint64(s.bits)+k*uint64(s.f), s.f) == 0
			if empty && !none {
				t.Fatalf("%s: slot %d of bucket %d is taken, one below it is not", s.params.name(), k, i)
			}
			empty = empty || none
		}
	}
}

// A filter goes on after its BLOB as it would have without, whatever the order
// of the fingerprints in its memory.
func TestGoesOnAfterItsBlob(t *testing.T) {
	for _, p := range everyForm() {
		p.Capacity, p.Duplicates = 400, true
		a, b := mustNew(t, p), mustNew(t, p)
		r := rand.New(rand.NewPCG(8, 9))
		var live [][2]uint64
		for step := range 4000 {
			h := [2]uint64{r.Uint64(), r.Uint64() | 1}
			if r.IntN(100) < 55 || len(live) == 0 {
				if a.Add(h[0], h[1], 1) == nil {
					live = append(live, h)
				}
				_ = b.Add(h[0], h[1], 1)
			} else {
				k := r.IntN(len(live))
				h, live[k] = live[k], live[len(live)-1]
				live = live[:len(live)-1]
				if a.Remove(h[0], h[1], 1) != nil || b.Remove(h[0], h[1], 1) != nil {
					t.Fatal("a key is gone")
				}
			}
			if step%40 != 0 {
				continue
			}
			blob := b.Blob()
			if !bytes.Equal(a.Blob(), blob) {
				t.Fatalf("%s: after %d steps the BLOBs differ", p.name(), step)
			}
			var err error
			if b, err = Decode(blob); err != nil {
				t.Fatal(err)
			}
		}
	}
}
