package ccbf

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// cellSets are sets of cells of every kind that the exact form has to hold.
func cellSets() map[string]points {
	r := rand.New(rand.NewPCG(41, 0))
	sets := map[string]points{"none": nil}
	add := func(name string, n int, cell func(i int) grid.Cell, count func() uint64) {
		p := sets[name]
		for i := range n {
			p.add(spot{cell(i), plain}, count())
		}
		sets[name] = p
	}
	one := func() uint64 { return 1 }
	few := func() uint64 { return 1 + r.Uint64N(5) }
	large := func() uint64 { return 1 + r.Uint64()>>2>>r.UintN(62) }
	near := func(side int64) func(int) grid.Cell {
		return func(int) grid.Cell { return grid.Cell{X: r.Int64N(2*side) - side, Y: r.Int64N(2*side) - side} }
	}
	add("one cell", 1, near(5), one)
	add("one cell, a huge count", 1, near(5), func() uint64 { return math.MaxUint64 })
	add("the origin", 1, func(int) grid.Cell { return grid.Cell{} }, one)
	for _, n := range []int{2, 127, 128, 129, 255, 256, 257, 1000} {
		add(fmt.Sprint(n, " cells in a row"), n, func(i int) grid.Cell { return grid.Cell{X: int64(i), Y: 7} }, one)
		add(fmt.Sprint(n, " cells anywhere"), n, near(1<<30), few)
	}
	add("around the origin", 3000, near(60), few)
	add("counts of all sizes", 500, near(1000), large)
	add("regions far apart", 800, near(grid.MaxIndex), large)
	add("the corners of the world", 4, func(i int) grid.Cell {
		return grid.Cell{X: int64(i&1*2-1) * grid.MaxIndex, Y: int64(i&2-1) * grid.MaxIndex}
	}, few)
	for i := range 4 { // both sides of the edges of the first region
		d := int64(i) - 2
		add("the edges of a region", 40, func(int) grid.Cell { return grid.Cell{X: cells.Highest + d, Y: r.Int64N(9) + cells.Lowest - 4} }, few)
		add("the edges of a region", 40, func(int) grid.Cell { return grid.Cell{X: cells.Lowest + d, Y: cells.Highest + d} }, few)
	}
	for name, p := range sets { // no total beyond 2^64, but for the one that means it
		if name != "one cell, a huge count" {
			for i := range p {
				p[i].n = min(p[i].n, 1<<62/uint64(len(p)))
			}
		}
	}
	return sets
}

// TestExactForm: an exact sketch says what it holds, and has the same bytes in any order of points and
// parts.
func TestExactForm(t *testing.T) {
	for name, p := range cellSets() {
		r := rand.New(rand.NewPCG(42, 0))
		cfg := config(t, Params{Bytes: 1 << 20})
		blob, m, bounds := blobOf(t, builderOf(t, cfg, p)), p.model(), grid.EmptyRect()
		for s := range m {
			bounds = bounds.Extend(s.Cell)
		}
		v := viewOf(t, blob)
		counts(t, name, v, m, true)
		if got, known := v.Total(); got != m.in(grid.MaxRect(), Categories{}) || !known || v.Bounds != bounds {
			t.Errorf("%s: total %d, known %v, bounds %v, want %v", name, got, known, v.Bounds, bounds)
		}
		if i := v.Info(); i.Cells != uint64(len(m)) || !i.Exact || !i.Additive || i.Bytes != uint64(len(blob)) || i.Categories != 0 {
			t.Errorf("%s: info %+v for %d cells", name, i, len(m))
		}
		s := must(Decode(blob))
		for k, n := range m {
			if got := s.count(k.Cell, nil); got != n {
				t.Fatalf("%s: decoded, %v counts %d, want %d", name, k, got, n)
			}
		}
		sameBytes(t, "encoded again", blob, s.Blob())
		sameBytes(t, "in another order", blob, blobOf(t, builderOf(t, cfg, p.shuffled(r))))
		if len(p) > 1 {
			sameBytes(t, "merged", blob, blobOf(t, unite(t, r, cfg, split(r, p, 4), true)))
		}
		sameBytes(t, "appended", append([]byte("before"), blob...), s.appendBlob([]byte("before")))
	}
}

