package sketch_test

import (
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

const most = ^uint64(0)

// keyedSamples are sketches of four keys, n times each. If totals is nil, only the right total is valid.
// padding has stretches of bits of the body that are 0, from the end if they are negative.
var keyedSamples = []struct {
	name, params string
	n            uint64
	totals       []uint64
	padding      [2]int
}{
	{"cms, plain", `{"Width": 21, "Depth": 3}`, 5, nil, [2]int{}},
	{"cms, plain, wide", `{"Width": 21, "Depth": 3}`, 500, nil, [2]int{}},
	{"cms, plain, wider", `{"Width": 21, "Depth": 3}`, 1 << 20, nil, [2]int{}},
	{"cms, plain, widest", `{"Width": 21, "Depth": 3}`, 1 << 40, nil, [2]int{}},
	{"cms, full", `{"Width": 21, "Depth": 3}`, most, []uint64{}, [2]int{}},
	{"cms, conservative", `{"Width": 21, "Depth": 3, "Conservative": true}`, 5, []uint64{0, 1, 4, 1000, most}, [2]int{}},
	{"sbf, ms", `{"Counters": 45, "K": 3}`, 5, nil, [2]int{}},
	{"sbf, elias", `{"Counters": 45, "K": 3, "Encoding": 1}`, 5, nil, [2]int{16, 64}}, // after the code's parameters
	{"sbf, steps", `{"Counters": 45, "K": 3, "Encoding": 2}`, 5, nil, [2]int{16, 64}},
	{"sbf, index", `{"Counters": 45, "K": 3, "Encoding": 3}`, 5, nil, [2]int{16, 64}},
	{"sbf, full", `{"Counters": 45, "K": 3}`, most, []uint64{}, [2]int{}},
	{"sbf, mi", `{"Counters": 45, "K": 3, "Method": 1}`, 5, []uint64{0, 1, 6, 1000, most}, [2]int{}},
	{"sbf, rm", `{"Counters": 30, "K": 3, "Method": 2}`, 5, nil, [2]int{-2, 0}}, // 30 marks end the body
	{"sbf, trm", `{"Counters": 30, "K": 3, "Method": 3}`, 5, nil, [2]int{}},
	{"sbf, range", `{"Counters": 450, "K": 3, "Range": {"Lo": 0, "Hi": 4611686018427387904}}`, 5, nil, [2]int{}},
	{"cbf, plain", `{"Counters": 64, "K": 3, "Capacity": 20}`, 1, nil, [2]int{}},
	{"cbf, full", `{"Counters": 64, "K": 3, "Capacity": 20}`, 100, []uint64{}, [2]int{}},
	{"cbf, halves", `{"Counters": 64, "K": 3, "Capacity": 20, "CounterBits": 8, "VariableLength": true}`, 1, nil, [2]int{}},
	{"cbf, increment", `{"Counters": 64, "K": 3, "Capacity": 20, "CounterBits": 8, "Variant": 1}`, 1, []uint64{}, [2]int{}},
	{"cbf, tandem", `{"Counters": 64, "K": 3, "Capacity": 20, "CounterBits": 8, "Variant": 2}`, 1, []uint64{}, [2]int{}},
	{"bloom, standard", `{"Bits": 83, "K": 3}`, 5, []uint64{0, 1}, [2]int{83, 128}},
	{"bloom, rational", `{"Bits": 83, "K": 2.5, "Variant": 1}`, 5, []uint64{0, 1}, [2]int{83, 128}},
	{"bloom, blocks", `{"Bits": 83, "K": 2.5, "Variant": 2}`, 5, []uint64{0, 1}, [2]int{83, 128}},
	// Eight buckets of 27 bits, and seven bytes.
	{"cuckoo, set", `{"Capacity": 10, "FingerprintBits": 9, "Slots": 3}`, 1, []uint64{0, 1, 3}, [2]int{216, 272}},
	{"cuckoo, multiset", `{"Capacity": 10, "FingerprintBits": 9, "Slots": 3, "Duplicates": true}`, 1, nil, [2]int{216, 272}},
	{"cuckoo, variable", `{"Capacity": 10, "FingerprintBits": 9, "Slots": 3, "VariableLength": true, "Duplicates": true}`, 1, nil, [2]int{216, 272}},
}

func keyedForms() (all []form) {
	for _, c := range keyedSamples {
		family, _, _ := strings.Cut(c.name, ",")
		i := slices.IndexFunc(filters.Keyed(), func(f keyed.Any) bool { return f.About().Name == family })
		f := filters.Keyed()[i]
		s := must(f.Make(must(f.ReadParams([]byte(c.params)))))
		class := key.Text
		if keyed.ByValue(s) {
			class = key.Int
		}
		base := keyed.BaseOf(s)
		must(0, base.SetKeyClass(class))
		for _, k := range []string{"oak     ", "elm     ", "ash     ", "yew     "} { // 8 bytes, as integers have
			must(0, f.AddKey(s, []byte(k), c.n))
		}
		blob := s.Blob()
		h := must(sketch.Parse(blob))
		one := form{
			name: c.name, blob: blob, totals: c.totals, never: sketch.Categorised | sketch.WithTotals,
			check: checks(blob, func(damaged []byte) error { return f.UnionBlob(must(f.Load(blob)), damaged) }),
		}
		if c.totals == nil {
			one.totals = wrong(h.Total)
		}
		switch family {
		case "bloom":
			one.never |= sketch.Additive | sketch.Saturated
		case "cuckoo":
			one.never |= sketch.Saturated
		}
		for bit := c.padding[0]; bit < c.padding[1]; bit++ {
			one.padding = append(one.padding, (bit+8*len(h.Body))%(8*len(h.Body)))
		}
		all = append(all, one)
	}
	return all
}
