package cuckoo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Keys one by one, by their bytes or by their hashes, make the filter that they make many
// at once, until it is full, and are found in it and in its BLOB alike: in buckets that are
// read with one load and in wider ones, of one length and of several.
func TestOneByOneIsManyAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 1))
	keys := make([][]byte, 6000)
	for i := range keys {
		keys[i] = binary.LittleEndian.AppendUint64(nil, uint64(r.IntN(3000))) // some come again
		if i%5 == 0 {
			keys[i] = append(keys[i], "more"...)
		}
	}
	for _, p := range []Params{
		{}, {FingerprintBits: 8, Seed: 7}, {FingerprintBits: 7, Slots: 4, Seed: 1 << 40}, {FingerprintBits: 13, Slots: 3}, {FingerprintBits: 32, Slots: 8},
		{FingerprintBits: 8, Slots: 8}, {FingerprintBits: 4, Slots: 4}, {VariableLength: true}, {Variant: Tagged}, {Variant: Tagged, FingerprintBits: 5},
	} {
		for _, p.Duplicates = range []bool{false, true} {
			p.Capacity = 2500
			byKey, byHash, atOnce := mustNew(t, p), mustNew(t, p), mustNew(t, p)
			h1s, h2s := make([]uint64, len(keys)), make([]uint64, len(keys))
			key.Hashes(p.Seed, keys, h1s, h2s)
			n := 0
			for n < len(keys) {
				err := byKey.AddKey(keys[n], 1)
				if other := byHash.Add(h1s[n], h2s[n], 1); (err == nil) != (other == nil) {
					t.Fatalf("%+v, key %d: %v by its bytes, %v by its hash", p, n, err, other)
				}
				if err != nil {
					if !errors.Is(err, ErrFull) {
						t.Fatalf("%+v: %v", p, err)
					}
					break
				}
				n++
			}
			if err := atOnce.AddHashes(h1s[:n], h2s[:n], nil); err != nil || n < 1000 {
				t.Fatalf("%+v: %d keys, then %v", p, n, err)
			}
			blob := atOnce.Blob()
			if !bytes.Equal(byKey.Blob(), blob) || !bytes.Equal(byHash.Blob(), blob) {
				t.Errorf("%+v: filters of %d keys one by one and at once differ", p, n)
			}
			v, err := NewView(blob)
			if err != nil {
				t.Fatal(err)
			}
			found := make([]bool, len(keys))
			atOnce.ContainsHashes(found, h1s, h2s)
			for i, b := range keys {
				if i < n && !found[i] {
					t.Fatalf("%+v: key %d is not found", p, i)
				}
				if byKey.ContainsKey(b) != found[i] || v.ContainsKey(b) != found[i] || byHash.Contains(h1s[i], h2s[i]) != found[i] {
					t.Fatalf("%+v: key %d is found by some ways and not by others", p, i)
				}
			}
		}
	}
}
