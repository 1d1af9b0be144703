package args

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// The words of a column of keys hash as each key, whatever its type.
func TestWordsOfColumn(t *testing.T) {
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
	for _, id := range []duck.TypeID{
		duck.TinyIntID, duck.SmallIntID, duck.IntegerID, duck.BigIntID, duck.HugeIntID,
		duck.UTinyIntID, duck.USmallIntID, duck.UIntegerID, duck.UBigIntID, duck.UHugeIntID,
		duck.FloatID, duck.DoubleID, duck.BooleanID, duck.DateID, duck.TimeID, duck.TimeNSID, duck.TimeTZID,
		duck.TimestampID, duck.TimestampSID, duck.TimestampMSID, duck.TimestampNSID, duck.TimestampTZID,
		duck.UUIDID, duck.IntervalID,
	} {
		data := unsafe.Pointer(&words[0])
		if id == duck.BooleanID {
			data = unsafe.Pointer(&bools[0])
		}
		v := duck.VectorOf(data, nil, n, id)
		var keys Keys
		if err := keys.Reset(&v); err != nil {
			t.Fatal(err)
		}
		for i, word := range keys.Words() {
			h1, h2, err := keys.Hash(i, keys.Class, 7)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := key.HashUint64(7, word); a != h1 || b != h2 {
				t.Errorf("%v, row %d: hash %x of the word, %x of the key", id, i, [2]uint64{a, b}, [2]uint64{h1, h2})
			}
		}
	}
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