// The body of an exact sketch, read by a second reader written from
// docs/FORMAT.md alone.
func TestExactBodyByTheDocument(t *testing.T) {
	for name, p := range cellSets() {
		b := must(sketch.Parse(blobOf(t, builderOf(t, config(t, Params{Bytes: 1 << 20}), p))))
		got := readByTheDocument(t, b)
		want := p.model()
		if len(got) != len(want) {
			t.Fatalf("%s: %d cells, want %d", name, len(got), len(want))
		}
		for s, n := range want {
			if got[s] != n {
				t.Fatalf("%s: %v counts %d, want %d", name, s, got[s], n)
			}
		}
	}
}

// bitList reads bits, the least significant of a byte first.
type bitList struct {
	b  []byte
	at int
}

func (l *bitList) number(n uint) (v uint64) {
	for i := range n {
		v |= uint64(l.b[l.at/8]>>(l.at%8)&1) << i
		l.at++
	}
	return v
}

// class reads the class code: e zeros and a one, then k bits in class 0, or the
// e+k-1 bits below a leading one.
func (l *bitList) class(k uint) uint64 {
	e := uint(0)
	for l.number(1) == 0 {
		e++
	}
	if e == 0 {
		return l.number(k)
	}
	return 1<<(e+k-1) | l.number(e+k-1)
}

func readByTheDocument(t *testing.T, b sketch.Blob) model {
	t.Helper()
	body := b.Params
	uvarint := func() uint64 {
		v, n := binary.Uvarint(body)
		body = body[n:]
		return v
	}
	varint := func() int64 {
		v, n := binary.Varint(body)
		body = body[n:]
		return v
	}
	m := model{}
	flags := uvarint()
	if uvarint() != 1<<5 {
		t.Fatal("the resolution is not 1")
	}
	if flags&(1<<6) != 0 { // no bounds
		return m
	}
	x, y := varint()+0x55555555, varint()+0x55555555
	low := func(least, region int64) uint64 { // of the coordinates inside the bounds and a region
		return uint64(max(least-region<<32, 0))
	}
	several := x>>32 != (x+int64(uvarint()))>>32
	several = y>>32 != (y+int64(uvarint()))>>32 || several
	type head struct {
		category           string
		x, y               int64
		cells, total, size uint64
	}
	var heads []head
	body = b.Body
	if categories := b.Flags.Has(sketch.Categorised); !categories && !several {
		heads = []head{{plain, x >> 32, y >> 32, uvarint(), b.Total, 0}}
		heads[0].size = uint64(len(body))
	} else {
		sizes, n := uint64(0), uvarint()
		for i := range n {
			h := head{category: plain}
			if categories {
				n := uvarint()
				h.category, body = string(body[:n]), body[n:]
			}
			h.x, h.y = varint(), varint()
			h.cells, h.total = uvarint(), uvarint()
			if i < n-1 {
				h.size = uvarint()
				sizes += h.size
			} else {
				h.size = uint64(len(body)) - sizes
			}
			heads = append(heads, h)
		}
	}
	rest := body
	for _, h := range heads {
		part := rest[:h.size]
		rest = rest[h.size:]
		blocks := int(h.cells+127) / 128
		var z uint64
		if body = part; blocks == 1 {
			least := [2]uint64{low(x, h.x), low(y, h.y)}
			for bit := range 32 {
				z |= least[0]>>bit&1<<(2*bit) | least[1]>>bit&1<<(2*bit+1)
			}
			z += uvarint()
		} else {
			body = body[12*blocks:]
		}
		data, start, total := body, uint32(0), uint64(0)
		for i := range blocks {
			end := uint32(len(data))
			if blocks > 1 {
				z = binary.LittleEndian.Uint64(part[12*i:])
				end = binary.LittleEndian.Uint32(part[12*i+8:])
			}
			gapOrder, countOrder := uint(data[start]), uint(data[start+1])
			l := bitList{b: data[start+2 : end]}
			for j := range min(128, int(h.cells)-128*i) {
				if j > 0 {
					z += l.class(gapOrder) + 1
				}
				n := l.class(countOrder) + 1
				var x, y int64
				for bit := range 32 {
					x |= int64(z>>(2*bit)&1) << bit
					y |= int64(z>>(2*bit+1)&1) << bit
				}
				m[spot{grid.Cell{X: h.x<<32 + x - 0x55555555, Y: h.y<<32 + y - 0x55555555}, h.category}] = n
				total = saturate.Add(total, n)
			}
			if l.at > len(l.b)*8 || len(l.b)*8-l.at >= 8 {
				t.Fatalf("block %d ends at bit %d of %d", i, l.at, len(l.b)*8)
			}
			start = end
		}
		if total != h.total || int(start) != len(data) {
			t.Fatalf("a section of %d occurrences says %d", total, h.total)
		}
	}
	if len(rest) != 0 {
		t.Fatalf("%d bytes follow the sections", len(rest))
	}
	return m
}

