package sbf

import "testing"

// TestValues: the counters sum to k for every occurrence, because method ms adds one to each. An index
// has parts, which sum to its memory.
func TestValues(t *testing.T) {
	for _, e := range []Encoding{Plain, Elias, Steps, Index} {
		s, err := New(Params{Counters: 1000, K: 3, Encoding: e})
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint64(500) {
			s.Add(i<<32, i<<1|1, i%7)
		}
		total, _ := s.Total()
		sum := uint64(0)
		for _, v := range s.Values() {
			sum += v
		}
		if sum != 3*total {
			t.Errorf("%v: counters sum to %d, want %d", e, sum, 3*total)
		}
		parts, ok := s.IndexParts()
		if ok != (e == Index) {
			t.Errorf("%v: parts %v", e, ok)
		}
		if ok && parts.Total() != 8*uint64(s.first.bytes()) {
			t.Errorf("parts sum to %d bits of %d bytes", parts.Total(), s.first.bytes())
		}
	}
}
