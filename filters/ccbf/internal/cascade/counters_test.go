package cascade

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

func shapeOf(t testing.TB, widths []int, sizes []uint64, k int) Shape {
	t.Helper()
	s, err := NewShape(k, widths)
	if err == nil {
		err = s.SetCounters(sizes)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sums returns what counters that are sums must hold, in closed form. T is the sum of all increments of
// counter j of a layer with b value bits. Its digit is T mod 2^b, and floor(T / 2^b) is counted in the
// layer above, at j modulo its size.
type sums struct {
	shape Shape
	first []*big.Int // of the first layer
}

func newSums(s Shape) *sums {
	m := &sums{shape: s, first: make([]*big.Int, s.Size[0])}
	for j := range m.first {
		m.first[j] = new(big.Int)
	}
	return m
}

// layers are the sums of every layer.
func (m *sums) layers() [][]*big.Int {
	all := [][]*big.Int{m.first}
	for x := 1; x < m.shape.Layers; x++ {
		next := make([]*big.Int, m.shape.Size[x])
		for u := range next {
			next[u] = new(big.Int)
		}
		for j, sum := range all[x-1] {
			u := next[j%len(next)]
			u.Add(u, new(big.Int).Rsh(sum, uint(m.shape.Width[x-1])-1))
		}
		all = append(all, next)
	}
	return all
}

// check holds every counter against the sums. grown says that nothing was
// removed, so that flags are known too: where the sum did not fit. After
// removals a flag may stay; it must be there where the sum does not fit.
func (m *sums) check(t testing.TB, d *Counters, grown bool) (saturated bool) {
	t.Helper()
	for x, layer := range m.layers() {
		l := &d.Layers[x]
		last := x == m.shape.Layers-1
		for j, sum := range layer {
			over := sum.BitLen() >= int(l.Width)
			digit := new(big.Int).And(sum, new(big.Int).SetUint64(l.Mask)).Uint64()
			if over && last {
				saturated, digit = true, l.Mask
			}
			c := l.Load(uint64(j))
			if c&l.Mask != digit || over && c&l.Flag == 0 || grown && !over && c&l.Flag != 0 {
				t.Fatalf("layer %d, counter %d of %d: %#x for a sum of %v", x, j, l.Size, c, sum)
			}
		}
	}
	if grown && d.Saturated != saturated {
		t.Fatalf("saturated is %v, want %v", d.Saturated, saturated)
	}
	return saturated
}

func TestCarryIsRadixArithmetic(t *testing.T) {
	for _, l := range kit.Layouts {
		t.Run(fmt.Sprint(l.Widths), func(t *testing.T) {
			r := rand.New(rand.NewPCG(11, uint64(len(l.Widths))))
			s := shapeOf(t, l.Widths, l.Sizes, 1)
			for round := range 40 {
				d, m := New(s), newSums(s)
				top := r.UintN(64) // weights of up to so few, or so many, bits
				for i := range 120 {
					j := r.Uint64N(s.Size[0])
					n := r.Uint64() >> top >> r.UintN(64-top)
					if round%4 == 0 && i == 60 {
						n = math.MaxUint64
					}
					d.Add(0, j, n)
					m.first[j].Add(m.first[j], new(big.Int).SetUint64(n))
					if i%20 == 0 {
						m.check(t, d, true)
					}
				}
				saturated := m.check(t, d, true)
				for j, sum := range m.first {
					v := new(big.Int).SetUint64(d.Value(uint64(j)))
					if v.Cmp(sum) < 0 && v.Uint64() != math.MaxUint64 || s.Layers == 1 && !saturated && v.Cmp(sum) != 0 {
						t.Fatalf("counter %d reads %v for a sum of %v", j, v, sum)
					}
				}
			}
		})
	}
}

// A counter that shares no other's upper counter reads as its sum.
func TestValueOfLonelyCounters(t *testing.T) {
	for _, l := range kit.Layouts {
		s := shapeOf(t, l.Widths, l.Sizes, 1)
		bits := 0
		for _, w := range l.Widths {
			bits += w - 1
		}
		most := uint64(1)<<bits - 1
		for _, n := range []uint64{0, 1, 2, 3, 7, 8, 127, 128, 129, 255, 256, 1 << 20, most / 3, most - 1, most} {
			if n > most {
				continue
			}
			d := New(s)
			d.Add(0, 1, n)
			if got := d.Value(1); got != n || d.Saturated {
				t.Errorf("%v: %d reads as %d, saturated %v", l.Widths, n, got, d.Saturated)
			}
			d.Add(0, 1, most-n)
			if got := d.Value(1); got != most || d.Saturated {
				t.Errorf("%v: filled up from %d it reads as %d, want %d, saturated %v", l.Widths, n, got, most, d.Saturated)
			}
			d.Add(0, 1, 1)
			if !d.Saturated {
				t.Errorf("%v: one more than %d is not remembered", l.Widths, most)
			}
			// The last layer stays at its ceiling, whatever comes.
			ceiling := d.Layers[s.Layers-1].Load(1 % s.Size[s.Layers-1])
			d.Add(0, 1, math.MaxUint64)
			d.Add(0, 1, most)
			if last := d.Layers[s.Layers-1]; last.Load(1%last.Size) != ceiling || ceiling != last.Flag|last.Mask {
				t.Errorf("%v: the saturated counter moved from %#x", l.Widths, ceiling)
			}
		}
	}
}

func TestRemoveBorrows(t *testing.T) {
	for _, l := range kit.Layouts {
		t.Run(fmt.Sprint(l.Widths), func(t *testing.T) {
			r := rand.New(rand.NewPCG(12, uint64(len(l.Widths))))
			s := shapeOf(t, l.Widths, l.Sizes, 1)
			most := uint64(1)<<(s.ShiftOf(s.Layers-1)+uint(s.Width[s.Layers-1])-1) - 1
			for range 40 {
				d, m := New(s), newSums(s)
				left := most // all together, so that nothing saturates
				for range 300 {
					j := r.Uint64N(s.Size[0])
					have := m.first[j].Uint64()
					if r.IntN(2) == 0 && have > 0 {
						n := 1 + r.Uint64N(have)
						d.remove(0, j, n)
						m.first[j].Sub(m.first[j], new(big.Int).SetUint64(n))
						left += n
					} else if n := r.Uint64N(left/2+1) >> r.UintN(64); n <= left {
						d.Add(0, j, n)
						m.first[j].Add(m.first[j], new(big.Int).SetUint64(n))
						left -= n
					}
					m.check(t, d, false)
				}
				// Take everything out again, in another order.
				for _, j := range r.Perm(len(m.first)) {
					d.remove(0, uint64(j), m.first[j].Uint64())
					m.first[j].SetUint64(0)
				}
				m.check(t, d, false)
				for j := range s.Size[0] {
					if v := d.Value(j); v != 0 {
						t.Fatalf("counter %d reads %d after everything was removed", j, v)
					}
				}
			}
		})
	}
}

func TestFlagIsClearedWithTheUpperCounter(t *testing.T) {
	s := shapeOf(t, []int{8, 16}, []uint64{4, 2}, 1)
	d := New(s)
	d.Add(0, 0, 130) // one carried, to upper counter 0
	d.Add(0, 2, 128) // one more, to the same
	d.remove(0, 0, 5)
	if c := d.Layers[0].Load(0); c != 0x80|125 {
		t.Errorf("after a borrow, the upper counter being 1: %#x, want the flag and 125", c)
	}
	if up := d.Layers[1].Load(0); up != 1 {
		t.Errorf("upper counter %d, want 1", up)
	}
	d.remove(0, 2, 1)
	if c := d.Layers[0].Load(2); c != 127 {
		t.Errorf("after the last borrow: %#x, want no flag and 127", c)
	}
	d.remove(0, 0, 125)
	if c := d.Layers[0].Load(0); c != 0 {
		t.Errorf("emptied: %#x", c)
	}
}

func TestModIsTheRemainder(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 0))
	sizes := []uint64{1, 2, 3, 5, 7, 1<<16 - 1, 1 << 16, 1<<16 + 1, 1<<32 - 1, 1 << 32}
	for range 1000 {
		sizes = append(sizes, 1+r.Uint64N(1<<32)>>r.UintN(32))
	}
	for _, m := range sizes {
		l := newLayer(nil, 8, m)
		hs := []uint64{0, 1, m - 1, m, m + 1, math.MaxUint64, math.MaxUint64 - 1, math.MaxUint64 / m * m, math.MaxUint64/m*m - 1}
		for range 50 {
			hs = append(hs, r.Uint64()>>r.UintN(64))
		}
		for _, h := range hs {
			if got := l.mod(h); got != h%m {
				t.Fatalf("%d mod %d = %d, want %d", h, m, got, h%m)
			}
		}
	}
}

