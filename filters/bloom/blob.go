package bloom

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// activationBit is the position of the activation in the first of a BLOB's parameters, above the
// variant.
const activationBit = 2

// mostAround is the largest number of bytes of a BLOB beside the bits. The actual number depends on the
// total; the size that a filter shrinks to does not.
const mostAround = sketch.MaxHeader + 1 + 5 + 5 + 9 + 10

// Blob encodes the filter: equal states give equal bytes. The filter is unchanged.
func (s *Sketch) Blob() []byte {
	f := s.finished()
	var room [mostAround]byte
	params := append(room[:0], byte(f.variant)|byte(f.activation)<<activationBit)
	params = binary.AppendUvarint(params, f.size)
	if f.variant == Blocks {
		params = binary.AppendUvarint(params, f.kept)
	}
	params = sketch.AppendFloat(params, f.k)
	params = binary.AppendUvarint(params, f.capacity)
	return sketch.Join(keyed.Header(f.Base, id), params, f.bits)
}

// View answers queries from a BLOB's own memory, without a copy. It is valid as long as that memory is.
// Any number of goroutines may read it.
type View struct{ filter }

// NewView checks a BLOB's structure, including only the last word of its bits, but not its checksum,
// which Check verifies. A View reads only inside its BLOB, whatever the bytes. Errors wrap
// sketch.ErrInvalid.
func NewView(blob []byte) (View, error) {
	b, base, r := keyed.Read(id, blob, 0)
	kind := r.Uint8()
	f := form{size: r.Uvarint(), variant: Variant(kind & (1<<activationBit - 1)), activation: Activation(kind >> activationBit)}
	f.kept = f.size
	if f.variant == Blocks {
		f.kept = r.Uvarint()
	}
	f.k, f.capacity = r.Float(), r.Uvarint()
	if err := r.Done(); err != nil {
		return View{}, err
	}
	if err := f.check(); err != nil {
		return View{}, sketch.Invalidf("%v", err)
	}
	if want := 8 * f.words(); uint64(len(b.Body)) != want {
		return View{}, sketch.Invalidf("a body of %d bytes, but %d bits take %d", len(b.Body), f.kept, want)
	}
	if n := f.kept % 64; n != 0 && binary.LittleEndian.Uint64(b.Body[len(b.Body)-8:])>>n != 0 {
		return View{}, sketch.Invalidf("bits are set after the last of the filter")
	}
	return View{filter{Base: base, form: f, route: f.route(), bits: b.Body}}, nil
}

// check returns an error if the bits cannot have the total.
func (v *View) check() error {
	total, known := v.Total()
	if !known {
		return nil
	}
	// An occurrence sets at most a bit for each of its positions. In a standard filter it sets at least
	// one.
	set := ones(v.bits)
	if over, most := bits.Mul64(total, uint64(math.Ceil(v.k))); over == 0 && set > most || set == 0 && total > 0 && v.variant == Standard {
		return sketch.Invalidf("a total of %d, but %d bits are set", total, set)
	}
	return nil
}

// sketch returns the view as a sketch, in the memory of the BLOB.
func (v *View) sketch() *Sketch { return (*Sketch)(v) }

// Info describes a filter without its keys.
type Info struct {
	keyed.Common
	Variant    Variant
	Activation Activation
	Bits       uint64  // m
	K          float64 // hash functions

	Blocks   []uint64 // sizes of the blocks in bits; nil unless Variant is Blocks.
	Made     uint64   // m when the filter was made, before Shrink dropped blocks.
	Capacity uint64   // distinct keys for which the filter was made.

	BitsPerKey    float64 // Bits per key if it has Capacity keys
	FPPAtCapacity float64 // false positive rate to expect of Capacity keys

	Cardinality float64 // distinct keys, estimated; +Inf if the bits do not show it
	Fill        float64 // fraction of the bits that are set
	FPP         float64 // false positive rate at this fill
}

// Info describes the filter. It reads the whole body. O(len(blob)).
func (v *View) Info() Info {
	return Info{
		Common:  v.Common(),
		Variant: v.variant, Activation: v.activation,
		Bits: v.kept, K: v.K(), Blocks: v.Blocks(), Made: v.size,
		Capacity: v.capacity, BitsPerKey: float64(v.kept) / float64(v.capacity), FPPAtCapacity: v.FPPAt(float64(v.capacity)),
		Cardinality: v.Cardinality(), Fill: v.Fill(), FPP: v.FPP(),
	}
}

// Rows returns the bits of the filter, 0 or 1, in one row. It returns the error of keyed.Listable.
func (v *View) Rows() ([][]uint64, error) {
	v.MustBeMade()
	if err := keyed.Listable(v.kept); err != nil {
		return nil, err
	}
	row := make([]uint64, v.kept)
	for p := range row {
		row[p] = uint64(v.bits[p/8] >> (p % 8) & 1)
	}
	return [][]uint64{row}, nil
}
