package key

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/twmb/murmur3"
)

// judge is the hash by the library alone, without the ways around it.
func judge(seed uint64, b []byte) (h1, h2 uint64) {
	if 1 <= seed && seed <= 15 && len(b) < 16 {
		seed ^= seed >> 33 // the finalizer of MurmurHash3
		seed *= 0xff51afd7ed558ccd
		seed ^= seed >> 33
		seed *= 0xc4ceb9fe1a85ec53
		seed ^= seed >> 33
	}
	if seed == 0 && len(b) == 0 {
		seed = 16
	}
	h1, h2 = murmur3.SeedSum128(seed, seed, b)
	return h1, h2 | 1
}

// Hash is the library's on every length up to 200 bytes, so on each path around the library. The seeds
// are all that are special, those beside them, and random ones.
func TestHashOfAllLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	seeds := []uint64{math.MaxUint64, 1 << 63}
	for seed := range uint64(20) {
		seeds = append(seeds, seed, r.Uint64())
	}
	for _, seed := range seeds {
		for n := range 201 {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			a1, a2 := Hash(seed, b)
			if b1, b2 := judge(seed, b); a1 != b1 || a2 != b2 {
				t.Fatalf("seed %d, %x: %x %x, library %x %x", seed, b, a1, a2, b1, b2)
			}
			if n != 8 {
				continue
			}
			v := binary.LittleEndian.Uint64(b)
			if b1, b2 := HashUint64(seed, v); a1 != b1 || a2 != b2 {
				t.Fatalf("seed %d: HashUint64(%d) is not Hash of its bytes", seed, v)
			}
		}
	}
}

// With no small seed, one half of the hash follows from the other. The lowest bytes of the halves of
// 4,096 keys, without the bit that is set in h2, fall into the 2^15 cells of a table. 4096^2/2 pairs
// share a cell with probability 2^-15 each: 256 on average, with about the same variance.
func TestHalvesAreIndependent(t *testing.T) {
	for seed := range uint64(20) {
		for n := 2; n <= 17; n++ {
			var table [1 << 15]int
			pairs := 0
			b := make([]byte, n)
			for i := range uint16(4096) {
				binary.LittleEndian.PutUint16(b, i)
				h1, h2 := Hash(seed, b)
				cell := &table[h1&0xff|h2>>1&0x7f<<8]
				pairs += *cell
				*cell++
			}
			if math.Abs(float64(pairs)-256) > 5*16 { // 320 trials: 5 sigma
				t.Errorf("seed %d, keys of %d bytes: %d pairs of keys agree, 256 expected", seed, n, pairs)
			}
		}
	}
}

func TestHash(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var keys [][]byte
	const seed = 5 // one that is mixed first
	for n := range 70 {
		times := 20
		if n == 8 {
			times = 3 * hashBatch // more than are read at once
		}
		for range times {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			keys = append(keys, b)
			a1, a2 := Hash(seed, b)
			if b1, b2 := judge(seed, b); a1 != b1 || a2 != b2 {
				t.Fatalf("%x: %x %x, library %x %x", b, a1, a2, b1, b2)
			}
		}
	}
	h1s, h2s := make([]uint64, len(keys)), make([]uint64, len(keys))
	Hashes(seed, keys, h1s, h2s)
	for i, b := range keys {
		if a1, a2 := judge(seed, b); a1 != h1s[i] || a2 != h2s[i] {
			t.Fatalf("key %d of many: %x %x, library %x %x", i, h1s[i], h2s[i], a1, a2)
		}
	}
}

// HashCell must be Hash of the cell's bytes, or sketches built by one path
// could not be read by the other. The judge is the library behind Hash.
func TestHashCellEqualsHashOfBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 10_000 {
		x, y, seed := int64(r.Uint64()), int64(r.Uint64()), r.Uint64()
		if i%3 == 0 {
			x, y, seed = int64(i), -int64(i), 0
		}
		a1, a2 := HashCell(seed, x, y)
		b1, b2 := judge(seed, AppendCell(nil, x, y, 0, nil))
		if a1 != b1 || a2 != b2 {
			t.Fatalf("cell (%d,%d) seed %d: %x %x, library %x %x", x, y, seed, a1, a2, b1, b2)
		}
	}
}

// HashSquare likewise, of a cell with a level.
func TestHashSquareEqualsHashOfBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 10_000 {
		x, y, seed, level := int64(r.Uint64()), int64(r.Uint64()), r.Uint64(), uint8(1+i%255)
		a1, a2 := HashSquare(seed, x, y, level)
		b1, b2 := judge(seed, AppendCell(nil, x, y, level, nil))
		if a1 != b1 || a2 != b2 {
			t.Fatalf("square (%d,%d) of level %d, seed %d: %x %x, library %x %x", x, y, level, seed, a1, a2, b1, b2)
		}
	}
}

func TestPartsOfAKeyAreKeptApart(t *testing.T) {
	seen := map[string]string{}
	for name, b := range map[string][]byte{
		"cell":                 AppendCell(nil, 1, 2, 0, nil),
		"empty category":       AppendCell(nil, 1, 2, 0, []byte{}),
		"category 1":           AppendCell(nil, 1, 2, 0, []byte{1}),
		"level 1":              AppendCell(nil, 1, 2, 1, nil),
		"level 1, category":    AppendCell(nil, 1, 2, 1, []byte{}),
		"category like level":  AppendCell(nil, 1, 2, 0, []byte{2, 1}),
		"level, like category": AppendCell(nil, 1, 2, 1, []byte{1}),
	} {
		if other, dup := seen[string(b)]; dup {
			t.Errorf("%s and %s have the same bytes %x", name, other, b)
		}
		seen[string(b)] = name
		if !bytes.HasPrefix(b, AppendCell(nil, 1, 2, 0, nil)) {
			t.Errorf("%s does not begin with the cell", name)
		}
	}
}

func BenchmarkHashCell(b *testing.B) {
	var sink uint64
	for i := 0; b.Loop(); i++ {
		h1, h2 := HashCell(0, int64(i), int64(i>>3))
		sink += h1 ^ h2
	}
	_ = sink
}
