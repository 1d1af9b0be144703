package sbf

import (
	"bytes"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// model is the structure in the plainest way. It has counters of any size, positions by long
// arithmetic, and one key at a time. Methods are as the package describes them.
type model struct {
	m, k    int64
	method  Method
	blocked bool
	marker  bool
	c, d    map[int64]*big.Int // the two filters
	half    int64
	marks   map[int64]bool
	traps   map[int64][2]uint64
}

var ceiling = new(big.Int).SetUint64(math.MaxUint64)

// spot is floor(x * m / 2^64), x = h1 + 0xd1342543de82ef95^i * h2.
func spot(h1, h2 uint64, i, m int64) int64 {
	x := new(big.Int).Exp(new(big.Int).SetUint64(0xd1342543de82ef95), big.NewInt(i), nil)
	x.Mul(x, new(big.Int).SetUint64(h2)).Add(x, new(big.Int).SetUint64(h1))
	x.And(x, ceiling)
	return x.Mul(x, big.NewInt(m)).Rsh(x, 64).Int64()
}

// positions of a key among m counters: one in each row, or in a block the next one that is
// free.
func (x *model) positions(h1, h2 uint64, m int64, blocked bool) (ps []int64) {
	for i := range x.k {
		if !blocked {
			ps = append(ps, i*(m/x.k)+spot(h1, h2, i, m/x.k))
			continue
		}
		base := spot(h1, 0, 0, m/64) * 64
		word := h2
		if i >= 10 {
			word = finalize(h2 + uint64(i/10)*0x9e3779b97f4a7c15)
		}
		p := base + int64(word>>(58-6*(i%10))&63)
		for slices.Contains(ps, p) {
			p = base + (p-base+1)%64
		}
		ps = append(ps, p)
	}
	return ps
}

func finalize(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

func other(h1, h2, tag uint64) (uint64, uint64) {
	return finalize(h1 + tag*0x9e3779b97f4a7c15), finalize(h2+tag*0x9e3779b97f4a7c15) | 1
}

func at(c map[int64]*big.Int, p int64) *big.Int {
	if c[p] == nil {
		c[p] = new(big.Int)
	}
	return c[p]
}

func minimum(c map[int64]*big.Int, ps []int64) (least *big.Int, times int, where int64) {
	for _, p := range ps {
		switch v := at(c, p); {
		case least == nil || v.Cmp(least) < 0:
			least, times, where = new(big.Int).Set(v), 1, p
		case v.Cmp(least) == 0:
			times++
		}
	}
	return least, times, where
}

func raise(c map[int64]*big.Int, ps []int64, n *big.Int) {
	for _, p := range ps {
		if at(c, p).Add(c[p], n).Cmp(ceiling) > 0 {
			c[p].Set(ceiling)
		}
	}
}

func (x *model) isMarked(h1, h2 uint64) bool {
	g1, g2 := other(h1, h2, 2)
	for _, p := range x.positions(g1, g2, x.m, false) {
		if !x.marks[p] {
			return false
		}
	}
	return true
}

func (x *model) second(h1, h2 uint64) []int64 {
	g1, g2 := other(h1, h2, 1)
	return x.positions(g1, g2, x.half, x.blocked)
}

func (x *model) add(h1, h2, weight uint64) {
	n := new(big.Int).SetUint64(weight)
	ps := x.positions(h1, h2, x.m, x.blocked)
	switch {
	case x.method == MS:
		raise(x.c, ps, n)
		return
	case x.method == MI:
		least, _, _ := minimum(x.c, ps)
		target := least.Add(least, n)
		for _, p := range ps {
			if c := at(x.c, p); c.Cmp(target) < 0 {
				c.Set(target)
			}
			if x.c[p].Cmp(ceiling) > 0 {
				x.c[p].Set(ceiling)
			}
		}
		return
	case weight == 0:
		return
	}
	for _, p := range ps {
		if z, ok := x.traps[p]; ok && z != [2]uint64{h1, h2} {
			delete(x.traps, p)
			if _, times, _ := minimum(x.c, ps); times > 1 {
				n := new(big.Int).SetUint64(x.count(h1, h2))
				two := x.second(z[0], z[1])
				if v, _, _ := minimum(x.d, two); v.Cmp(n) > 0 {
					for _, p := range two {
						if x.d[p].Cmp(ceiling) != 0 {
							x.d[p].Sub(x.d[p], n)
						}
					}
				}
			}
		}
	}
	raise(x.c, ps, n)
	least, times, where := minimum(x.c, ps)
	two := x.second(h1, h2)
	found, _, _ := minimum(x.d, two)
	moved := found.Sign() > 0
	handled := moved || times == 1
	if x.marker {
		marked := x.isMarked(h1, h2)
		moved = moved && marked
		handled = marked || times == 1
	}
	switch {
	case moved:
		raise(x.d, two, n)
	case handled:
		raise(x.d, two, least)
		if x.marker {
			g1, g2 := other(h1, h2, 2)
			for _, p := range x.positions(g1, g2, x.m, false) {
				x.marks[p] = true
			}
		}
		if x.method == TRM && times == 1 {
			x.traps[where] = [2]uint64{h1, h2}
		}
	}
}

func (x *model) count(h1, h2 uint64) uint64 {
	least, times, _ := minimum(x.c, x.positions(h1, h2, x.m, x.blocked))
	if x.method != RM && x.method != TRM {
		return least.Uint64()
	}
	ask := times == 1
	if x.marker {
		ask = x.isMarked(h1, h2)
	}
	if v, _, _ := minimum(x.d, x.second(h1, h2)); ask && v.Sign() > 0 && v.Cmp(least) < 0 {
		return v.Uint64()
	}
	return least.Uint64()
}

// Every way to add gives the counters of the model, through all widths of counters and into saturation.
// Every query gives its estimates.
func TestAgainstModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 160 {
		p := Params{
			Method: Method(round % 4), K: 1 + r.Uint64N(14), Blocked: round/4%2 == 1, Marker: []Marker{MarkerDefault, Unmarked}[round/8%2],
			Encoding: Encoding(round / 16 % 4),
		}
		p.Counters = 2*p.K + r.Uint64N(150)
		one, batched := mustNew(t, p), mustNew(t, p)
		m := model{
			m: int64(one.m), half: int64(one.secondM), k: int64(one.k), method: p.Method, blocked: p.Blocked, marker: one.marker,
			c: map[int64]*big.Int{}, d: map[int64]*big.Int{}, marks: map[int64]bool{}, traps: map[int64][2]uint64{},
		}
		// Weights that cross 8, 16, 32 and 64 bits in one round or another.
		top := uint(1 + r.IntN(64))
		for range 5 {
			n := r.IntN(400)
			h1s, h2s, ns := make([]uint64, n), make([]uint64, n), make([]uint64, n)
			unit := r.IntN(4) == 0
			for i := range n {
				h1s[i], h2s[i] = key.HashUint64(0, r.Uint64N(40))
				if r.IntN(20) == 0 {
					h2s[i] = 1 // all positions are the same, or nearly
				}
				ns[i] = 1
				if !unit {
					ns[i] = r.Uint64() >> (64 - top) >> r.UintN(64)
				}
				one.Add(h1s[i], h2s[i], ns[i])
				m.add(h1s[i], h2s[i], ns[i])
			}
			if unit {
				batched.AddHashes(h1s, h2s, nil)
			} else {
				batched.AddHashes(h1s, h2s, ns)
			}
		}
		blob := one.Blob()
		if !bytes.Equal(blob, batched.Blob()) {
			t.Fatalf("round %d: additions one by one and in batches differ", round)
		}
		saturates := false
		for i, c := range []map[int64]*big.Int{m.c, m.d} {
			cells := []*cells{&one.first, &one.second}[i]
			for p, want := range c {
				if got := cells.at(uint32(p)); got != want.Uint64() {
					t.Fatalf("round %d, %+v: counter %d of filter %d is %d, want %v", round, p, p, i, got, want)
				}
				saturates = saturates || want.Cmp(ceiling) == 0
			}
		}
		if one.Saturated() != saturates {
			t.Fatalf("round %d: saturated is %v, want %v", round, one.Saturated(), saturates)
		}
		if len(one.traps) != len(m.traps) {
			t.Fatalf("round %d: %d traps, want %d", round, len(one.traps), len(m.traps))
		}
		view, err := NewView(blob)
		must(t, err)
		const asked = 300
		var h1s, h2s, a, b [asked]uint64
		for i := range h1s {
			h1s[i], h2s[i] = key.HashUint64(0, uint64(i))
			if i%10 == 0 {
				h2s[i] = 1
			}
		}
		one.CountHashes(a[:], h1s[:], h2s[:])
		view.CountHashes(b[:], h1s[:], h2s[:])
		for i := range h1s {
			want := m.count(h1s[i], h2s[i])
			for j, got := range []uint64{a[i], b[i], one.Count(h1s[i], h2s[i]), view.Count(h1s[i], h2s[i])} {
				if got != want {
					t.Fatalf("round %d: estimate %d of key %d is %d, want %d", round, j, i, got, want)
				}
			}
		}
	}
}
