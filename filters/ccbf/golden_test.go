package ccbf

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/internal/script"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// ten is ten points in seven cells around the origin, one of them far away in
// another region.
func ten(category ...string) points {
	var p points
	for i, c := range []grid.Cell{{}, {}, {X: -1, Y: -1}, {X: 2, Y: 1}, {X: 2, Y: 1}, {X: 2, Y: 1}, {X: 3, Y: 1}, {X: -7, Y: 12}, {X: 40, Y: -9}, {X: 1 << 40, Y: -1 << 33}} {
		s := spot{c, plain}
		if len(category) > 0 {
			s.category = category[i%len(category)]
		}
		p.add(s, 1)
	}
	return p
}

// heavy is a few cells with counts that reach the third layer.
func heavy() points {
	var p points
	for i, n := range []uint64{1, 100, 127, 128, 200, 300, 70_000, 5_000_000} {
		p.add(spot{grid.Cell{X: int64(i), Y: -int64(i)}, plain}, n)
	}
	return p
}

// manyCells is 300 cells, of three blocks.
func manyCells() points {
	var p points
	for i := range int64(300) {
		p.add(spot{grid.Cell{X: i * 977 % 331, Y: i % 7}, plain}, uint64(1+i%5))
	}
	return p
}

// lined are n points in rows and lone cells, whose places follow from their number.
func lined(n int64, category ...string) points {
	var p points
	for i := range n {
		c := grid.Cell{X: i * 7 % 97, Y: i % 5}
		if i%9 == 0 {
			c = grid.Cell{X: i*i*31%20_000 - 9000, Y: i * 977 % 3001}
		}
		p.add(spot{c, category[i%int64(len(category))]}, 1+uint64(i%3))
	}
	return p
}

// crowded returns 20,000 points. Most are in cells that come again soon; the last 6,000 but one are
// in cells of their own.
func crowded() points {
	var p points
	for i := range int64(20_000) {
		at := i * i % 2999
		c := grid.Cell{X: at % 61, Y: at / 61}
		if i%5 == 0 || i > 14_000 {
			c = grid.Cell{X: i % 1000, Y: 100 + i/1000}
		}
		p.add(spot{c, plain}, 1)
	}
	p[len(p)-1].n = 3
	return p
}

// cities is the example of docs/FORMAT.md: points of two cities at a hundredth
// of a degree.
func cities() points {
	var p points
	p.add(spot{grid.Cell{X: 236, Y: 4885}, plain}, 3) // Paris
	p.add(spot{grid.Cell{X: 237, Y: 4885}, plain}, 1)
	p.add(spot{grid.Cell{X: -13, Y: 5151}, plain}, 2) // London
	return p
}

// places is the example of a tree.
func places() (p points) {
	for _, c := range []grid.Cell{{X: 1, Y: 0}, {X: 3, Y: 2}, {X: 100, Y: 100}, {X: 120, Y: 110}} {
		p.add(spot{c, plain}, 1)
	}
	p.add(spot{grid.Cell{}, plain}, 12)
	return p
}

func tiny(p Params) Params {
	p.Res, p.K, p.Widths, p.Counters = 0.01, 2, []int{2, 4}, []uint64{16, 4}
	return p
}

