package keyed

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// note is a sketch that keeps nothing.
type note struct{ Base }

func (*note) Bytes() int        { return 0 }
func (*note) Reset()            {}
func (*note) Blob() []byte      { return nil }
func (*note) Union(*note) error { return nil }
func (n *note) Clone() *note    { return n }

func (*note) AddKey([]byte, uint64)                     {}
func (*note) AddHashes(_, _, _ []uint64)                {}
func (*note) ContainsHashes([]bool, []uint64, []uint64) {}

type noteSpec = Spec[struct{ Seed uint64 }, *note, note]

// wholeNote lacks nothing.
func wholeNote() noteSpec {
	return noteSpec{
		ID: 249, Name: "note", Article: "a", Noun: "note", Title: "Notes", About: "Notes.",
		Summaries: Summaries{Agg: "Note.", Info: "All of it."},
		Options:   Options[struct{ Seed uint64 }]{SeedOption(func(p *struct{ Seed uint64 }) *uint64 { return &p.Seed })},
		Defaults:  func(*struct{ Seed uint64 }) {},
		New:       func(struct{ Seed uint64 }) (*note, error) { return nil, errors.New("none") },
		Empty:     func(struct{ Seed uint64 }) (bytes, seed uint64, err error) { return 0, 0, nil },
		View:      func([]byte) (note, error) { return note{}, nil },
		Check:     func(*note) error { return nil },
		Sketch:    func(*note) *note { return nil },
		Questions: []Question{{Kind: Whether, Verb: "contains", Summary: "Whether a key is there."}},
		Info:      InfoOf(func(*note) Common { return Common{} }),
		Words:     func(*note) string { return "" },
		Rows:      func(*note) ([][]uint64, error) { return nil, nil },
		Laws:      func(struct{ Seed uint64 }) sketch.Laws { return sketch.Laws{} },
		Samples:   []Sample{{}},
	}
}

// A Spec that lacks a field is refused when the program starts, with the field's name. Otherwise a nil
// function would fail in the middle of a query.
func TestDefineIncomplete(t *testing.T) {
	for want, drop := range map[string]func(s *noteSpec){
		"ID, Name":                             func(s *noteSpec) { s.ID, s.Name = 0, "" },
		"New, View, Sketch":                    func(s *noteSpec) { s.New, s.View, s.Sketch = nil, nil, nil },
		"Summaries":                            func(s *noteSpec) { s.Summaries.Agg = "" },
		"Questions, Info":                      func(s *noteSpec) { s.Questions, s.Info = nil, Info[note]{} },
		"Sketch.CountHashes, View.CountHashes": func(s *noteSpec) { s.Questions[0].Kind = HowOften },
	} {
		s := wholeNote()
		drop(&s)
		if got := panicOf(func() { Define(s) }); !strings.HasSuffix(got, " has no "+want) {
			t.Errorf("without %s: %q", want, got)
		}
	}
	if got := panicOf(func() { Define(wholeNote()) }); got != "" {
		t.Errorf("a whole Spec: %s", got)
	}
	other := wholeNote()
	other.Name = "notes"
	if got := panicOf(func() { Define(other) }); !strings.Contains(got, "family 249 is note") {
		t.Errorf("a number that is taken: %q", got)
	}
}

// panicOf returns the text with which f panics, empty if it does not.
func panicOf(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

// A family without removal says so.
func TestUnsupported(t *testing.T) {
	spec := wholeNote()
	spec.ID, spec.Name = 248, "jotter"
	f := Define(spec)
	for what, ask := range map[string]func() error{
		"remove":   func() error { return f.RemoveKey(&note{}, nil, 1) },
		"subtract": func() error { return f.SubtractBlob(&note{}, nil) },
	} {
		if err := ask(); !errors.Is(err, sketch.ErrUnsupported) || !strings.Contains(err.Error(), "a jotter sketch") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestTotal(t *testing.T) {
	b := New(7, sketch.Additive)
	Grow(&b, 5)
	if !Shrink(&b, 2) || b.total != 3 || Shrink(&b, 4) || b.total != 3 {
		t.Errorf("total %d after +5 -2 and a -4 that must be refused", b.total)
	}
	Grow(&b, math.MaxUint64-3)
	if n, known := b.Total(); n != math.MaxUint64 || !known {
		t.Errorf("the largest total is %d, known %v", n, known)
	}
	Grow(&b, 1)
	if n, known := b.Total(); n != 0 || known {
		t.Errorf("past the largest total: %d, known %v", n, known)
	}
	Grow(&b, 1)
	if n, _ := b.Total(); n != 0 || !Shrink(&b, 9) {
		t.Errorf("an unknown total became %d", n)
	}
}

func TestSaturated(t *testing.T) {
	a, full := New(7, sketch.Additive), New(7, 0)
	SetSaturated(&full, true)
	if Unite(&a, full); !a.Saturated() {
		t.Error("united with a saturated sketch, it is not saturated")
	}
	if SetSaturated(&a, false); a.Saturated() || !a.Additive() {
		t.Errorf("flags %#x after saturation was cleared", a.flags)
	}
}
