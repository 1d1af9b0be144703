package sketch_test

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// keyedSketch is the interface of sketches of keys for these tests.
type keyedSketch interface {
	Blob() []byte
	UnionBlob(blob []byte) error
	SetKeyClass(key.Class) error
	Total() (uint64, bool)
	Saturated() bool
}

// keyedForm is the form of a sketch to which add adds a key.
func keyedForm(name string, s keyedSketch, n uint64, add func(k []byte, n uint64) error) form {
	class := key.Text
	if name == "sbf, range" {
		class = key.Int
	}
	must(0, s.SetKeyClass(class))
	for _, k := range []string{"oak     ", "elm     ", "ash     ", "yew     "} { // 8 bytes, as integers have
		must(0, add([]byte(k), n))
	}
	blob := s.Blob()
	f := form{name: name, blob: blob, never: sketch.Categorised | sketch.WithTotals, check: checks(blob, s.UnionBlob)}
	total, known := s.Total()
	if known && !s.Saturated() {
		f.totals = wrong(total)
	}
	return f
}

func unfailing(add func([]byte, uint64)) func([]byte, uint64) error {
	return func(k []byte, n uint64) error { add(k, n); return nil }
}

func keyedForms(t *testing.T) (all []form) {
	most := ^uint64(0)
	for _, c := range []struct {
		name   string
		params cms.Params
		n      uint64
		totals []uint64 // nil: all but the right one
	}{
		{"plain", cms.Params{Width: 21, Depth: 3}, 5, nil},
		{"plain, wide", cms.Params{Width: 21, Depth: 3}, 500, nil},
		{"plain, wider", cms.Params{Width: 21, Depth: 3}, 1 << 20, nil},
		{"plain, widest", cms.Params{Width: 21, Depth: 3}, 1 << 40, nil},
		{"full", cms.Params{Width: 21, Depth: 3}, most, []uint64{}},
		{"conservative", cms.Params{Width: 21, Depth: 3, Conservative: true}, 5, []uint64{0, 1, 4, 1000, most}},
	} {
		s := must(cms.New(c.params))
		f := keyedForm("cms, "+c.name, s, c.n, unfailing(s.AddKey))
		if c.totals != nil {
			f.totals = c.totals
		}
		all = append(all, f)
	}
	for _, c := range []struct {
		name   string
		params sbf.Params
		n      uint64
		totals []uint64
	}{
		{"ms", sbf.Params{Counters: 45, K: 3}, 5, nil},
		{"elias", sbf.Params{Counters: 45, K: 3, Encoding: sbf.Elias}, 5, nil},
		{"steps", sbf.Params{Counters: 45, K: 3, Encoding: sbf.Steps}, 5, nil},
		{"index", sbf.Params{Counters: 45, K: 3, Encoding: sbf.Index}, 5, nil},
		{"full", sbf.Params{Counters: 45, K: 3}, most, []uint64{}},
		{"mi", sbf.Params{Counters: 45, K: 3, Method: sbf.MI}, 5, []uint64{0, 1, 6, 1000, most}},
		{"rm", sbf.Params{Counters: 45, K: 3, Method: sbf.RM}, 5, nil},
		{"trm", sbf.Params{Counters: 45, K: 3, Method: sbf.TRM}, 5, nil},
		{"range", sbf.Params{Counters: 450, K: 3, Range: sbf.Range{Lo: 0, Hi: 1 << 62}}, 5, nil},
	} {
		s := must(sbf.New(c.params))
		f := keyedForm("sbf, "+c.name, s, c.n, s.AddKey)
		if c.totals != nil {
			f.totals = c.totals
		}
		if c.params.Method == sbf.RM { // marks end the body, 30 of two thirds of 45
			f.padding = bitsFrom(8*bodyOf(f)-2, 8)
		}
		if c.params.Encoding != sbf.Plain { // what follows the codes' parameters
			f.padding = append(f.padding, bitsFrom(8*2, 8*8)...)
			f.padding = append(f.padding, bitsFrom(16, 64)...)
		}
		all = append(all, f)
	}
	for _, c := range []struct {
		name   string
		params cbf.Params
		n      uint64
		totals []uint64
	}{
		{"plain", cbf.Params{Counters: 64, K: 3, Capacity: 20}, 1, nil},
		{"full", cbf.Params{Counters: 64, K: 3, Capacity: 20}, 100, []uint64{}},
		{"halves", cbf.Params{Counters: 64, K: 3, Capacity: 20, CounterBits: 8, VariableLength: true}, 1, nil},
		{"increment", cbf.Params{Counters: 64, K: 3, Capacity: 20, CounterBits: 8, Variant: cbf.Increment}, 1, []uint64{}},
		{"tandem", cbf.Params{Counters: 64, K: 3, Capacity: 20, CounterBits: 8, Variant: cbf.Tandem}, 1, []uint64{}},
	} {
		s := must(cbf.New(c.params))
		f := keyedForm("cbf, "+c.name, s, c.n, unfailing(s.AddKey))
		if c.totals != nil {
			f.totals = c.totals
		}
		all = append(all, f)
	}
	for _, c := range []struct {
		name   string
		params bloom.Params
		bits   int
	}{
		{"standard", bloom.Params{Bits: 83, K: 3}, 83},
		{"rational", bloom.Params{Bits: 83, K: 2.5, Variant: bloom.Rational}, 83},
		{"blocks", bloom.Params{Bits: 83, K: 2.5, Variant: bloom.Blocks}, 83},
	} {
		s := must(bloom.New(c.params))
		f := keyedForm("bloom, "+c.name, s, 5, unfailing(s.AddKey))
		f.totals = []uint64{0, 1}
		f.never |= sketch.Additive | sketch.Saturated
		f.padding = bitsFrom(c.bits, 64)
		all = append(all, f)
	}
	for _, c := range []struct {
		name   string
		params cuckoo.Params
		totals []uint64
	}{
		{"set", cuckoo.Params{Capacity: 10, FingerprintBits: 9, Slots: 3}, []uint64{0, 1, 3}},
		{"multiset", cuckoo.Params{Capacity: 10, FingerprintBits: 9, Slots: 3, Duplicates: true}, nil},
		{"variable", cuckoo.Params{Capacity: 10, FingerprintBits: 9, Slots: 3, VariableLength: true, Duplicates: true}, nil},
	} {
		s := must(cuckoo.New(c.params))
		f := keyedForm("cuckoo, "+c.name, s, 1, s.AddKey)
		if c.totals != nil {
			f.totals = c.totals
		}
		f.never |= sketch.Saturated
		view := must(cuckoo.NewView(f.blob))
		buckets := int(view.Info().Buckets)
		end := buckets * 9 * 3
		f.padding = bitsFrom(end, 8)
		for bit := (end + 7) / 8 * 8; bit < 8*bodyOf(f); bit++ {
			f.padding = append(f.padding, bit)
		}
		all = append(all, f)
	}
	return all
}

// bodyOf is the length of a form's body.
func bodyOf(f form) int { return len(must(sketch.Parse(f.blob)).Body) }