// TestBytesPerCell: a cell of points in towns takes at most 1.3 bytes, everything included. All
// cells take at most the bytes of the best flate over their distances and counts, and 5% more for
// being read in blocks.
func TestBytesPerCell(t *testing.T) {
	keys := crowd(1 << 17)
	b := NewBuilder(config(t, Params{Bytes: 1 << 22}), nil)
	noError(t, b.addPoints(slices.Clone(keys)))
	v := viewOf(t, blobOf(t, b))
	i := v.Info()

	times := map[uint64]uint64{}
	for _, k := range keys {
		times[k]++
	}
	var list []byte
	last := uint64(0)
	for _, k := range slices.Sorted(maps.Keys(times)) {
		list = binary.AppendUvarint(binary.AppendUvarint(list, k-last), times[k])
		last = k
	}
	var packed bytes.Buffer
	w := must(flate.NewWriter(&packed, flate.BestCompression))
	if _, err := w.Write(list); err != nil {
		t.Fatal(err)
	}
	noError(t, w.Close())

	per := float64(i.Bytes) / float64(i.Cells)
	t.Logf("%d cells in %d bytes, %.3f each; flate: %d bytes", i.Cells, i.Bytes, per, packed.Len())
	if !v.IsExact() || per > 1.3 || float64(i.Bytes) > 1.05*float64(packed.Len()) {
		t.Errorf("%.3f bytes per cell, %d bytes in all; flate takes %d", per, i.Bytes, packed.Len())
	}
}

// A sketch is dense exactly when the exact body is longer than Bytes.
func TestChangeToDense(t *testing.T) {
	sets := cellSets()
	r := rand.New(rand.NewPCG(43, 0))
	sets["with categories"] = categorised(r, 500)
	for _, mode := range []Mode{MinimalIncrement, Standard} {
		for name, p := range sets {
			params := Params{Bytes: 1 << 20, Mode: mode, Overflow: ToCounters, Categories: name == "with categories"}
			b := must(sketch.Parse(blobOf(t, builderOf(t, config(t, params), p))))
			size := uint64(len(b.Body))
			if size <= MinBytes {
				continue
			}
			for _, bytes := range []uint64{size, size - 1} {
				params.Bytes = bytes
				cfg := config(t, params)
				blob := blobOf(t, builderOf(t, cfg, p))
				v := viewOf(t, blob)
				if v.IsExact() != (bytes == size) {
					t.Errorf("%v, %s: a body of %d bytes in %d is exact: %v", mode, name, size, bytes, v.IsExact())
				}
				if got := uint64(len(must(sketch.Parse(blob)).Body)); got > bytes {
					t.Errorf("%v, %s: a body of %d bytes, %d are allowed", mode, name, got, bytes)
				}
				if v.additive() != (v.IsExact() || mode == Standard) {
					t.Errorf("%v, %s: additive is %v", mode, name, v.additive())
				}
				counts(t, name, v, p.model(), bytes == size)
				if got, known := v.Total(); !known || got != b.Total {
					t.Errorf("%v, %s: total %d, want %d", mode, name, got, b.Total)
				}
			}
		}
	}
}
