package store

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// counted is a store beside the map that it must agree with.
type counted struct {
	cells Cells
	want  map[uint64]uint64
}

func (c *counted) add(keys, counts []uint64) {
	if c.want == nil {
		c.want = map[uint64]uint64{}
	}
	for i, k := range keys {
		n := uint64(1)
		if counts != nil {
			n = counts[i]
		}
		if n > 0 {
			c.want[k] = saturate.Add(c.want[k], n)
		}
	}
}

// check holds the cells of c against the map, in order.
func (c *counted) check(t *testing.T) {
	t.Helper()
	least, most := c.cells.Distinct()
	if n := len(c.want); least > n || most < n {
		t.Errorf("%d cells are said to be %d to %d", n, least, most)
	}
	c.cells.Sum()
	i, last := 0, uint64(0)
	for part := range Blocks(&c.cells) {
		if i%cells.BlockCells != 0 {
			t.Fatalf("a block of %d cells before the last one", i%cells.BlockCells)
		}
		for j, k := range part.Keys {
			if i > 0 && k <= last {
				t.Fatalf("key %#x after %#x", k, last)
			}
			if part.Counts[j] != c.want[k] {
				t.Fatalf("cell %#x counts %d, want %d", k, part.Counts[j], c.want[k])
			}
			last = k
			i++
		}
	}
	if i != len(c.want) {
		t.Fatalf("%d cells, want %d", i, len(c.want))
	}
}

// TestCells: whatever is added, by which method and in which order, a store counts as a map does.
func TestCells(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(35, seed))
		upper := r.Uint64() << MaxWidth
		var all counted
		parts := make([]counted, 1+r.IntN(3))
		for range 1 + r.IntN(40) {
			width := r.IntN(1 + r.IntN(MaxWidth+1))
			heavy := r.IntN(8) == 0
			keys := make([]uint64, r.IntN(1+r.IntN(20000)))
			var counts []uint64
			if r.IntN(3) == 0 {
				counts = make([]uint64, len(keys))
			}
			for i := range keys {
				keys[i] = upper | r.Uint64()>>(64-MaxWidth)&(1<<width-1)
				if i > 0 && r.IntN(4) == 0 {
					keys[i] = keys[i-1]
				}
				if counts != nil {
					counts[i] = r.Uint64N(1 + r.Uint64N(10))
					if heavy {
						counts[i] = r.Uint64() >> r.IntN(64)
					}
				}
			}
			c := &parts[r.IntN(len(parts))]
			c.cells.Add(keys, counts, cells.Differ(keys))
			c.add(keys, counts)
			all.add(keys, counts)
			switch r.IntN(6) {
			case 0:
				c.cells.Limit(1 << 8)
				c.cells.Pack()
			case 1:
				c.cells.Limit(0)
			case 2:
				c.cells.Sum()
			}
		}
		for i := range parts {
			all.cells.Merge(&parts[i].cells)
		}
		all.check(t)
		for i := range parts {
			parts[i].check(t)
			parts[i].cells.Free()
		}
		// Whatever others write to the memory that the parts gave back, all stays as it is.
		for n := chunkWords; n <= mostBuffer; n *= 2 {
			for range 1 << 18 / n {
				words := take(n)
				for i := range words {
					words[i] = r.Uint64()
				}
			}
		}
		all.check(t)
	}
}

// TestBytes: a store holds no more memory than Bytes and Need state. Each cell takes less than 16
// bytes, and less than 3 once it is packed.
func TestBytes(t *testing.T) {
	const n = 1 << 20
	r := rand.New(rand.NewPCG(35, 101))
	var c Cells
	var counts []uint64
	keys := make([]uint64, 2048)
	add := func(below uint64) {
		t.Helper()
		for i := range keys {
			keys[i] = r.Uint64N(below)
		}
		most := c.Bytes() + c.Need(keys, cells.Differ(keys))
		c.Add(keys, counts, cells.Differ(keys))
		if got := c.Bytes(); got > most {
			t.Fatalf("%d bytes are held, %d were announced", got, most)
		}
	}
	for range n / len(keys) {
		add(1 << 24)
	}
	least, _ := c.Distinct()
	if got := c.Bytes(); got > int64(least)*16*3/2 {
		t.Errorf("%d bytes for at least %d cells", got, least)
	}
	c.Limit(1 << 8)
	c.Pack()
	c.Sum()
	least, _ = c.Distinct()
	if got := c.Bytes(); got > int64(least)*3 || !c.lists[0].packed {
		t.Errorf("%d bytes for at least %d packed cells", got, least)
	}
	// Far keys take more bits, so all words are rewritten.
	if need := c.Need([]uint64{1 << 59}, 0); need < c.Bytes() {
		t.Errorf("%d bytes to rewrite %d", need, c.Bytes())
	}
	add(1 << 59)
	// Words that were in the buffer are packed too.
	c = Cells{}
	c.Pack()
	add(1 << 24)
	c.Sum()
	if got := c.Bytes(); got > 2048*5 {
		t.Errorf("%d bytes for 2048 packed cells", got)
	}
	// Counts beyond a word are carried to another store, which grows while this one has room.
	c = Cells{}
	for range 33 {
		add(1 << 24)
	}
	counts = slices.Repeat([]uint64{1 << 40}, len(keys))
	c.Add(keys[:1], counts[:1], 0)
	for range n / 4 / len(keys) {
		add(1 << 24)
	}
}
