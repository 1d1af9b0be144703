package args

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// A column of keys hashes as each of them alone, whatever its type.
func TestHashesOfColumn(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	const n = 300
	// Values of 16 bytes; narrower types read their own number of them.
	words := make([]uint64, 2*n)
	for i := range words {
		if words[i] = r.Uint64(); i%3 == 0 {
			words[i] >>= r.UintN(64)
		}
	}
	floats := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), 1.5}
	for i := range n {
		if i%4 == 0 {
			words[i] = math.Float64bits(floats[i/4%len(floats)])
		}
	}
	bools := make([]uint8, n)
	for i := range bools {
		bools[i] = uint8(i % 2)
	}
	texts, keep := duckStrings(r, n)
	defer runtime.KeepAlive(keep)
	for _, id := range []duck.TypeID{
		duck.TinyIntID, duck.SmallIntID, duck.IntegerID, duck.BigIntID, duck.HugeIntID,
		duck.UTinyIntID, duck.USmallIntID, duck.UIntegerID, duck.UBigIntID, duck.UHugeIntID,
		duck.FloatID, duck.DoubleID, duck.BooleanID, duck.DateID, duck.TimeID, duck.TimeNSID, duck.TimeTZID,
		duck.TimestampID, duck.TimestampSID, duck.TimestampMSID, duck.TimestampNSID, duck.TimestampTZID,
		duck.UUIDID, duck.IntervalID, duck.VarcharID, duck.BlobID,
	} {
		data := unsafe.Pointer(&words[0])
		switch id {
		case duck.BooleanID:
			data = unsafe.Pointer(&bools[0])
		case duck.VarcharID, duck.BlobID:
			data = unsafe.Pointer(&texts[0])
		}
		v := duck.VectorOf(data, nil, n, id)
		var keys Keys
		if err := keys.Reset(&v); err != nil {
			t.Fatal(err)
		}
		for _, seed := range []uint64{0, 7, math.MaxUint64} {
			from := r.IntN(n)
			to := from + r.IntN(n-from+1)
			h1s, h2s := keys.AppendHashes([]uint64{1, 2}, []uint64{3, 4}, from, to, seed)
			if !slices.Equal(h1s[:2], []uint64{1, 2}) || !slices.Equal(h2s[:2], []uint64{3, 4}) || len(h1s) != 2+to-from || len(h2s) != len(h1s) {
				t.Fatalf("%v: %d and %d hashes, the first %d and %d", id, len(h1s), len(h2s), h1s[:2], h2s[:2])
			}
			for i := from; i < to; i++ {
				h1, h2, err := keys.Hash(i, keys.Class, seed)
				if err != nil {
					t.Fatal(err)
				}
				if got := [2]uint64{h1s[2+i-from], h2s[2+i-from]}; got != [2]uint64{h1, h2} {
					t.Errorf("%v, row %d, seed %d: hash %x, alone %x", id, i, seed, got, [2]uint64{h1, h2})
				}
			}
		}
	}
}

// duckStrings returns n strings, empty, short and long, as DuckDB has them in a vector. Each has
// its length, then up to 12 bytes of the string itself, or 4 of them and its address. The long
// strings are in keep.
func duckStrings(r *rand.Rand, n int) (data [][16]byte, keep [][]byte) {
	data = make([][16]byte, n)
	for i := range data {
		s := make([]byte, r.IntN(40))
		for j := range s {
			s[j] = byte(r.Uint32())
		}
		binary.NativeEndian.PutUint32(data[i][:], uint32(len(s)))
		copy(data[i][4:], s)
		if len(s) > 12 {
			binary.NativeEndian.PutUint64(data[i][8:], uint64(uintptr(unsafe.Pointer(&s[0]))))
			keep = append(keep, s)
		}
	}
	return data, keep
}

// Values are alike if none is NULL and all have the same bits.
func TestAlike(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 65, 2048} {
		values := slices.Repeat([]uint32{0x01020304}, n)
		alike := func(mask []uint64) bool {
			var m unsafe.Pointer
			if mask != nil {
				m = unsafe.Pointer(&mask[0])
			}
			v := duck.VectorOf(unsafe.Pointer(&values[0]), m, n, duck.IntegerID)
			return v.IsConstant()
		}
		mask := slices.Repeat([]uint64{math.MaxUint64}, (n+63)/64)
		if !alike(nil) || !alike(mask) {
			t.Errorf("%d values that are the same are not alike", n)
		}
		for _, i := range []int{0, n / 2, n - 1} {
			values[i]++
			if n > 1 && alike(nil) {
				t.Errorf("of %d values number %d is another, and they are alike", n, i)
			}
			values[i]--
			mask[i/64] ^= 1 << (i % 64)
			if alike(mask) {
				t.Errorf("of %d values number %d is NULL, and they are alike", n, i)
			}
			mask[i/64] ^= 1 << (i % 64)
		}
	}
}
