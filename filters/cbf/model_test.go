package cbf

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// model is the structure written down once more, slowly: every counter keeps
// the list of what was added to it. Nothing is ever stuck.
type model struct {
	p      Params
	words  uint64
	per    uint64
	halves bool
	lists  [2]map[uint64][]uint64 // lower and upper halves: what a counter holds
	signed [2]map[uint64][2]uint64
	total  uint64
}

func newModel(p Params) *model {
	m := &model{p: p, per: 64 / p.CounterBits, halves: p.VariableLength}
	m.words = (p.Counters + m.per - 1) / m.per
	for i := range m.lists {
		m.lists[i], m.signed[i] = map[uint64][]uint64{}, map[uint64][2]uint64{}
	}
	return m
}

// draw is floor(x*n/2^64) and what is left, as docs/FORMAT.md has it.
func draw(x, n uint64) (uint64, uint64) {
	product := new(big.Int).Mul(new(big.Int).SetUint64(x), new(big.Int).SetUint64(n))
	high := new(big.Int).Rsh(product, 64)
	low := new(big.Int).Sub(product, new(big.Int).Lsh(high, 64))
	return high.Uint64(), low.Uint64()
}

type occurrence struct {
	half        int
	counter, v  uint64
	times, note uint64
}

func (m *model) occurrences(id uint64) []occurrence {
	return m.hashed(key.HashUint64(m.p.Seed, id))
}

func (m *model) hashed(h1, h2 uint64) (os []occurrence) {
	for i := range m.p.K {
		x := h1 + (i+1)*h2
		x = (x ^ x>>32) * 0x9e3779b97f4a7c15
		word, x := draw(x, m.words)
		for half := range 2 {
			o := occurrence{half: half, v: 1}
			o.counter, x = draw(x, m.per)
			o.counter += word * m.per
			if m.p.Variant != Plain {
				o.v, x = draw(x, m.p.Increment)
				o.v += m.p.Increment
			}
			if m.p.Variant == Tandem {
				var y uint64
				o.times, y = draw(x, 3)
				o.note, _ = draw(y, m.p.Increment-1)
				x <<= 8
			}
			if half == 0 || m.halves {
				os = append(os, o)
			}
		}
	}
	return os
}

func (m *model) add(id, n uint64) {
	m.total += n
	if m.halves && float64(m.total) > m.p.Alpha*float64(m.p.Capacity) {
		m.halves = false
	}
	for _, o := range m.occurrences(id) {
		lists, signed := m.lists[o.half], m.signed[o.half]
		if n == 1 && len(lists[o.counter])+len(lists[o.counter^1]) == 0 {
			signed[o.counter] = [2]uint64{o.times, o.note}
		} else {
			delete(signed, o.counter)
			delete(signed, o.counter^1)
		}
		for range n {
			lists[o.counter] = append(lists[o.counter], o.v)
		}
	}
}

// remove takes an occurrence that is there.
func (m *model) remove(id uint64) {
	m.total--
	for _, o := range m.occurrences(id) {
		list := m.lists[o.half][o.counter]
		for i, v := range list {
			if v == o.v {
				m.lists[o.half][o.counter] = append(list[:i:i], list[i+1:]...)
				break
			}
		}
		delete(m.signed[o.half], o.counter)
	}
}

func (m *model) contains(id uint64) bool {
	for _, o := range m.occurrences(id) {
		list := m.lists[o.half][o.counter]
		sum := uint64(0)
		for _, v := range list {
			sum += v
		}
		signature, signed := m.signed[o.half][o.counter]
		switch {
		case len(list) == 0:
			return false
		case m.p.Variant == Plain:
		case m.p.Variant == Tandem && signed:
			if list[0] != o.v || signature != [2]uint64{o.times, o.note} {
				return false
			}
		case sum != o.v && sum < o.v+m.p.Increment:
			return false
		}
	}
	return true
}

// The filter answers as the model does, for keys that are there and others, in
// the middle of additions and removals.
func TestModel(t *testing.T) {
	for _, p := range []Params{
		{Variant: Plain, CounterBits: 8},
		{Variant: Plain, CounterBits: 16, VariableLength: true},
		{Variant: Increment, CounterBits: 16, Increment: 4},
		{Variant: Increment, CounterBits: 16, Increment: 8, VariableLength: true},
		{Variant: Tandem, CounterBits: 8, Increment: 2},
		{Variant: Tandem, CounterBits: 16, Increment: 64},
		{Variant: Tandem, CounterBits: 16, Increment: 8, VariableLength: true},
		{Variant: Tandem, CounterBits: 16, Increment: 4, VariableLength: true, Alpha: 1},
	} {
		p.Counters, p.Capacity, p.K, p.Seed = 640, 200, 3, 11
		if p.VariableLength && p.Alpha == 0 {
			p.Alpha = DefaultAlpha
		}
		s, m := mustNew(t, p), newModel(p)
		r := rand.New(rand.NewPCG(5, 5))
		there := []uint64{}
		positives, absent := 0, 0
		for step := range 2500 {
			switch {
			case len(there) < 20 || r.IntN(2) == 0 && len(there) < 80 || step > 1500 && len(there) < 140:
				id, n := r.Uint64N(1000), 1+r.Uint64N(8)/7 // mostly 1
				h1, h2 := key.HashUint64(p.Seed, id)
				s.Add(h1, h2, n)
				m.add(id, n)
				for range n {
					there = append(there, id)
				}
			default:
				i := r.IntN(len(there))
				h1, h2 := key.HashUint64(p.Seed, there[i])
				if err := s.Remove(h1, h2, 1); err != nil {
					t.Fatalf("%+v: %v", p, err)
				}
				m.remove(there[i])
				there[i] = there[len(there)-1]
				there = there[:len(there)-1]
			}
			if s.Halves() != m.halves {
				t.Fatalf("%+v: halves %v with %d occurrences", p, s.Halves(), m.total)
			}
			for range 20 {
				id := r.Uint64N(1500)
				h1, h2 := key.HashUint64(p.Seed, id)
				want := m.contains(id)
				if s.Contains(h1, h2) != want {
					t.Fatalf("%+v: step %d: key %d is there: %v, in the model %v", p, step, id, !want, want)
				}
				if id >= 1000 {
					absent++
					if want {
						positives++
					}
				}
			}
		}
		if s.Saturated() {
			t.Errorf("%+v: stuck, the model is not", p)
		}
		t.Logf("%v, %d bits, L %d, variable %v: %d of %d absent keys found", p.Variant, p.CounterBits, p.Increment, p.VariableLength, positives, absent)
	}
}