// keysOf hashes n keys, of which some repeat.
func keysOf(r *rand.Rand, n, distinct int) (h1, h2 []uint64) {
	for range n {
		a, b := key.HashCell(5, r.Int64N(int64(distinct)), 0)
		h1, h2 = append(h1, a), append(h2, b)
	}
	return h1, h2
}

// In mode standard every key counts at each of its positions, however many
// occurrences come at once.
func TestStandardCountsAtEveryPosition(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 0))
	for _, l := range kit.Layouts {
		for _, k := range []int{1, 2, 4, 7, 32} {
			s := shapeOf(t, l.Widths, l.Sizes, k)
			m := newSums(s)
			weighted, single := New(s), New(s)
			h1, h2 := keysOf(r, 300, 40)
			n := make([]uint64, len(h1))
			for i := range n {
				n[i] = r.Uint64N(40)
				for _, j := range kit.Positions(h1[i], h2[i], k, s.Size[0]) {
					m.first[j].Add(m.first[j], new(big.Int).SetUint64(n[i]))
				}
				for range n[i] {
					single.Insert(true, h1[i:i+1], h2[i:i+1], nil)
				}
			}
			weighted.Insert(true, h1, h2, n)
			m.check(t, weighted, true)
			if !bytes.Equal(weighted.Body, single.Body) {
				t.Fatalf("widths %v, k %d: weights and single points differ", l.Widths, k)
			}
			for i := range h1 {
				least := uint64(math.MaxUint64)
				for _, j := range kit.Positions(h1[i], h2[i], k, s.Size[0]) {
					least = min(least, weighted.Value(j))
				}
				if got := weighted.Count(h1[i], h2[i]); got != least {
					t.Fatalf("widths %v, k %d: count %d, the least counter reads %d", l.Widths, k, got, least)
				}
			}
		}
	}
}

