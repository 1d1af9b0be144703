package cuckoo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
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

// everyLayout returns parameters for all lengths of fingerprints and numbers of slots.
func everyLayout() (all []Params) {
	for f := uint64(MinFingerprintBits); f <= MaxFingerprintBits; f++ {
		for b := uint64(1); b <= MaxSlots; b++ {
			all = append(all, Params{FingerprintBits: f, Slots: b, Variant: Variant(f % 2)})
			if b > 1 {
				all = append(all, Params{FingerprintBits: f, Slots: b, Variant: Variant(f % 2), VariableLength: true})
			}
		}
	}
	return all
}

// A filter goes on after its BLOB as it would have without, whatever the order
// of the fingerprints in its memory. No key is lost.
func TestGoesOnAfterItsBlob(t *testing.T) {
	for _, p := range append(everyForm(), everyLayout()...) {
		p.Capacity, p.Duplicates = 100, true
		a, b := mustNew(t, p), mustNew(t, p)
		r := rand.New(rand.NewPCG(8, 9))
		var live [][2]uint64
		for step := range 1500 {
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
			for _, h := range live {
				if !a.Contains(h[0], h[1]) || b.Count(h[0], h[1]) == 0 {
					t.Fatalf("%s: after %d steps a key is gone", p.name(), step)
				}
			}
		}
	}
}

// A multiset counts values of Go, also those that were added by their bytes.
func TestCountString(t *testing.T) {
	s, err := New(Params{Capacity: 100, Duplicates: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := s.AddKey([]byte("oak"), 1); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.CountString("oak"); n != 3 || err != nil {
		t.Errorf("counted %d, %v", n, err)
	}
}
