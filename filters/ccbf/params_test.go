package ccbf

import (
	"bytes"
	"database/sql/driver"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// TestSmallSketchesAreSmall: sketches of small groups take few bytes. At a resolution of 0.001, one
// cell anywhere on Earth takes at most 40, and nine cells of a place at most 56. Counts are up to
// 100.
func TestSmallSketchesAreSmall(t *testing.T) {
	c := must(Params{Res: 0.001}.Config())
	r := rand.New(rand.NewPCG(16, 3))
	for _, want := range []struct{ number, side, most int }{{1, 1, 40}, {9, 3, 56}, {9, 10, 56}, {9, 30, 56}} {
		largest, sum := 0, 0
		const rounds = 1000
		for range rounds {
			x, y := r.Int64N(360_000)-180_000, r.Int64N(170_000)-85_000
			b := NewBuilder(c, nil)
			for _, i := range r.Perm(want.side * want.side)[:want.number] {
				n := 1 + r.Uint64N(1+r.Uint64N(100)) // many small counts
				noError(t, b.Add(grid.Cell{X: x + int64(i%want.side), Y: y + int64(i/want.side)}, nil, 0, n))
			}
			n := len(must(b.Sketch()).Blob())
			largest, sum = max(largest, n), sum+n
		}
		t.Logf("%d of %d x %d cells: %d bytes on average, %d at most", want.number, want.side, want.side, sum/rounds, largest)
		if largest > want.most {
			t.Errorf("%d of %d x %d cells: %d bytes, at most %d are to be", want.number, want.side, want.side, largest, want.most)
		}
	}
}

// Every parameter comes back, and takes no bytes where it is as usual.
func TestParamsAreRead(t *testing.T) {
	shape := func(p Params) cascade.Shape { p.Res = 1; return must(p.Config()).shape }
	for _, c := range []struct {
		name  string
		edit  func(p *Head)
		bytes int // more than without the edit
	}{
		{"as usual", func(*Head) {}, 0},
		{"counters for what overflows", func(p *Head) { p.Overflow = ToCounters }, 0},
		{"a resolution in full", func(p *Head) { p.Grid = must(grid.New(1.0 / 3)) }, 8},
		{"mode standard", func(p *Head) { p.Overflow, p.Mode, p.shape = ToCounters, Standard, shape(Params{Mode: Standard}) }, 0},
		{"never exact", func(p *Head) { p.Overflow, p.form, p.Exact = ToCounters, Dense, false }, 0},
		{"no bounds", func(p *Head) { p.Bounds = grid.EmptyRect() }, -4},
		{"all bounds", func(p *Head) {
			p.Bounds = grid.Rect{MinX: -grid.MaxIndex - 1, MinY: -grid.MaxIndex - 1, MaxX: grid.MaxIndex, MaxY: grid.MaxIndex}
		}, 4*8 - 4},
		{"bytes", func(p *Head) { p.Bytes, p.shape = 4096, shape(Params{Bytes: 4096}) }, 2},
		{"a byte more, in which as many counters fit", func(p *Head) { p.Bytes = 1<<20 + 1 }, 3},
		{"k", func(p *Head) { p.Overflow, p.shape = ToCounters, shape(Params{K: 5}) }, 2},
		{"widths", func(p *Head) { p.Overflow, p.shape = ToCounters, shape(Params{Widths: []int{4, 8, 16}}) }, 1 + 1 + 3},
		{"widths of the other mode", func(p *Head) { p.Overflow, p.shape = ToCounters, shape(Params{Widths: []int{8, 16, 32}}) }, 1 + 1 + 3},
		{"counters", func(p *Head) { p.shape = shape(Params{Counters: []uint64{4096, 256, 16, 2}}) }, 1 + 2 + 2 + 1 + 1},
		{"a base level", func(p *Head) { p.Overflow, p.form, p.Base = ToCounters, Dense, 24 }, 1 + 1},
		{"parts", func(p *Head) { p.form, p.parts = Dense, cascade.OnePart(1<<40) }, 1 + 2},
	} {
		p := Head{Config: must(Params{Res: 0.001}.Config()), Bounds: grid.Rect{}, form: Exact}
		usual := len(p.appendParams(nil))
		c.edit(&p)
		b := sketch.Blob{Params: p.appendParams(nil)}
		var got Head
		if err := got.readParams(&b, grid.Grid{}); err != nil || got != p {
			t.Errorf("%s: %x: read %+v, want %+v, error %v", c.name, b.Params, got, p, err)
		}
		if n := len(b.Params) - usual; n != c.bytes {
			t.Errorf("%s takes %d bytes, want %d", c.name, n, c.bytes)
		}
		if len(b.Params) > maxParams {
			t.Errorf("%s: %d bytes, at most %d are counted on", c.name, len(b.Params), maxParams)
		}
	}
}

// TestParamsHaveOneSpelling: a default must not be written, and no byte may be left over.
func TestParamsHaveOneSpelling(t *testing.T) {
	usual := Head{Config: must(Params{Res: 0.001}.Config()), Bounds: grid.Rect{}, form: Dense}
	plain := usual.appendParams(nil)
	flags := func(more uint64, fields ...[]byte) []byte {
		n, read := binary.Uvarint(plain)
		return slices.Concat(binary.AppendUvarint(nil, n|more), plain[read:], slices.Concat(fields...))
	}
	sizes := func(sizes []uint64) (b []byte) {
		for _, m := range sizes {
			b = binary.AppendUvarint(b, m)
		}
		return b
	}
	bytes := func(n uint64) []byte { return binary.AppendUvarint(nil, n) }
	s := usual.shape
	for what, b := range map[string][]byte{
		"no form":                     append([]byte{0}, plain[1:]...),
		"a tree that is to be dense":  flags(uint64(Tree) | toDense),
		"a tree that never was exact": flags(fromFirst),
		"k of a tree":                 flags(hasK, []byte{5}),
		"widths of a tree":            flags(hasWidths, []byte{1, 8}),
		"sums that become a tree":     flags(inSums),
		"a base level of a tree":      flags(hasBase, []byte{1}),
		"flag 12":                     flags(1 << 12),
		"flag 63":                     flags(1 << 63),
		"usual bytes":                 flags(hasBytes, bytes(DefaultBytes)),
		"no bytes at all":             flags(hasBytes, bytes(0)),
		"too many bytes":              flags(hasBytes, bytes(MaxBytes+1)),
		"bytes too few for counters":  flags(hasBytes, bytes(MinBytes-1)),
		"the usual k":                 flags(hasK, []byte{DefaultK}),
		"k 0":                         flags(hasK, []byte{0}),
		"k 33":                        flags(hasK, []byte{MaxK + 1}),
		"the usual widths":            flags(hasWidths, []byte{4, 4, 8, 16, 32}),
		"no layers":                   flags(hasWidths, []byte{0}),
		"nine layers":                 flags(hasWidths, []byte{9, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
		"a width of 1":                flags(hasWidths, []byte{1, 1}),
		"widths that fall":            flags(hasWidths, []byte{2, 8, 4}),
		"counters that follow":        flags(hasSizes, sizes(s.Sizes())),
		"counters that grow":          flags(hasSizes, sizes([]uint64{16, 32, 64, 128})),
		"too few counters":            flags(hasSizes, sizes(s.Sizes()[:3])),
		"a base level of 0":           flags(hasBase, []byte{0}),
		"a base level of 25":          flags(hasBase, []byte{MaxLevels + 1}),
		"no parts":                    flags(hasParts, []byte{0, 0}),
		"a byte too many":             flags(0, []byte{0}),
		"bounds too far":              slices.Concat(plain[:2], binary.AppendVarint(nil, grid.MaxIndex+1), plain[3:]),
		"bounds too wide":             slices.Concat(plain[:4], bytes(grid.MaxIndex+1), plain[5:]),
		"bounds around the world":     slices.Concat(plain[:4], bytes(1<<64-1), plain[5:]),
		"bounds and none":             flags(noCells),
		"resolution 0":                slices.Concat(plain[:1], []byte{0}, plain[2:]),
		"nothing":                     nil,
	} {
		var p Head
		if err := p.readParams(&sketch.Blob{Params: b}, grid.Grid{}); !errors.Is(err, sketch.ErrInvalid) {
			t.Errorf("%s: %x: %v", what, b, err)
		}
	}
	var p Head
	if err := p.readParams(&sketch.Blob{Params: plain}, grid.Grid{}); err != nil || p != usual {
		t.Errorf("the usual ones: %+v, %v", p, err)
	}
}

// A Head that has read other BLOBs reads a BLOB as a new one does.
func TestHeadsAreReadAgain(t *testing.T) {
	var blobs [][]byte
	for _, p := range []Params{{}, {Bytes: 4096}, {K: 5}, {Mode: Standard}, {Widths: []int{8}}, {Counters: []uint64{4096, 256, 16, 2}}, {Widths: []int{4, 8, 16, 32}, K: 5, Bytes: 4096}} {
		for _, p.Dense = range []bool{false, true} {
			blobs = append(blobs, sketchOf(t, config(t, p), cities()).Blob())
		}
	}
	var h Head
	r := rand.New(rand.NewPCG(16, 4))
	for range 500 {
		blob := blobs[r.IntN(len(blobs))]
		var fresh Head
		must(fresh.parse(blob))
		if must(h.parse(blob)); h.Config != fresh.Config || h.Bounds != fresh.Bounds || h.header != fresh.header {
			t.Fatalf("%+v, afresh %+v", h, fresh)
		}
	}
}

// TestEncodings: encoding, JSON and database/sql return the same sketch. Other input is an error
// that changes nothing.
func TestEncodings(t *testing.T) {
	for _, sample := range must(samples()) {
		name, blob := sample.Name, sample.Blob
		s := must(Decode(blob))
		if is, err := s.MarshalBinary(); err != nil || !bytes.Equal(is, blob) {
			t.Errorf("%s: MarshalBinary: %v", name, err)
		}
		value, err := driver.DefaultParameterConverter.ConvertValue(s)
		if is, _ := value.([]byte); err != nil || !bytes.Equal(is, blob) {
			t.Errorf("%s: Value: %v", name, err)
		}
		text := must(json.Marshal(struct{ S Sketch }{*s}))
		var fromBinary, scanned Sketch
		var fromJSON struct{ S Sketch }
		noError(t, errors.Join(fromBinary.UnmarshalBinary(blob), json.Unmarshal(text, &fromJSON), scanned.Scan(blob)))
		for _, read := range []*Sketch{&fromBinary, &fromJSON.S, &scanned} {
			sameBytes(t, name, read.Blob(), blob)
		}
		for _, src := range []any{nil, 7, "text", blob[:len(blob)-1]} {
			if err := scanned.Scan(src); !errors.Is(err, sketch.ErrInvalid) {
				t.Errorf("%s: Scan of %T: %v", name, src, err)
			}
		}
		sameBytes(t, name, scanned.Blob(), blob)
		if words, _ := sketch.Describe([]sketch.Family{Family}, blob); s.String() != words || words == "" {
			t.Errorf("%s: String: %q", name, s)
		}
	}
	if _, err := New(Params{Res: 1, AtLeast: 5}); !errors.Is(err, sketch.ErrOption) {
		t.Errorf("New with AtLeast: %v", err)
	}
	if _, err := json.Marshal(Sketch{}); err == nil {
		t.Error("JSON of a zero value")
	}
}

// The union of two parts is the sketch of the whole, and counts at places as it does.
func TestUnion(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 0))
	c := config(t, Params{Res: 0.5})
	whole, a, b := NewBuilder(c, nil), NewBuilder(c, nil), NewBuilder(c, nil)
	for i := range 500 {
		cell := must(c.Grid.Cell(r.Float64()*9, r.Float64()*9))
		part := a
		if i%3 == 0 {
			part = b
		}
		noError(t, errors.Join(part.Add(cell, nil, key.None, 1), whole.Add(cell, nil, key.None, 1)))
	}
	s, other := must(a.Sketch()), must(b.Sketch())
	before := other.Blob()
	noError(t, s.Union(other))
	want := must(whole.Sketch()).Blob()
	sameBytes(t, "union", s.Blob(), want)
	sameBytes(t, "the other part", other.Blob(), before)
	v := viewOf(t, want)
	for range 50 {
		x, y := r.Float64()*9, r.Float64()*9
		direct := v.Count(must(c.Grid.Cell(x, y)), nil)
		if n, m := must(s.CountAt(x, y, nil)), must(v.CountAt(x, y, nil)); n != direct || m != direct {
			t.Errorf("(%v, %v) counts %d, %d and %d", x, y, direct, n, m)
		}
	}
	if _, err := v.CountAt(1, 1, []byte("a")); !errors.Is(err, ErrNoCategory) {
		t.Error(err)
	}
	if err := s.Union(sketchOf(t, config(t, Params{Res: 1}), nil)); !errors.Is(err, sketch.ErrDiffer) {
		t.Error(err)
	}
	sameBytes(t, "after an error", s.Blob(), want)
}