// In mode mi every key's counters become at least its old minimum and n. With
// one layer that is the whole of it; more layers may only add to it.
func TestMinimalIncrement(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 0))
	for _, l := range kit.Layouts {
		for _, k := range []int{1, 3, 8} {
			s := shapeOf(t, l.Widths, l.Sizes, k)
			d, single := New(s), New(s)
			plainest := make([]uint64, s.Size[0])
			truth := map[uint64]uint64{}
			h1, h2 := keysOf(r, 60, 20)
			for i := range h1 {
				n := r.Uint64N(3) * r.Uint64N(5)
				d.Insert(false, h1[i:i+1], h2[i:i+1], []uint64{n})
				for range n {
					single.Insert(false, h1[i:i+1], h2[i:i+1], nil)
				}
				truth[h1[i]] += n
				at := kit.Positions(h1[i], h2[i], k, s.Size[0])
				least := uint64(math.MaxUint64)
				for _, j := range at {
					least = min(least, plainest[j])
				}
				for _, j := range at {
					plainest[j] = max(plainest[j], least+n)
				}
			}
			if s.Layers == 1 && !d.Saturated && !bytes.Equal(d.Body, single.Body) {
				t.Fatalf("widths %v, k %d: n at once and n points one by one differ", l.Widths, k)
			}
			for j, n := range plainest {
				if v := d.Value(uint64(j)); v < n || s.Layers == 1 && !d.Saturated && v != n {
					t.Fatalf("widths %v, k %d: counter %d reads %d, want %d", l.Widths, k, j, v, n)
				}
			}
			for i := range h1 {
				for _, e := range []*Counters{d, single} {
					if got := e.Count(h1[i], h2[i]); got < truth[h1[i]] {
						t.Fatalf("widths %v, k %d: %d counted, %d inserted", l.Widths, k, got, truth[h1[i]])
					}
				}
			}
		}
	}
}

// A counter that continues in one at its ceiling has the largest value: raising it changes nothing.
func TestRaisingUnderACeiling(t *testing.T) {
	d := New(shapeOf(t, []int{31, 34}, []uint64{10, 5}, 1))
	d.Raise(0, 0, 1<<40+5)
	d.Raise(0, 5, math.MaxUint64) // under the same counter
	was := bytes.Clone(d.Body)
	if d.Raise(0, 0, math.MaxUint64); !d.Saturated || !bytes.Equal(d.Body, was) {
		t.Errorf("saturated is %v, the counters are %x, want %x", d.Saturated, d.Body, was)
	}
}

// Met predicts the value of a counter after a key of mode standard was counted that carries out of some layers.
func TestMetIsWhatIsFound(t *testing.T) {
	for _, l := range kit.Layouts {
		r := rand.New(rand.NewPCG(210, 0))
		s := shapeOf(t, l.Widths, l.Sizes, 1)
		for round := range 6 {
			d := New(s)
			for range 1 << round * int(s.Size[0]) / 16 {
				d.Add(0, r.Uint64N(s.Size[0]), 1+r.Uint64()>>r.UintN(64)%5000)
			}
			for class := range s.Layers {
				f := uint64(1) << s.ShiftOf(class) // the least count that carries out of them
				if class == 0 {
					f = 0
				}
				for j := range s.Size[0] {
					after := d.Clone()
					if after.Add(0, j, f); !after.Saturated && d.ValueFrom(0, j, class)+f != after.Value(j) {
						t.Fatalf("layout %v, round %d, class %d: met %d and %d, found %d", l.Widths, round, class, d.ValueFrom(0, j, class), f, after.Value(j))
					}
				}
			}
		}
	}
}
