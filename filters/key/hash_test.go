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

// Every way to hash a key is the library's. Hash is so on every length up to 200 bytes, so on each path around
// the library. The seeds are all that are special, those beside them, and random ones.
func TestHashIsThatOfTheLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	seeds := []uint64{math.MaxUint64, 1 << 63}
	for seed := range uint64(20) {
		seeds = append(seeds, seed, r.Uint64())
	}
	for _, seed := range seeds {
		for n := range 201 {
			times := 1
			if n == 8 || n == 16 || n == 18 { // these have ways of their own
				times = 240
			}
			for i := range times {
				b := randomKey(r, n)
				if n == 18 { // a square
					b[16], b[17] = tagLevel, uint8(1+i)
				}
				want := [2]uint64{}
				want[0], want[1] = judge(seed, b)
				for name, hash := range waysToHash(n) {
					if a1, a2 := hash(seed, b); [2]uint64{a1, a2} != want {
						t.Fatalf("%s, seed %d, %x: %x %x, library %x", name, seed, b, a1, a2, want)
					}
				}
			}
		}
	}
}

// waysToHash are the functions that hash a key of n bytes: a number, a cell or a square.
func waysToHash(n int) map[string]func(seed uint64, b []byte) (h1, h2 uint64) {
	word := func(b []byte, i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i:])) }
	ways := map[string]func(seed uint64, b []byte) (h1, h2 uint64){"Hash": Hash}
	switch n {
	case 8:
		ways["HashUint64"] = func(seed uint64, b []byte) (h1, h2 uint64) { return HashUint64(seed, uint64(word(b, 0))) }
		ways["AppendInt64"] = func(seed uint64, b []byte) (h1, h2 uint64) { return Hash(seed, AppendInt64(nil, word(b, 0))) }
	case 16:
		ways["HashCell"] = func(seed uint64, b []byte) (h1, h2 uint64) { return HashCell(seed, word(b, 0), word(b, 1)) }
		ways["AppendCell"] = func(seed uint64, b []byte) (h1, h2 uint64) {
			return Hash(seed, AppendCell(nil, word(b, 0), word(b, 1), 0, nil))
		}
	case 18:
		ways["HashSquare"] = func(seed uint64, b []byte) (h1, h2 uint64) {
			return HashSquare(seed, word(b, 0), word(b, 1), b[17])
		}
		ways["AppendCell"] = func(seed uint64, b []byte) (h1, h2 uint64) {
			return Hash(seed, AppendCell(nil, word(b, 0), word(b, 1), b[17], nil))
		}
	}
	return ways
}

func randomKey(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
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

// Many keys at once have the hashes of each alone, whatever their lengths and number.
func TestManyHashesAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const seed = 5 // one that is mixed first
	var keys [][]byte
	var vs []uint64
	for n := range 70 {
		times := 20
		if n == 8 {
			times = 3 * hashBatch // more than are read at once
		}
		for range times {
			keys = append(keys, randomKey(r, n))
			if n == 8 {
				vs = append(vs, binary.LittleEndian.Uint64(keys[len(keys)-1]))
			}
		}
	}
	h1s, h2s := make([]uint64, len(keys)), make([]uint64, len(keys))
	Hashes(seed, keys, h1s, h2s)
	for i, b := range keys {
		if a1, a2 := Hash(seed, b); a1 != h1s[i] || a2 != h2s[i] {
			t.Fatalf("key %d of many: %x %x, alone %x %x", i, h1s[i], h2s[i], a1, a2)
		}
	}
	for n := len(vs); n > 0; n = n * 3 / 4 {
		clear(h1s)
		HashUint64s(seed, vs[:n], h1s, h2s)
		for i, v := range vs[:n] {
			if a1, a2 := HashUint64(seed, v); a1 != h1s[i] || a2 != h2s[i] {
				t.Fatalf("number %d of %d: %x %x, alone %x %x", i, n, h1s[i], h2s[i], a1, a2)
			}
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