var golden = []struct {
	file   string
	params Params
	points points
	exact  bool
	change func(*Sketch) error
}{
	{"v1-exact", Params{Res: 0.01, Bytes: 1024}, cities(), true, nil},
	{"v1-exact-empty", Params{Res: 0.001, Seed: 1<<64 - 1}, nil, true, nil},
	{"v1-exact-categories", Params{Res: 1, Bytes: 1024, Categories: true, Totals: true, Seed: 7}, ten("", "oak", "elm"), true, nil},
	{"v1-exact-squares", Params{Res: 1e-6, Bytes: 1024}, ten(), true, nil},
	{"v1-exact-counts", Params{Res: 1, Bytes: 1024, Mode: Standard}, heavy(), true, nil},
	{"v1-dense-tiny", tiny(Params{Dense: true, Mode: Standard}), cities(), false, nil},
	{"v1-dense-mi", Params{Res: 1, Dense: true, Bytes: 512}, heavy(), false, nil},
	{"v1-dense-mi-many", Params{Res: 1, Dense: true, Bytes: 2048}, crowded(), false, nil},
	{"v1-dense-standard", Params{Res: 1, Dense: true, Bytes: 512, Mode: Standard, Seed: 9}, heavy(), false, nil},
	{"v1-dense-maximum", Params{Res: 1, K: 3, Widths: []int{4, 6, 24}, Counters: []uint64{16, 4, 2}}, heavy(), false, nil},
	{"v1-dense-categories", Params{Res: 1, Dense: true, Bytes: 512, Mode: Standard, Categories: true, Totals: true}, ten("", "oak", "elm"), false, nil},
	{"v1-dense-saturated", Params{Res: 1, Dense: true, Widths: []int{8}, Counters: []uint64{100}}, heavy(), false, nil},
	{"v1-dense-levels", Params{Res: 1, Dense: true, Bytes: 512, Mode: Standard, Levels: 3}, ten(), false, nil},
	{"v1-dense-masked", Params{Res: 1, Dense: true, Bytes: 512, Mode: Standard}, ten(), false, func(s *Sketch) error { return s.Mask(s.asDense(&s.Config)) }},
	{"v1-exact-default", Params{Res: 0.001}, ten()[:1], true, nil},
	{"v1-exact-blocks", Params{Res: 0.1}, manyCells(), true, nil},
	{"v1-exact-resolution", Params{Res: 1.0 / 3}, cities(), true, nil},
	{"v1-tree", Params{Res: 1, Bytes: 400, Overflow: ToTree}, lined(600, "(none)"), false, nil},
	{"v1-tree-exact", Params{Res: 1, Bytes: 400, Overflow: ToTree}, ten(), true, nil},
	{"v1-tree-categories", Params{Res: 1, Bytes: 400, Overflow: ToTree, Categories: true, Totals: true}, lined(900, "", "oak", "elm"), false, nil},
	{"v1-tree-narrowed", Params{Res: 1, Bytes: 400, Overflow: ToTree}, lined(600, "(none)"), false, func(s *Sketch) error {
		return s.Intersect(s)
	}},
	{"v1-layers-4-8-16-32-standard", Params{Res: 1, Dense: true, Bytes: 512, Mode: Standard, Widths: []int{4, 8, 16, 32}, Seed: 9, Levels: 2}, ten(), false, nil},
}

// TestGolden: this version writes every golden BLOB from its parameters and points. It reads the
// points back, and writes the same bytes again.
func TestGolden(t *testing.T) {
	for _, g := range golden {
		t.Run(g.file, func(t *testing.T) {
			c := config(t, g.params)
			s := sketchOf(t, c, g.points)
			if g.change != nil {
				noError(t, g.change(s))
			}
			blob := s.Blob()
			old := must(script.Golden(g.file+".blob", blob))
			if !bytes.Equal(old, blob) {
				t.Errorf("this version writes\n%sinstead of\n%s", hex.Dump(blob), hex.Dump(old))
			}
			d := must(Decode(old))
			sameBytes(t, "written again", old, d.Blob())
			v := viewOf(t, old)
			if v.IsExact() != g.exact {
				t.Errorf("exact is %v", v.IsExact())
			}
			counts(t, "golden", v, g.points.model(), g.exact)
			if v.saturated() != strings.HasSuffix(g.file, "saturated") {
				t.Errorf("saturated is %v", v.saturated())
			}
			total := uint64(0)
			for _, o := range g.points {
				total += o.n
			}
			if n, known := v.Total(); known == (g.change != nil) || known && n != total {
				t.Errorf("total %d, want %d, known %v", n, total, known)
			}
		})
	}
}

// TestManyPointsOneByOne pins the bytes of a sketch of mode mi whose points are counted together with
// recent ones of their cells. They depend on the order of counting. The counters take 64 KiB, so
// the SHA-256 stands for the BLOB; decoding it and counting every cell is the second judge.
func TestManyPointsOneByOne(t *testing.T) {
	p := crowded()
	b := builderOf(t, config(t, Params{Dense: true, Bytes: 70_000}), p)
	if b.plain.counting.recents.Slots() == 0 {
		t.Fatal("no recent cells")
	}
	blob := blobOf(t, b)
	counts(t, "many points", viewOf(t, blob), p.model(), false)
	const want = "772c75839b3e90254903e254c187eaa136bd0879de1429f16579902187e4be39"
	if got := fmt.Sprintf("%x", sha256.Sum256(blob)); got != want {
		t.Errorf("the SHA-256 is %s, want %s", got, want)
	}
}

// TestHashVersion: hash version 1 of a text equals the reference implementation. Both halves of
// its state begin with the seed, and the second half is made odd. The empty text has the seed 16.
func TestHashVersion(t *testing.T) {
	for _, c := range []struct {
		text   string
		h1, h2 uint64
	}{
		{"", 0x6c44b3c207329990, 0xc73de74ef7693a2},
		{"hello", 0xcbd8a7b341bd9b02, 0x5b1e906a48ae1d19},
		{"The quick brown fox jumps over the lazy dog", 0xe34bbc7bbc071b6c, 0x7a433ca9c49a9347},
	} {
		h1, h2 := key.Hash(0, []byte(c.text))
		if h1 != c.h1 || h2 != c.h2|1 {
			t.Errorf("%q: %#x, %#x, want %#x, %#x", c.text, h1, h2, c.h1, c.h2|1)
		}
	}
	if sketch.HashVersion != 1 {
		t.Errorf("hash version %d has no vectors", sketch.HashVersion)
	}
}

// TestFormatExamples: the code writes the examples of the documentation.
func TestFormatExamples(t *testing.T) {
	doc := must(os.ReadFile("../../docs/FORMAT.md"))
	has := func(lines string) {
		t.Helper()
		if !bytes.Contains(doc, []byte(lines)) {
			t.Errorf("docs/FORMAT.md does not have\n%s", lines)
		}
	}
	exact := blobOf(t, builderOf(t, config(t, golden[0].params), cities()))
	dense := blobOf(t, builderOf(t, config(t, golden[5].params), cities()))
	has(hex.Dump(exact))
	has(hex.Dump(dense))

	// Cells, where the exact form keeps them.
	var rows strings.Builder
	m := cities().model()
	for _, s := range sortedSpots(m) {
		_, _, z := cells.Key(s.Cell)
		fmt.Fprintf(&rows, "| (%d, %d) | %#08x, %#08x | %#016x | %d |\n", s.X, s.Y, uint32(s.X+cells.Bias), uint32(s.Y+cells.Bias), z, m[s])
	}
	has(rows.String())

	// Its only block, number by number.
	section := sectionsOf(m)[0]
	codes := []string{classBits(section.Counts[0]-1, 0)}
	for i := 1; i < len(section.Keys); i++ {
		codes = append(codes, classBits(section.Keys[i]-section.Keys[i-1]-1, 2), classBits(section.Counts[i]-1, 0))
	}
	has(strings.Join(codes, " ") + "\n")

	// Positions and counters of the dense one.
	v := viewOf(t, dense)
	rows.Reset()
	for _, s := range sortedSpots(m) {
		h1, h2 := key.HashCell(0, s.X, s.Y)
		at := kit.Positions(h1, h2, v.K(), v.Counters()[0])
		fmt.Fprintf(&rows, "| (%d, %d) | %#016x | %#016x | %d, %d | %d |\n", s.X, s.Y, h1, h2, at[0], at[1], v.Count(s.Cell, nil))
	}
	has(rows.String())
	for x, l := range v.counters.Counters.Layers[:2] {
		var cs []string
		for j := range l.Size {
			cs = append(cs, fmt.Sprint(l.Load(j)))
		}
		has(fmt.Sprintf("| %d | %s |\n", x, strings.Join(cs, " ")))
	}

	// The tree.
	tree := sketchOf(t, config(t, Params{Res: 1}), places())
	noError(t, tree.Suppress(2))
	has(hex.Dump(tree.Blob()))
	rows.Reset()
	leaves := &tree.squares.Sections[0]
	for i, key := range leaves.Keys {
		fmt.Fprintf(&rows, "| %#016x | %d | (%d, %d) | %d |\n", key, leaves.Level(i), leaves.Rect(i).MinX, leaves.Rect(i).MinY, leaves.Counts[i])
	}
	has(rows.String())

	// The class code.
	for _, c := range []struct {
		v uint64
		k uint
	}{{0, 0}, {1, 0}, {2, 0}, {5, 0}, {0, 2}, {3, 2}, {4, 2}, {9, 2}} {
		has(fmt.Sprintf("| %d | %d | `%s` |\n", c.v, c.k, classBits(c.v, c.k)))
	}
}

// classBits writes the class code as docs/FORMAT.md describes it, the first bit
// first.
func classBits(v uint64, k uint) string {
	e := uint(0)
	for v>>(k+e) != 0 {
		e++
	}
	low := k
	if e > 0 {
		low = k + e - 1
	}
	s := strings.Repeat("0", int(e)) + "1"
	for i := range low {
		s += fmt.Sprint(v >> i & 1)
	}
	return s
}
